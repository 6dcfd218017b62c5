/* SPDX-License-Identifier: GPL-2.0-or-later */
/* quote.h - "> " before lines, as mails and trackers quote, and ">" without a blank. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct quote {
	const char *begin; /* of the whole text */
	const char *end;   /* of the stretch that is quoted; NULL: none was seen */
	size_t depth;	   /* signs before each of its lines without a blank behind them; 0: not so quoted */
};

/* Behind the signs of a line in which no blank follows them; end: of the text. Lines are asked in their order. */
const char *quote_past_close_ones(struct quote *quote, const char *line, const char *end);

/* Behind those that a blank follows, or nothing. */
const char *quote_past_blank_ones(const char *text);
