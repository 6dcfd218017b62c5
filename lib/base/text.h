/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text.h - reading small texts: numbers, lists, addresses, stamps. Pure.
 *
 * Parsers take the whole text or nothing: 0, or -EINVAL (form), -ERANGE
 * (does not fit); *ret is untouched on failure. White space at the end is
 * allowed, as sysfs ends its values with a line feed.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"

/* Decimal, or hexadecimal after 0x. No sign. */
int parse_u64(const char *text, uint64_t *ret) MUST_CHECK;

/* A decimal number such as "0.35" in C notation, whatever the locale; finite. */
int parse_f64(const char *text, double *ret) MUST_CHECK;

/* A time as people write it: "90" and "1.5s" in seconds, "500ms", "2m", "1h". No white space. */
int parse_duration_ms(const char *text, uint64_t *ret_ms) MUST_CHECK;

/*
 * A PCIe link speed as sysfs words it, in million transfers per second:
 * "16.0 GT/s PCIe" and the older "8 GT/s" (K7.2 drivers/pci/probe.c;
 * kernels up to 5.6). -EINVAL for "Unknown" and anything else.
 */
int parse_link_speed(const char *text, uint64_t *ret_mtps) MUST_CHECK;

/* Of PCIe generation 1, 2, 3 …, in million transfers per second; 0: none that is known. */
uint64_t link_generation_mtps(uint64_t generation);

/* A PCI address with a domain of up to 32 bits: "0000:5d:00.0", "10000:e1:00.0". */
struct pci_address {
	uint32_t domain;
	uint8_t bus, device, function;
};
int parse_pci_address(const char *text, struct pci_address *ret) MUST_CHECK;
int pci_address_compare(const struct pci_address *a, const struct pci_address *b);

/* The order of keys in lists: whole numbers by value, then PCI addresses by place, then texts by byte. */
int key_compare(const char *a, const char *b);

/*
 * A kernel list of CPUs or nodes, "0-3,8,10-11": calls nothing back, answers
 * questions. count: how many; overlap and within compare two lists.
 * Numbers up to 2^20 are understood. -EINVAL on a malformed list; an empty
 * list is well formed.
 */
int cpulist_count(const char *list, uint64_t *ret) MUST_CHECK;
/* The same numbers in as few ranges as they have: "0-127,128-255" is "0-255". Nothing is added on an error. */
int cpulist_join(const char *list, struct strbuf *out) MUST_CHECK;
/* The list of a mask in hexadecimal words of 32 bits, the highest first: "ff,00000000" is "32-39". */
int cpulist_of_mask(const char *mask, struct strbuf *out) MUST_CHECK;
int cpulist_overlap(const char *a, const char *b, bool *ret) MUST_CHECK;	/* is any of a in b? */

bool text_begins(const char *text, const char *beginning);

/* Is it one of these; does it begin with one of them; is one of them in it? */
bool text_is_any(const char *text, const char *const *words, size_t nr);
/* The same of a word of that length within a text, in either case of ASCII letters. */
bool text_word_is_any(const char *word, size_t len, const char *const *words, size_t nr);
bool text_begins_any(const char *text, const char *const *beginnings, size_t nr);
bool text_has_any(const char *text, const char *const *parts, size_t nr);
/* As text_is_any(), of words that end with NULL. */
bool text_is_among(const char *text, const char *const *words);
/*
 * Has it one of several between bars, "ecc|xid", at the beginning of a word, in any case? A number at its end is whole.
 */
bool text_has_word_of(const char *text, const char *words);

/*
 * Where in text the first of many words stands, of nr rows (2048 at most) that lie `stride` bytes apart and of which
 * *words is the first one's, each of two bytes or more; NULL: none. The rows are a table that never changes: what was
 * made of it is kept for the next text. In one pass, as strstr() prepares itself anew for each long word of each line.
 * any_case: of ASCII letters.
 */
const char *text_find_row(const char *text, const char *const *words, size_t stride, size_t nr, bool any_case,
			  size_t *ret_row);

/*
 * How much of valid UTF-8 of more than len bytes, or of just so many and a NUL, may be kept so that no character is
 * cut.
 */
size_t utf8_floor(const char *text, size_t len);
/* Valid UTF-8 without NUL? */
bool utf8_valid(const char *text, size_t len);
/* Adds text with every byte that is not UTF-8 replaced by U+FFFD, NUL too. */
void utf8_clean(struct strbuf *out, const char *text, size_t len);
/* Takes the character that text begins with, which is valid UTF-8. */
uint32_t utf8_take(const char **text);
/* Adds a character by its number, which must be one. */
void utf8_add(struct strbuf *out, uint32_t character);
/* Is it invisible, or does it turn the direction of what follows? A line could read as what it does not say. */
bool utf8_is_deceptive(uint32_t character);
/* How many columns a terminal uses for text: code points, combining and wide forms not considered. */
size_t utf8_columns(const char *text);

/* Seconds and milliseconds since the epoch as RFC 3339 UTC: "2026-11-20T15:02:07.123Z". */
void format_rfc3339(int64_t seconds, unsigned milliseconds, char buf[32]);
/* The seconds of what format_rfc3339() writes; its fraction is left out. */
int parse_rfc3339(const char *text, int64_t *ret_s) MUST_CHECK;

/* Does the whole text match a pattern in which * is any text and ? any one byte? Case counts. */
bool glob_match(const char *pattern, const char *text);

/*
 * 1 to 12 by the three letters of an English month that a text begins with, in any case, or by a German one as `date`
 * has it ("Mai", "Okt", "Dez"); 0: they are none.
 */
unsigned month_by_name(const char *text);

/*
 * Versions, "550.54.14": numbers between points, compared one by one, so that 580.159 is newer than 580.65. A part
 * that is missing or begins with no digit is 0.
 */
int version_compare(const char *a, const char *b);
/* Nothing but numbers and points between them? */
bool version_valid(const char *text);

/* The word for so many: "node" of 1, and "nodes" of any other number. */
static inline const char *plural(uint64_t nr, const char *one, const char *many)
{
	return nr == 1 ? one : many;
}

/* The word among nr candidates nearest to a mistyped one, or NULL when none is near enough to suggest. */
const char *nearest_word(const char *mistyped, const char *const *candidates, size_t nr);
