/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text_scan.h - the steps that parsers of texts share. Of a text that ends in a NUL: what is a piece of a line, in
 * place, is klog/span.h's.
 *
 * A step looks at *at, and moves it past what it took. No <ctype.h>: its
 * answers depend on the locale.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/compat.h"

static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Of ASCII, in either case. */
static inline bool is_letter_or_digit(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The value of a hexadecimal digit, -1 for anything else. */
static inline int hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Takes all digits of the base (10 or 16). How many; *fits turns false when the value did not. */
static inline size_t scan_u64(const char **at, int base, uint64_t *ret, bool *fits)
{
	const char *start = *at;

	*ret = 0;
	for (int digit; (digit = hex_digit(**at)) >= 0 && digit < base; ++*at) {
		if (__builtin_mul_overflow(*ret, (uint64_t)base, ret) ||
		    __builtin_add_overflow(*ret, (uint64_t)digit, ret))
			*fits = false;
	}
	return (size_t)(*at - start);
}

/* What follows the blanks that a text begins with. */
static inline const char *past_blanks(const char *text)
{
	return text + strspn(text, " ");
}

/* Does the text begin like the form, in which "0" is any digit: "0000-00-00"? */
static inline bool text_begins_like(const char *text, const char *form)
{
	for (; *form; form++, text++)
		if (*form == '0' ? !is_digit(*text) : *text != *form)
			return false;
	return true;
}

/* Is there a time of day, "21:38:13", before the end? */
static inline bool text_has_clock(const char *text, const char *end)
{
	static const char form[] = "00:00:00";

	for (; end - text >= (ptrdiff_t)strlen(form); text++) {
		size_t i = 0;

		while (form[i] && (form[i] == '0' ? is_digit(text[i]) : text[i] == form[i]))
			i++;
		if (!form[i])
			return true;
	}
	return false;
}

/*
 * What follows these words and blanks, where a text begins with the words or with blanks and them; NULL: it does not.
 */
static inline const char *scan_behind(const char *text, const char *words)
{
	size_t len = strlen(words);

	text = past_blanks(text);
	return strncmp(text, words, len) != 0 ? NULL : past_blanks(text + len);
}

/* The next word of a line, its length in *ret_len; 0 at the end of the line. *at goes on after it. */
static inline const char *scan_word(const char **at, size_t *ret_len)
{
	const char *word = *at + strspn(*at, " \t");

	*ret_len = strcspn(word, " \t\n");
	*at = word + *ret_len;
	return word;
}

struct text_word {
	const char *text;
	size_t len;
};

/* The first words of a line, at most so many; how many there are. */
static inline size_t scan_words(const char *text, struct text_word *words, size_t most)
{
	size_t nr = 0;

	while (nr < most && (words[nr].text = scan_word(&text, &words[nr].len), words[nr].len))
		nr++;
	return nr;
}

/* The value of "Name : value", where a text begins with that name, with blanks before it or not; NULL: it does not. */
static inline const char *scan_value(const char *text, const char *name)
{
	const char *at = scan_behind(text, name);

	return at && *at == ':' ? past_blanks(at + 1) : NULL;
}

static inline bool scan_char(const char **at, char c)
{
	if (**at != c)
		return false;
	++*at;
	return true;
}

/* One of the signs that tables are drawn with, U+2500 to U+257F? */
static inline bool is_box_sign(const char *at)
{
	return at[0] == '\xe2' && (at[1] == '\x94' || at[1] == '\x95');
}

/* Nothing but white space left? */
static inline bool scan_end(const char *at)
{
	return !at[strspn(at, " \t\r\n")];
}
