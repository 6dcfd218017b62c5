// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/policy/pins.h"

#include "base/strbuf.h"
#include "base/text.h"

/* A range says two things as a rule; a bound on them keeps hostile files cheap. */
enum { MAX_BOUNDS = 8 };

/* One sign and its version. */
struct bound {
	bool less, greater, equal;	/* what may be, of a version beside it */
	struct strbuf version;
};

/* The next one of a range, or NULL where what stands there is none. *at is moved on. */
static bool take_bound(const char **at, struct bound *ret)
{
	const char *text = *at + strspn(*at, " ");

	ret->less = *text == '<';
	ret->greater = *text == '>';
	text += ret->less || ret->greater;
	ret->equal = *text == '=';
	text += ret->equal;
	if (!ret->less && !ret->greater && !ret->equal)
		return false;
	text += strspn(text, " ");
	strbuf_reset(&ret->version);
	strbuf_add(&ret->version, text, strcspn(text, " <>="));
	text += ret->version.len;
	*at = text + strspn(text, " ");
	return version_valid(ret->version.buf);
}

bool pin_is_range(const char *pin)
{
	return *pin && strchr("<>=", pin[strspn(pin, " ")]);
}

static bool is_within(const struct bound *bound, const char *version)
{
	int order = version_compare(version, bound->version.buf);

	return (order < 0 && bound->less) || (order > 0 && bound->greater) || (!order && bound->equal);
}

bool pin_met(const char *pin, const char *version)
{
	struct bound bound = { .version = STRBUF_INIT };
	bool met = *version >= '0' && *version <= '9';

	if (!pin_is_range(pin))
		return glob_match(pin, version);
	while (met && *pin)
		met = take_bound(&pin, &bound) && is_within(&bound, version);
	strbuf_release(&bound.version);
	return met;
}

/*
 * Is there a version within two bounds? One from below and one from above leave
 * room between them, or at their place where both have it.
 */
static bool leave_room(const struct bound *a, const struct bound *b)
{
	int order = version_compare(a->version.buf, b->version.buf);

	if (!order)
		return (a->equal && b->equal) || (a->less && b->less) || (a->greater && b->greater);
	return order < 0 ? a->greater || b->less : a->less || b->greater;
}

/* Bounds on a line have a place in common where each two of them have. */
static bool is_empty(const char *pin)
{
	struct bound a = { .version = STRBUF_INIT }, b = { .version = STRBUF_INIT };
	bool empty = false;

	for (const char *from = pin; *from && !empty && take_bound(&from, &a);)
		for (const char *at = from; *at && !empty && take_bound(&at, &b);)
			empty = !leave_room(&a, &b);
	strbuf_release(&a.version);
	strbuf_release(&b.version);
	return empty;
}

enum pin_fault pin_fault(const char *pin)
{
	struct bound bound = { .version = STRBUF_INIT };
	bool is_sound = true;
	size_t nr = 0;

	if (!pin_is_range(pin))
		return PIN_IN_ORDER;
	for (const char *at = pin; *at && is_sound;)
		is_sound = nr++ < MAX_BOUNDS && take_bound(&at, &bound);
	strbuf_release(&bound.version);
	if (!is_sound)
		return PIN_NO_RANGE;
	return is_empty(pin) ? PIN_EMPTY : PIN_IN_ORDER;
}

static bool range_is_below(const char *pin, const char *version)
{
	struct bound bound = { .version = STRBUF_INIT };
	bool below = false;

	while (*pin && !below && take_bound(&pin, &bound)) {
		int order = version_compare(bound.version.buf, version);

		below = !bound.greater && (order < 0 || (!order && !bound.equal));
	}
	strbuf_release(&bound.version);
	return below;
}

/* "550.54.*": what is before the first wildcard decides where it is older by itself, at a whole number. */
static bool pattern_is_below(const char *pattern, const char *version)
{
	size_t whole = strcspn(pattern, "*?");
	STRBUF_AUTO begins = STRBUF_INIT;
	STRBUF_AUTO other = STRBUF_INIT;
	size_t parts = 1, len;

	while (pattern[whole] && whole && pattern[whole - 1] != '.')
		whole--;
	strbuf_add(&begins, pattern, pattern[whole] && whole ? whole - 1 : whole);
	if (!version_valid(begins.buf))
		return false;
	/* As many numbers of the other: those that follow may be any. */
	for (const char *at = begins.buf; *at; at++)
		parts += *at == '.';
	for (len = 0; version[len] && (version[len] != '.' || --parts); len++)
		;
	strbuf_add(&other, version, pattern[whole] ? len : strlen(version));
	return version_compare(begins.buf, other.buf) < 0;
}

bool pin_is_below(const char *pin, const char *version)
{
	return pin_is_range(pin) ? range_is_below(pin, version) : pattern_is_below(pin, version);
}
