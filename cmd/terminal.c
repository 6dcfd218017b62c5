// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "cmd/terminal.h"

#include <limits.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/delivery.h"

/* Lines of a report: below the least its tables have no room, above the most its sentences are hard to follow. */
enum { LEAST_COLUMNS = 60, MOST_COLUMNS = 160 };

const char *const terminal_colours[] = {
	[COLOUR_AUTO] = "auto", [COLOUR_ALWAYS] = "always", [COLOUR_NEVER] = "never", NULL,
};

/* On a terminal that cannot show more, ASCII; into a file or a pipe the same bytes on every machine. */
static bool terminal_is_ascii(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return !strcasestr(value, "utf-8") && !strcasestr(value, "utf8");
	}
	return true;
}

unsigned terminal_columns(const char *path)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	uint64_t asked;

	if (!is_stdout(path) || !isatty(STDOUT_FILENO))
		return 0;
	if (columns && !parse_u64(columns, &asked) && asked && asked <= USHRT_MAX)
		return (unsigned)asked;
	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ? 0 : size.ws_col;
}

/* 0, the renderer's own, where no terminal is. */
static unsigned report_columns(const char *path)
{
	unsigned columns = terminal_columns(path);

	if (!columns)
		return 0;
	return columns < LEAST_COLUMNS ? LEAST_COLUMNS : columns > MOST_COLUMNS ? MOST_COLUMNS : columns;
}

struct render_options terminal_options(const char *path, enum terminal_colour colour, bool ascii)
{
	const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");
	bool terminal = is_stdout(path) && isatty(STDOUT_FILENO);
	struct render_options ret = {
		.ascii = ascii || (terminal && terminal_is_ascii()), .columns = report_columns(path),
	};

	if (colour == COLOUR_ALWAYS)
		ret.colour = true;
	else if (colour == COLOUR_AUTO)
		ret.colour = terminal && !(no_colour && *no_colour) && term && strcmp(term, "dumb") != 0;
	return ret;
}
