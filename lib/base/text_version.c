// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/text.h"

#include "base/text_scan.h"

bool version_valid(const char *text)
{
	for (;;) {
		size_t digits = strspn(text, "0123456789");

		if (!digits)
			return false;
		text += digits;
		if (!*text)
			return true;
		if (*text++ != '.')
			return false;
	}
}

int version_compare(const char *a, const char *b)
{
	while (*a || *b) {
		unsigned long a_part = strtoul(is_digit(*a) ? a : "0", NULL, 10);
		unsigned long b_part = strtoul(is_digit(*b) ? b : "0", NULL, 10);

		if (a_part != b_part)
			return a_part < b_part ? -1 : 1;
		a += strcspn(a, ".");
		b += strcspn(b, ".");
		a += *a == '.';
		b += *b == '.';
	}
	return 0;
}
