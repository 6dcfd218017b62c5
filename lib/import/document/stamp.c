// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/document/stamp.h"

#include "base/text.h"
#include "base/text_scan.h"

enum { MOST_OF_STAMP = 40 }; /* characters, with its date */

bool stamp_is_of_boot(const char *at)
{
	size_t digits = *at == '[' ? strspn(at + 1, " 0123456789") : 0;

	return digits && at[1 + digits] == '.' && strspn(at + digits + 2, "0123456789") == 6;
}

/* "<4>", "kernel: " */
static const char *behind_speaker(const char *at)
{
	if (*at == '<' && is_digit(at[1]))
		at += strspn(at + 1, "0123456789") + 1 + (at[1 + strspn(at + 1, "0123456789")] == '>');
	return text_begins(at, "kernel: ") ? at + strlen("kernel: ") : at;
}

bool stamp_begins(const char *text)
{
	const char *at = behind_speaker(past_blanks(text));

	if (stamp_is_of_boot(at))
		return true;
	/* "Dec  1 00:00:00", "2026-12-01T00:00:00", "[Tue Dec  1 00:00:00 2026]" */
	return (*at == '[' || is_digit(*at) || month_by_name(at)) &&
	       text_has_clock(at, at + strnlen(at, MOST_OF_STAMP));
}
