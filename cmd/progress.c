// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "cmd/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "base/units.h"
#include "sys/clock.h"

/* What is shown with the time that is left. */
static struct {
	char what[128];		/* "": nothing */
	uint64_t ends_ns;
} timed;

/* What is longer than the terminal is wide would stay on it: only the last line is written over. */
static void draw(const char *line)
{
	struct winsize size;
	size_t len = strlen(line);

	if (!isatty(STDERR_FILENO))
		return;
	if (!ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col > 1 && utf8_columns(line) >= size.ws_col)
		len = utf8_floor(line, size.ws_col - 1);
	fprintf(stderr, "\r\033[K%.*s", (int)len, line);
}

void progress_show(const char *what)
{
	timed.what[0] = '\0';
	draw(what);
}

void progress_tick(void)
{
	uint64_t now_ns = clock_now_ns();
	STRBUF_AUTO line = STRBUF_INIT;

	if (!timed.what[0])
		return;
	strbuf_addf(&line, "%s … ", timed.what);
	if (timed.ends_ns > now_ns) {
		strbuf_addstr(&line, "about ");
		unit_format_u64(&line, UNIT_S, (timed.ends_ns - now_ns + 999999999) / 1000000000);
		strbuf_addstr(&line, " left");
	} else {
		strbuf_addstr(&line, "it takes longer than expected");
	}
	draw(line.buf);
}

void progress_show_time(const char *what, uint64_t left_ms)
{
	snprintf(timed.what, sizeof(timed.what), "%s", what);
	timed.ends_ns = clock_now_ns() + left_ms * 1000000;
	progress_tick();
}

void progress_end(void)
{
	progress_show("");
}
