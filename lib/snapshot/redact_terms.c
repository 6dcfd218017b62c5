// SPDX-License-Identifier: GPL-2.0-or-later
/* redact_terms.c - values of machines, devices and people, found inside other texts. */
#include "base/compat.h"
#include "snapshot/redact_internal.h"

enum { SHORT_NUMBER_DIGITS = 7 };

static bool is_word_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
	       (unsigned char)c >= 0x80;
}

static void add(struct arena *arena, struct terms *terms, const char *text, const char *pseudonym)
{
	terms->items = arena_grow(arena, terms->items, terms->nr, sizeof(*terms->items));
	terms->items[terms->nr++] = (struct term){
		.text = text, .len = strlen(text), .pseudonym = pseudonym,
		.is_short_number = strlen(text) <= SHORT_NUMBER_DIGITS && strspn(text, "0123456789") == strlen(text),
	};
}

static bool is_there(const struct terms *terms, const char *text)
{
	for (size_t i = 0; i < terms->nr; i++)
		if (!strcmp(terms->items[i].text, text))
			return true;
	return false;
}

void terms_add(struct arena *arena, struct terms *terms, const uint8_t *key, const char *text)
{
	if (!is_there(terms, text))
		add(arena, terms, text, pseudonym_of(arena, key, text));
}

void terms_add_path(struct arena *arena, struct terms *terms, const uint8_t *key, const char *path)
{
	if (!is_there(terms, path))
		add(arena, terms, path, redact_path(arena, key, path));
}

/* By first byte, and the longer before the shorter, which may be its beginning. */
static int compare_terms(const void *a, const void *b)
{
	const struct term *left = a, *right = b;
	int order = (unsigned char)left->text[0] - (unsigned char)right->text[0];

	if (order)
		return order;
	if (left->len != right->len)
		return left->len > right->len ? -1 : 1;
	return strcmp(left->text, right->text);
}

void terms_sort(struct terms *terms)
{
	size_t at = 0;

	if (terms->nr)
		qsort(terms->items, terms->nr, sizeof(*terms->items), compare_terms);
	for (unsigned c = 0; c <= 256; c++) {
		while (at < terms->nr && (unsigned char)terms->items[at].text[0] < c)
			at++;
		terms->first[c] = at;
	}
}

static bool is_path_part(const char *text, size_t at, size_t len)
{
	return at && text[at - 1] == '/' && (!text[at + len] || text[at + len] == '/');
}

/* The longest term that stands at this place as a whole word, or NULL. */
static const struct term *term_at(const struct terms *terms, const char *text, size_t at, bool is_free_text)
{
	unsigned char c = (unsigned char)text[at];

	for (size_t i = terms->first[c]; i < terms->first[c + 1]; i++) {
		const struct term *term = &terms->items[i];

		if (strncmp(text + at, term->text, term->len) != 0)
			continue;
		if (is_word_byte(text[at + term->len]) && is_word_byte(text[at + term->len - 1]))
			continue;
		if (!term->is_short_number || is_free_text || is_path_part(text, at, term->len))
			return term;
	}
	return NULL;
}

/* Replaces what begins at this place. How long that was: 0, nothing does. */
static size_t replace_at(struct arena *arena, const struct terms *terms, const uint8_t *key, const char *text,
			 size_t at, bool is_free_text, struct strbuf *out)
{
	const struct term *term;
	size_t len;

	if (at && is_word_byte(text[at - 1]) && is_word_byte(text[at]))
		return 0;
	term = term_at(terms, text, at, is_free_text);
	if (term) {
		strbuf_addstr(out, term->pseudonym);
		return term->len;
	}
	len = uuid_at(text + at);
	if (!len || is_word_byte(text[at + len]))
		return 0;
	strbuf_addstr(out, pseudonym_of(arena, key, arena_strndup(arena, text + at, len)));
	return len;
}

const char *terms_replace(struct arena *arena, const struct terms *terms, const uint8_t *key, const char *text,
			  bool is_free_text)
{
	STRBUF_AUTO out = STRBUF_INIT;
	bool any = false;

	for (size_t at = 0; text[at];) {
		size_t len = replace_at(arena, terms, key, text, at, is_free_text, &out);

		any |= len != 0;
		if (!len)
			strbuf_addch(&out, text[at++]);
		at += len;
	}
	return any ? arena_strdup(arena, out.buf) : text;
}
