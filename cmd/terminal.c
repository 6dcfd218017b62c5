// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "cmd/terminal.h"

#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/delivery.h"

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

struct render_options terminal_options(const char *path, enum terminal_colour colour, bool ascii)
{
	const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");
	bool terminal = is_stdout(path) && isatty(STDOUT_FILENO);
	struct render_options ret = { .ascii = ascii || (terminal && terminal_is_ascii()) };

	if (colour == COLOUR_ALWAYS)
		ret.colour = true;
	else if (colour == COLOUR_AUTO)
		ret.colour = terminal && !(no_colour && *no_colour) && term && strcmp(term, "dumb") != 0;
	return ret;
}
