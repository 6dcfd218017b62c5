// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/judge/template.h"

#include "base/text.h"
#include "base/text_scan.h"

#define PLAIN "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:@%+=,-"

/* The evidence of that name noted last: a check that walks hops means the one it stopped at. */
static const struct evidence *find_evidence(const struct evidence_list *list, const char *name, size_t len)
{
	for (size_t i = list->nr; i-- > 0;) {
		const struct evidence *evidence = &list->items[i];

		if (strlen(evidence->field->name) == len && !memcmp(evidence->field->name, name, len))
			return evidence;
	}
	return NULL;
}

/* What it is called in a sentence about several subjects, where that is something else: evidence "when.many". */
static const struct evidence *find_many(const struct evidence_list *list, const char *place, size_t len)
{
	char name[64];

	snprintf(name, sizeof(name), "%.*s.many", (int)len, place);
	return find_evidence(list, name, strlen(name));
}

static bool fill_evidence(struct strbuf *out, const char *place, size_t len, const struct template_context *context)
{
	static const char expected[] = ".expected";
	size_t suffix = strlen(expected);
	bool wants_expected = len > suffix && !memcmp(place + len - suffix, expected, suffix);
	const struct evidence *evidence;
	const union any_value *value;

	evidence = context->many ? find_many(&context->evidence, place, len) : NULL;
	if (!evidence)
		evidence = find_evidence(&context->evidence, place, wants_expected ? len - suffix : len);
	if (!evidence)
		return false;
	value = wants_expected ? &evidence->expected : &evidence->observed;
	if (value->head.state != VAL_OK)
		return false;
	value_format(out, evidence->field, value);
	return true;
}

/* "1 error", "5 errors": the value, and the word that goes with it. */
static bool fill_counted(struct strbuf *out, const char *place, const char *bar, const char *second, const char *end,
			 const struct template_context *context)
{
	size_t before = out->len;

	if (!fill_evidence(out, place, (size_t)(bar - place), context))
		return false;
	if (strcmp(out->buf + before, "1") != 0) {
		bar = second;
		second = end;
	}
	strbuf_addch(out, ' ');
	strbuf_add(out, bar + 1, (size_t)(second - bar - 1));
	return true;
}

static bool is_phrase(const struct evidence_list *list, const char *name, size_t len)
{
	const struct evidence *evidence = find_evidence(list, name, len);

	return evidence && evidence->is_phrase;
}

bool template_is_plain(const char *text)
{
	return *text && strspn(text, PLAIN) == strlen(text);
}

static bool fill_any_place(struct strbuf *out, const char *place, size_t len, const struct template_context *context)
{
	const char *bar = memchr(place, '|', len), *end = place + len, *second;
	const struct subject *subject = context->subject;

	if (bar) {
		second = memchr(bar + 1, '|', (size_t)(end - bar - 1));
		if (second)
			return fill_counted(out, place, bar, second, end, context);
		if (context->many)
			strbuf_add(out, bar + 1, (size_t)(end - bar - 1));
		else
			strbuf_add(out, place, (size_t)(bar - place));
		return true;
	}
	if (len == strlen("gpu") && !memcmp(place, "gpu", len)) {
		strbuf_addstr(out, subject->name);
		return true;
	}
	/* The subject's, unless the check has words of its own for it. */
	if (len == strlen("address") && !memcmp(place, "address", len) && subject->address &&
	    !is_phrase(&context->evidence, place, len)) {
		strbuf_addstr(out, subject->address);
		return true;
	}
	return fill_evidence(out, place, len, context);
}

/* As template_is_plain(), of words parted by one blank each. */
static bool are_plain_words(const char *text)
{
	size_t len = strlen(text);

	for (size_t i = 0; i < len; i++)
		if (text[i] == ' ' && (!i || text[i + 1] == ' ' || !text[i + 1]))
			return false;
	return len && strspn(text, PLAIN " ") == len;
}

/*
 * A GPU of a dump that tells no address is "gpu3" or "gpu?". Vendors' tools take the number; a search for lines of a
 * log goes by a word that they have. Nothing else has such a name.
 */
static bool settle_number(struct strbuf *out, size_t before)
{
	const char *key = out->buf + before;
	bool has_number = is_digit(key[3]);

	if (!text_begins(key, "gpu") || (!has_number && strcmp(key, "gpu?") != 0))
		return true;
	if (before > 3 && has_number &&
	    (!strncmp(out->buf + before - 3, "-i ", 3) || !strncmp(out->buf + before - 3, "-g ", 3))) {
		memmove(out->buf + before, key + 3, out->len - before - 3 + 1);
		strbuf_setlen(out, out->len - 3);
		return true;
	}
	if (!before || !strchr("'|", out->buf[before - 1]))
		return false;
	strbuf_setlen(out, before + 3);
	return true;
}

/* "address", "nvidia_address", "amd_number" */
static bool may_be_number(const char *place, size_t len)
{
	return (len >= 7 && !memcmp(place + len - 7, "address", 7)) || (len == 10 && !memcmp(place, "amd_number", 10));
}

static bool fill_place(struct strbuf *out, const char *place, size_t len, const struct template_context *context)
{
	bool may_be_list = len && place[len - 1] == '*';
	size_t before = out->len;

	if (!fill_any_place(out, place, len - may_be_list, context))
		return false;
	if (context->is_command && may_be_number(place, len) && !settle_number(out, before)) {
		strbuf_setlen(out, before);
		return false;
	}
	if (!context->is_command || template_is_plain(out->buf + before) ||
	    (may_be_list && are_plain_words(out->buf + before)))
		return true;
	strbuf_setlen(out, before);
	return false;
}

unsigned template_fill(struct strbuf *out, const char *template, const struct template_context *context)
{
	unsigned unfilled = 0;
	const char *place;
	size_t len;

	while ((place = strbuf_add_to_place(out, &template, &len))) {
		if (!fill_place(out, place, len, context)) {
			strbuf_addf(out, "{%.*s}", (int)len, place);
			unfilled++;
		}
	}
	return unfilled;
}

const char *template_text(struct arena *arena, const char *template, const struct template_context *context,
			  unsigned *unfilled)
{
	STRBUF_AUTO text = STRBUF_INIT;

	*unfilled += template_fill(&text, template, context);
	return arena_strdup(arena, text.buf);
}
