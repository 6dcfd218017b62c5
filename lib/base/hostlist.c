// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/hostlist.h"

#include <errno.h>
#include <stdlib.h>

#include "base/text_scan.h"

/* ---- out of a list */

struct expansion {
	void (*add)(void *to, const char *name);
	void *to;
	size_t nr;
	char name[HOSTLIST_MAX_NAME_BYTES + 1];
	const char *why;
};

static int wrong(struct expansion *x, const char *why)
{
	x->why = why;
	return -EINVAL;
}

/* Digits at *at: their value and how many they are. */
static bool take_number(const char **at, const char *end, unsigned long *ret, int *ret_digits)
{
	const char *start = *at;

	*ret = 0;
	while (*at < end && is_digit(**at) && *at - start < 10)
		*ret = *ret * 10 + (unsigned long)(*(*at)++ - '0');
	*ret_digits = (int)(*at - start);
	return *ret_digits > 0;
}

static int expand_part(struct expansion *x, size_t len, const char *at, const char *end);

/* What stands between brackets, "001-128,130", each with what follows them. */
static int expand_ranges(struct expansion *x, size_t len, const char *at, const char *close, const char *end)
{
	unsigned long first, last;
	int digits, last_digits;

	for (;; at++) {
		if (!take_number(&at, close, &first, &digits))
			return wrong(x, "a number is expected in brackets");
		last = first;
		if (at < close && *at == '-' && (at++, !take_number(&at, close, &last, &last_digits)))
			return wrong(x, "a number is expected behind \"-\"");
		if (at < close && *at != ',')
			return wrong(x, "numbers of at most 10 digits, \"-\" and \",\" are expected in brackets");
		if (last < first)
			return wrong(x, "a range ends before it begins");
		if (last - first >= HOSTLIST_MAX_NAMES)
			return wrong(x, "more than 1048576 names");
		for (unsigned long number = first; number <= last; number++) {
			int more = snprintf(x->name + len, sizeof(x->name) - len, "%0*lu", digits, number);
			int result;

			if (len + (size_t)more >= sizeof(x->name))
				return wrong(x, "a name is longer than 255 characters");
			result = expand_part(x, len + (size_t)more, close + 1, end);
			if (result)
				return result;
		}
		if (at == close)
			return 0;
	}
}

/* The rest of one name behind what x->name has of it; recurses for each pair of brackets. */
static int expand_part(struct expansion *x, size_t len, const char *at, const char *end)
{
	while (at < end && *at != '[') {
		if (*at == ']')
			return wrong(x, "\"]\" without \"[\"");
		if (len == HOSTLIST_MAX_NAME_BYTES)
			return wrong(x, "a name is longer than 255 characters");
		x->name[len++] = *at++;
	}
	if (at < end) {
		const char *close = memchr(at, ']', (size_t)(end - at));

		return close ? expand_ranges(x, len, at + 1, close, end) : wrong(x, "\"[\" without \"]\"");
	}
	x->name[len] = '\0';
	if (x->nr++ == HOSTLIST_MAX_NAMES)
		return wrong(x, "more than 1048576 names");
	x->add(x->to, x->name);
	return 0;
}

/* Where the part at `at` ends: at a comma or white space outside of brackets. */
static const char *end_of_part(const char *at)
{
	bool inside = false;

	for (; *at && (inside || !strchr(", \t\r\n", *at)); at++)
		inside = *at == '[' || (inside && *at != ']');
	return at;
}

int hostlist_expand(const char *list, void (*add)(void *to, const char *name), void *to, const char **ret_why)
{
	struct expansion x = { .add = add, .to = to };

	for (const char *at = list, *end; *(at += strspn(at, ", \t\r\n")); at = end) {
		end = end_of_part(at);
		if (expand_part(&x, 0, at, end) < 0) {
			*ret_why = x.why;
			return -EINVAL;
		}
	}
	return 0;
}

/* ---- into a list */

/* The last number of a name: where it begins, and behind it. */
struct last_number {
	size_t start, end;
	unsigned long value;
};

static bool find_last_number(const char *name, struct last_number *ret)
{
	size_t end = strlen(name), start;

	while (end && !is_digit(name[end - 1]))
		end--;
	for (start = end; start && is_digit(name[start - 1]) && end - start < 9;)
		start--;
	*ret = (struct last_number){ start, end, strtoul(name + start, NULL, 10) };
	return end > start;
}

/* Do two names differ in their last number alone, and may it stand in one pair of brackets? */
static bool go_together(const char *a, const struct last_number *in_a, const char *b, const struct last_number *in_b)
{
	bool has_zeros = a[in_a->start] == '0' || b[in_b->start] == '0';

	return in_a->start == in_b->start && !strncmp(a, b, in_a->start) && !strcmp(a + in_a->end, b + in_b->end) &&
	       (!has_zeros || in_a->end == in_b->end);
}

/* A run of names that go together, from names[at]; behind its last one. */
static size_t fold_run(const char *const *names, size_t at, size_t nr, struct strbuf *out)
{
	struct last_number first, number, next;
	const char *separator = "[";
	size_t start = at, end;

	find_last_number(names[at], &first);
	strbuf_add(out, names[at], first.start);
	do {
		find_last_number(names[at], &number);
		for (end = at + 1, next = number; end < nr; end++) {
			struct last_number candidate;

			if (!find_last_number(names[end], &candidate) ||
			    !go_together(names[at], &number, names[end], &candidate) ||
			    candidate.value > next.value + 1)
				break;
			next = candidate;
		}
		strbuf_addstr(out, separator);
		strbuf_add(out, names[at] + number.start, number.end - number.start);
		if (next.value > number.value)
			strbuf_addf(out, "-%.*s", (int)(next.end - next.start), names[end - 1] + next.start);
		separator = ",";
		at = end;
	} while (at < nr && find_last_number(names[at], &next) && go_together(names[start], &first, names[at], &next));
	strbuf_addf(out, "]%s", names[start] + first.end);
	return at;
}

void hostlist_fold(const char *const *names, size_t nr, struct strbuf *out)
{
	for (size_t i = 0; i < nr;) {
		struct last_number here, next;

		if (i)
			strbuf_addch(out, ',');
		if (i + 1 < nr && find_last_number(names[i], &here) && find_last_number(names[i + 1], &next) &&
		    go_together(names[i], &here, names[i + 1], &next)) {
			i = fold_run(names, i, nr, out);
		} else {
			strbuf_addstr(out, names[i]);
			i++;
		}
	}
}

/* ---- order */

int text_compare_natural(const char *a, const char *b)
{
	for (; *a && *b; a++, b++) {
		size_t a_digits = strspn(a, "0123456789"), b_digits = strspn(b, "0123456789");
		const char *a_end = a + a_digits, *b_end = b + b_digits;
		const char *a_start = a, *b_start = b;

		if (!a_digits || !b_digits) {
			if (*a != *b)
				break;
			continue;
		}
		while (a_end - a > 1 && *a == '0')
			a++;
		while (b_end - b > 1 && *b == '0')
			b++;
		if (a_end - a != b_end - b)
			return a_end - a < b_end - b ? -1 : 1;
		for (; a < a_end; a++, b++)
			if (*a != *b)
				return *a < *b ? -1 : 1;
		/* "n1" and "n01" are two nodes. */
		if (a_digits != b_digits)
			return a_end - a_start < b_end - b_start ? -1 : 1;
		a--;
		b--;
	}
	return (*(const unsigned char *)a > *(const unsigned char *)b) -
	       (*(const unsigned char *)a < *(const unsigned char *)b);
}

static int compare_names(const void *a, const void *b)
{
	return text_compare_natural(*(const char *const *)a, *(const char *const *)b);
}

void text_sort_natural(const char **names, size_t nr)
{
	if (nr)
		qsort(names, nr, sizeof(*names), compare_names);
}
