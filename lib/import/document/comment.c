// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/document/comment.h"

#include "base/text.h"
#include "base/text_scan.h"

enum { MOST_LINES = 200 }; /* of a comment */

/* Where the block ends that is opened in the line: each line but the first begins with an asterisk. 0: it is none. */
static size_t end_of_block(const struct dump_line *lines, size_t nr, size_t i)
{
	const char *first = past_blanks(lines[i].text);

	if (!text_begins(first, "/*") || strstr(first, "*/"))
		return 0;
	for (size_t k = i + 1; k < nr && k - i < MOST_LINES; k++) {
		if (*past_blanks(lines[k].text) != '*')
			return 0;
		if (strstr(lines[k].text, "*/"))
			return k + 1;
	}
	return 0;
}

/* "/// " of Rust and C++, "//! " of Rust. */
static bool is_documentation(const char *text)
{
	const char *first = past_blanks(text);

	return text_begins(first, "/// ") || text_begins(first, "//! ");
}

bool comment_next(const struct dump_line *lines, size_t nr, size_t from, struct left_out *ret)
{
	for (size_t i = from; i < nr; i++) {
		size_t end = end_of_block(lines, nr, i);

		if (!end && !is_documentation(lines[i].text))
			continue;
		*ret = (struct left_out){ .begin = i, .end = end ? end : i + 1 };
		return true;
	}
	return false;
}
