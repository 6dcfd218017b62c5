// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/line/quote.h"

#include <stdint.h>
#include <string.h>

static const char *next_line(const char *at, const char *end)
{
	const char *feed = memchr(at, '\n', (size_t)(end - at));

	return feed ? feed + 1 : end;
}

/* ">text": nobody parts the signs from what he quotes. Of a line alone among others it may be the end of a tag. */
static void measure(struct quote *quote, const char *line, const char *end)
{
	size_t depth = SIZE_MAX, nr = 0, nr_close = 0;
	const char *at = line;

	for (; at < end && *at == '>'; at = next_line(at, end), nr++) {
		const char *text = at;

		while (text < end && *text == '>')
			text++;
		if ((size_t)(text - at) < depth)
			depth = (size_t)(text - at);
		nr_close += text < end && !strchr(" \r\n", *text);
	}
	quote->end = at;
	quote->depth = nr_close && (nr > 1 || (line == quote->begin && at == end)) ? depth : 0;
}

const char *quote_past_close_ones(struct quote *quote, const char *line, const char *end)
{
	if (line == end || *line != '>')
		return line;
	if (!quote->end || line >= quote->end)
		measure(quote, line, end);
	return line + quote->depth;
}

/* Of one line alone it may be a prompt. */
const char *quote_past_blank_ones(const char *text)
{
	while (*text == '>' && (text[1] == ' ' || !text[1] || text[1] == '>'))
		text += text[1] == ' ' ? 2 : 1;
	return text;
}
