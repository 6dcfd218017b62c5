// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/words/xid_claim.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/dump/readers.h"
#include "import/words/claim.h"
#include "import/words/sentence.h"
#include "klog/catalogue.h"
#include "klog/span.h"

enum {
	MOST_DIGITS = 3,
	MOST_WORDS = 8,		/* in a line: what has more is no sentence */
};

/* ---- the words */

/* Past what may stand between the word and its number: "Xid errors: 79", "Xid #79". */
static const char *past_separators(const char *at)
{
	static const char *const words[] = { "errors", "error", "codes", "code", "events", "event", "no.", "number" };
	bool goes_on = true;

	while (goes_on) {
		size_t row = 0;

		at += strspn(at, " :#`*");
		while (row < ARRAY_SIZE(words) && strncasecmp(at, words[row], strlen(words[row])) != 0)
			row++;
		goes_on = row < ARRAY_SIZE(words);
		at += goes_on ? strlen(words[row]) : 0;
	}
	return at;
}

/* A number that the catalogue has, also with one of NVIDIA's below it: 144.0. */
static bool take_number(const char **at, uint64_t *ret)
{
	const char *end = *at;
	bool fits = true;

	if (!scan_u64(&end, 10, ret, &fits) || !fits || end - *at > MOST_DIGITS ||
	    klog_xid_row(*ret) == KLOG_ROW_XID_OTHER)
		return false;
	if (*end == '.' && is_digit(end[1]))
		end += 1 + strspn(end + 1, "0123456789");
	if (is_letter_or_digit(*end) || *end == '_' || *end == '%')
		return false;
	*at = end;
	return true;
}

/* Words that follow a number say of what it is one: "Xid 79, 8 GPUs". */
static bool is_end_of_number(const char *at)
{
	static const char *const verbs[] = { " and ", " error", " are ", " were ", " is ", " was ", " in ", " on ",
					     " at " };

	at += strspn(at, "`*");
	return !*past_blanks(at) || strchr(").,;:/&(-", *past_blanks(at)) || (unsigned char)*at >= 0x80 ||
	       text_begins_any(at, verbs, ARRAY_SIZE(verbs));
}

/* "/ 171", ", 94", "and 154", behind a number. */
static bool take_next(const char **at, uint64_t *ret)
{
	static const char *const joints[] = { "/", ", and ", ",", "and ", "& ", "、", "和", "及", "与" };
	const char *next = past_blanks(*at + strspn(*at, "`*"));

	for (size_t i = 0; i < ARRAY_SIZE(joints); i++) {
		const char *number;

		if (!text_begins(next, joints[i]))
			continue;
		number = past_blanks(next + strlen(joints[i]));
		if (!take_number(&number, ret) || !is_end_of_number(number))
			return false;
		*at = number;
		return true;
	}
	return false;
}

/* Behind the word where it stands alone, or NULL: paths and names of variables have it too. */
static const char *past_word(const char *text, const char *at)
{
	if (at > text && (is_letter_or_digit(at[-1]) || strchr("_-./#@\"='", at[-1])))
		return NULL;
	at += strlen("xid");
	return *at == 's' ? at + 1 : at;
}

/* ---- a line's claims */

struct claims {
	const char *text, *at;		/* what was not looked at */
	size_t nr_words;
	uint64_t xid;
	struct span sentence;
	bool is_open;			/* numbers may follow in a list */
};

static bool next_word(struct claims *claims)
{
	for (const char *at = claims->at; claims->nr_words < MOST_WORDS && (at = strcasestr(at, "xid")); at++) {
		const char *behind = past_word(claims->text, at);

		behind = behind ? past_separators(behind) : NULL;
		if (!behind || !take_number(&behind, &claims->xid))
			continue;
		claims->nr_words++;
		claims->sentence = sentence_of(span_of(claims->text), at);
		if (!claim_is_made(&claims->sentence, at, behind))
			continue;
		claims->at = behind;
		claims->is_open = true;
		return true;
	}
	return false;
}

static bool next_claim(struct claims *claims)
{
	if (claims->is_open && take_next(&claims->at, &claims->xid))
		return true;
	claims->is_open = false;
	return next_word(claims);
}

bool xid_claim_is_in(const char *text)
{
	struct claims claims = { .text = text, .at = text };

	return claim_is_prose(text) && next_claim(&claims);
}

/* ---- into the snapshot */

static const char *address_in(struct arena *arena, const struct span *sentence)
{
	char address[PCI_TEXT_BYTES];

	for (const char *at = sentence->at; at < sentence->end; at++) {
		struct span span = { at, sentence->end };

		if ((at == sentence->at || hex_digit(at[-1]) < 0) && span_take_pci(&span, address))
			return arena_strdup(arena, address);
	}
	return NULL;
}

static void put_claim(struct reading *reading, struct dump_line *line, const struct claims *claims)
{
	const char *key = arena_printf(reading->arena, "%llu", (unsigned long long)claims->xid);
	struct xid_claim *to = list_element(reading->arena, reading->snapshot, xid_claims, xid_claim, key);
	const char *address = address_in(reading->arena, &claims->sentence);

	put(reading, line, to->lines, val_u64(u64_or(to->lines, 0) + 1));
	if (address && !is_known(to->gpu))
		put(reading, line, to->gpu, val_str(address));
}

void xid_claim_read(struct reading *reading, struct dump_line *line)
{
	struct claims claims = { .text = line->text, .at = line->text };

	while (claim_is_prose(line->text) && next_claim(&claims))
		put_claim(reading, line, &claims);
}

size_t xid_claim_numbers(const char *text, uint64_t *numbers, size_t nr, size_t most)
{
	struct claims claims = { .text = text, .at = text };

	while (nr < most && next_claim(&claims)) {
		size_t i = 0;

		while (i < nr && numbers[i] != claims.xid)
			i++;
		if (i == nr)
			numbers[nr++] = claims.xid;
	}
	return nr;
}
