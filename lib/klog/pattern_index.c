// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "klog/pattern_index.h"

#include "klog/source.h"

enum {
	NR_LISTS = NR_KLOG_FAMILIES + NR_KLOG_ROWS,
	MAX_STEPS = 8 * NR_KLOG_PATTERNS,	/* of all together, which have three each */
};

/* One list after the other: of each family, then of each row that turns into another. */
static struct {
	bool is_made;
	uint16_t begin[NR_LISTS + 1];
	uint16_t indexes[NR_KLOG_PATTERNS];
	char firsts[NR_KLOG_PATTERNS];
	struct klog_prepared prepared[NR_KLOG_PATTERNS];
	struct klog_step steps[MAX_STEPS];
	size_t nr_steps;
	unsigned turn_follow[NR_KLOG_ROWS];
	unsigned detail_follow[NR_KLOG_FAMILIES];
} table;

static size_t list_of(const struct klog_pattern *pattern)
{
	return pattern->role == KLOG_ROLE_TURN ? (size_t)NR_KLOG_FAMILIES + pattern->from : pattern->family;
}

static void note_follow(const struct klog_pattern *pattern)
{
	if (pattern->role == KLOG_ROLE_TURN) {
		if (pattern->follow > table.turn_follow[pattern->from])
			table.turn_follow[pattern->from] = pattern->follow;
	} else if (pattern->role == KLOG_ROLE_DETAIL) {
		for (int family = 0; family < NR_KLOG_FAMILIES; family++)
			if (klog_driver_group((enum klog_family)family) == klog_driver_group(pattern->family) &&
			    pattern->follow > table.detail_follow[family])
				table.detail_follow[family] = pattern->follow;
	}
}

/* An Xid's number stands before process and pid in the line, which are taken out of it: it is no step. */
static void prepare(size_t index)
{
	struct klog_prepared *prepared = &table.prepared[index];
	const struct klog_pattern *pattern = &klog_patterns[index];
	struct span text = span_of(pattern->pattern);

	if (pattern->family == KLOG_FAMILY_XID)
		prepared->has_code = span_take_u64(&text, &prepared->code) && span_take(&text, ", ");
	prepared->steps = &table.steps[table.nr_steps];
	prepared->nr = klog_pattern_steps(text.at, &table.steps[table.nr_steps], MAX_STEPS - table.nr_steps);
	table.nr_steps += prepared->nr;
}

static void make_table(void)
{
	uint16_t at[NR_LISTS];

	/* Counting sort, which keeps the order of the catalogue. */
	for (size_t i = 0; i < NR_KLOG_PATTERNS; i++)
		table.begin[list_of(&klog_patterns[i]) + 1]++;
	for (size_t list = 0; list < NR_LISTS; list++)
		table.begin[list + 1] = (uint16_t)(table.begin[list + 1] + table.begin[list]);
	memcpy(at, table.begin, sizeof(at));
	for (size_t i = 0; i < NR_KLOG_PATTERNS; i++) {
		const struct klog_pattern *pattern = &klog_patterns[i];
		size_t place = at[list_of(pattern)]++;

		table.indexes[place] = (uint16_t)i;
		table.firsts[place] = *pattern->pattern == '{' ? '\0' : *pattern->pattern;
		note_follow(pattern);
		prepare(i);
	}
	table.is_made = true;
}

static struct klog_pattern_list get_list(size_t list)
{
	if (!table.is_made)
		make_table();
	return (struct klog_pattern_list){
		.nr = (size_t)(table.begin[list + 1] - table.begin[list]),
		.indexes = table.indexes + table.begin[list],
		.firsts = table.firsts + table.begin[list],
	};
}

struct klog_pattern_list klog_family_patterns(enum klog_family family)
{
	return get_list(family);
}

struct klog_pattern_list klog_reclassify_patterns(enum klog_row_id row)
{
	return get_list((size_t)NR_KLOG_FAMILIES + row);
}

const struct klog_prepared *klog_prepared_pattern(const struct klog_pattern *pattern)
{
	if (!table.is_made)
		make_table();
	return &table.prepared[pattern - klog_patterns];
}

unsigned klog_reclassify_lines(enum klog_row_id row)
{
	if (!table.is_made)
		make_table();
	return table.turn_follow[row];
}

unsigned klog_detail_follow(enum klog_family family)
{
	if (!table.is_made)
		make_table();
	return table.detail_follow[family];
}
