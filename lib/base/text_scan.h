/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text_scan.h - the steps the parsers of text.h share. Private to text_*.c.
 *
 * A step looks at *at, and moves it past what it took. No <ctype.h>: its
 * answers depend on the locale.
 */
#ifndef GPUDIAG_BASE_TEXT_SCAN_H
#define GPUDIAG_BASE_TEXT_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compat.h"

static inline bool scan_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The value of a hexadecimal digit; 16 for anything else. */
static inline unsigned scan_hex_value(char c)
{
	if (scan_digit(c))
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a' + 10);
	return c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10) : 16;
}

/* Takes all digits of the base (10 or 16). How many; *fits turns false when the value did not. */
static inline size_t scan_u64(const char **at, unsigned base, uint64_t *ret, bool *fits)
{
	const char *start = *at;

	*ret = 0;
	for (; scan_hex_value(**at) < base; ++*at) {
		if (__builtin_mul_overflow(*ret, (uint64_t)base, ret) ||
		    __builtin_add_overflow(*ret, (uint64_t)scan_hex_value(**at), ret))
			*fits = false;
	}
	return (size_t)(*at - start);
}

static inline bool scan_char(const char **at, char c)
{
	if (**at != c)
		return false;
	++*at;
	return true;
}

/* Nothing but white space left? */
static inline bool scan_end(const char *at)
{
	return !at[strspn(at, " \t\r\n")];
}

#endif
