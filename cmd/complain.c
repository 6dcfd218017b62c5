// SPDX-License-Identifier: GPL-2.0-or-later
/* complain.c - messages on standard error, and exits because of them. */
#include "base/compat.h"
#include "cmd/cmd.h"

#include <stdarg.h>
#include <unistd.h>

#include "render/render.h"
#include "sys/write_file.h"

static bool is_plugin;

void complain_as_plugin(void)
{
	is_plugin = true;
}

static void PRINTF_LIKE(3, 0) vcomplain(int fd, const char *begin, const char *format, va_list args)
{
	STRBUF_AUTO message = STRBUF_INIT;
	STRBUF_AUTO text = STRBUF_INIT;

	/* It may quote an argument or a file, which must not steer the terminal. */
	strbuf_vaddf(&message, format, args);
	strbuf_addstr(&text, begin);
	render_clean(&text, message.buf, false);
	/* All after it would be performance data. */
	for (char *c = text.buf; is_plugin && *c; c++)
		if (*c == '|')
			*c = '/';
	strbuf_addch(&text, '\n');
	if (write_all(fd, text.buf, text.len))
		return;		/* nobody reads it */
}

void complain(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vcomplain(STDERR_FILENO, "gpudiag: ", format, args);
	va_end(args);
}

void die(int status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (is_plugin)
		vcomplain(STDOUT_FILENO, "GPUDIAG UNKNOWN - ", format, args);
	else
		vcomplain(STDERR_FILENO, "gpudiag: ", format, args);
	va_end(args);
	exit(is_plugin ? EXIT_PLUGIN_UNKNOWN : status);
}
