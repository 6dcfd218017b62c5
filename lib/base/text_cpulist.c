// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/text.h"

#include <errno.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "base/text_scan.h"

/* Far above any kernel's NR_CPUS: what is larger is not a list of CPUs. */
#define MAX_NUMBER ((uint64_t)1 << 20)

struct range {
	uint64_t first, last;
};

/* A list as ranges that are sorted, and neither overlap nor touch: each number is in one, each run is one. */
struct ranges {
	struct range *at;
	size_t nr;
};

static void ranges_release(struct ranges *ranges)
{
	free(ranges->at);
}

static int compare_ranges(const void *a, const void *b)
{
	const struct range *left = a, *right = b;

	return (left->first > right->first) - (left->first < right->first);
}

/* "3" or "0-3". */
static int scan_range(const char **at, struct range *ret)
{
	bool fits = true;

	if (!scan_u64(at, 10, &ret->first, &fits))
		return -EINVAL;
	ret->last = ret->first;
	if (scan_char(at, '-') && !scan_u64(at, 10, &ret->last, &fits))
		return -EINVAL;
	if (!fits || ret->first > MAX_NUMBER || ret->last > MAX_NUMBER)
		return -ERANGE;
	return ret->first <= ret->last ? 0 : -EINVAL;
}

/* Sorts, and joins what overlaps or touches. */
static void normalise(struct ranges *ranges)
{
	struct range *last = ranges->at;	/* the one that grows */

	qsort(ranges->at, ranges->nr, sizeof(*ranges->at), compare_ranges);
	for (size_t i = 1; i < ranges->nr; i++) {
		const struct range *next = &ranges->at[i];

		if (next->first > last->last + 1)
			*++last = *next;
		else if (next->last > last->last)
			last->last = next->last;
	}
	ranges->nr = (size_t)(last - ranges->at) + 1;
}

static size_t nr_commas(const char *text)
{
	size_t nr = 0;

	for (text = strchr(text, ','); text; text = strchr(text + 1, ','))
		nr++;
	return nr;
}

/* The caller ends with ranges_release(), also after an error. */
static int ranges_parse(const char *list, struct ranges *ret)
{
	const char *at = list;
	int result = 0, error;

	*ret = (struct ranges){ 0 };
	if (scan_end(at))
		return 0;
	ret->at = xcalloc(nr_commas(list) + 1, sizeof(*ret->at));
	do {
		error = scan_range(&at, &ret->at[ret->nr++]);
		if (error == -EINVAL)
			return error;
		if (error)
			result = error;		/* unless the form turns out to be wrong */
	} while (scan_char(&at, ','));
	if (!scan_end(at))
		return -EINVAL;
	if (!result)
		normalise(ret);
	return result;
}

int cpulist_count(const char *list, uint64_t *ret)
{
	__attribute__((cleanup(ranges_release))) struct ranges ranges;
	int error = ranges_parse(list, &ranges);
	uint64_t count = 0;

	if (error)
		return error;
	for (size_t i = 0; i < ranges.nr; i++)
		count += ranges.at[i].last - ranges.at[i].first + 1;
	*ret = count;
	return 0;
}

int cpulist_join(const char *list, struct strbuf *out)
{
	__attribute__((cleanup(ranges_release))) struct ranges ranges;
	int error = ranges_parse(list, &ranges);

	if (error)
		return error;
	for (size_t i = 0; i < ranges.nr; i++) {
		strbuf_addf(out, "%s%llu", i ? "," : "", (unsigned long long)ranges.at[i].first);
		if (ranges.at[i].last > ranges.at[i].first)
			strbuf_addf(out, "-%llu", (unsigned long long)ranges.at[i].last);
	}
	return 0;
}

/* How many bits a mask has, all its words' digits counted; 0: it is none. */
static uint64_t mask_bits(const char *mask, size_t len)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < len; i++) {
		if (mask[i] == ',')
			continue;
		if (!strchr("0123456789abcdefABCDEF", mask[i]))
			return 0;
		bits += 4;
	}
	return bits > MAX_NUMBER ? 0 : bits;
}

int cpulist_of_mask(const char *mask, struct strbuf *out)
{
	size_t len = strcspn(mask, "\n"), had = out->len;
	uint64_t bit = 0, first = 0, bits = mask_bits(mask, len);
	bool is_run = false;

	if (!bits)
		return -EINVAL;
	/* One bit more, which is not set, ends the last run. */
	for (size_t i = len; bit <= bits; bit++) {
		unsigned digit = 0;

		while (i > 0 && mask[i - 1] == ',')
			i--;
		if (i > 0)
			digit = (unsigned)(strchr("0123456789abcdef", mask[i - 1] | 0x20) - "0123456789abcdef");
		if (digit >> bit % 4 & 1) {
			first = is_run ? first : bit;
			is_run = true;
		} else if (is_run) {
			strbuf_addf(out, "%s%llu", out->len > had ? "," : "", (unsigned long long)first);
			if (bit - 1 > first)
				strbuf_addf(out, "-%llu", (unsigned long long)(bit - 1));
			is_run = false;
		}
		i -= bit % 4 == 3 && i > 0;
	}
	return 0;
}

int cpulist_overlap(const char *a, const char *b, bool *ret)
{
	__attribute__((cleanup(ranges_release))) struct ranges left;
	__attribute__((cleanup(ranges_release))) struct ranges right;
	int left_error = ranges_parse(a, &left);
	int right_error = ranges_parse(b, &right);
	size_t i = 0, j = 0;

	if (left_error == -EINVAL || right_error == -EINVAL)
		return -EINVAL;
	if (left_error || right_error)
		return -ERANGE;
	while (i < left.nr && j < right.nr &&
	       (left.at[i].last < right.at[j].first || right.at[j].last < left.at[i].first)) {
		if (left.at[i].last < right.at[j].first)
			i++;
		else
			j++;
	}
	*ret = i < left.nr && j < right.nr;
	return 0;
}
