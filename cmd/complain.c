// SPDX-License-Identifier: GPL-2.0-or-later
/* complain.c - messages on standard error, and exits because of them. */
#include "base/compat.h"
#include "cmd/cmd.h"

#include <stdarg.h>
#include <unistd.h>

#include "render/render.h"
#include "sys/write_file.h"

static void PRINTF_LIKE(1, 0) vcomplain(const char *format, va_list args)
{
	STRBUF_AUTO message = STRBUF_INIT;
	STRBUF_AUTO text = STRBUF_INIT;

	/* It may quote an argument or a file, which must not steer the terminal. */
	strbuf_vaddf(&message, format, args);
	strbuf_addstr(&text, "gpudiag: ");
	render_clean(&text, message.buf, false);
	strbuf_addch(&text, '\n');
	if (write_all(STDERR_FILENO, text.buf, text.len))
		return;		/* standard error is gone */
}

void complain(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vcomplain(format, args);
	va_end(args);
}

void die(int status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vcomplain(format, args);
	va_end(args);
	exit(status);
}
