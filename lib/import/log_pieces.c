// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * log_pieces.c - a line of a paste that holds more than one of the log's: its line feeds were lost on the way, or a sentence
 * quotes a line. Only what can hardly be anything else begins one.
 */
#include "base/compat.h"
#include "import/log_pieces.h"

#include "base/text_scan.h"

enum { SHORTEST = 24 };	/* of what is said between two stamps: two of them beside each other are of one line */

/* "[ 1234.567890] " */
static bool is_stamp(const char *text)
{
	const char *at = text + 1 + strspn(text + 1, " ");
	size_t seconds = strspn(at, "0123456789"), digits;

	if (*text != '[' || !seconds || at[seconds] != '.')
		return false;
	at += seconds + 1;
	digits = strspn(at, "0123456789");
	return digits == 6 && at[digits] == ']' && at[digits + 1] == ' ';
}

static const char *next_stamp(const char *text)
{
	const char *last = NULL;

	for (const char *at = strchr(text, '['); at; at = strchr(at + 1, '[')) {
		if (!is_stamp(at))
			continue;
		if (last && at - last >= SHORTEST && at[-1] == ' ')
			return at;
		last = at;
	}
	return NULL;
}

/* Where the word that ends before `at` begins, behind the blanks before `at`. */
static const char *word_before(const char *text, const char *at)
{
	while (at > text && at[-1] == ' ')
		at--;
	while (at > text && at[-1] != ' ')
		at--;
	return at;
}

/* "2026-01-02T03:04:05+0000 node kernel: ", "Nov  4 12:00:01 node kernel: ", of the last of these words. */
static const char *start_of_prefix(const char *text, const char *kernel)
{
	const char *host = word_before(text, kernel), *time = word_before(text, host);

	if (memchr(time, 'T', (size_t)(host - time)))
		return time;
	return is_digit(*time) && memchr(time, ':', (size_t)(host - time)) ? word_before(text, word_before(text, time)) : NULL;
}

static const char *next_kernel(const char *text)
{
	const char *first = strstr(text, " kernel: "), *next = first ? strstr(first + 1, " kernel: ") : NULL;
	const char *start = next ? start_of_prefix(text, next) : NULL;

	return start && start > first ? start : NULL;
}

/* "I get `NVRM: Xid (PCI:0000:01:00): 79, …` after an hour". Without the mark it may be a command, a rule, a test. */
static const char *quoted_xid(const char *text)
{
	const char *mark = strstr(text + 1, "`NVRM: Xid (PCI:");

	return mark && mark[-1] != '`' ? mark + 1 : NULL;
}

const char *log_next_piece(const char *text)
{
	const char *next;

	if (!*text)
		return NULL;
	next = next_stamp(text);
	if (!next)
		next = next_kernel(text);
	return next ? next : quoted_xid(text);
}
