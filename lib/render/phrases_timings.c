// SPDX-License-Identifier: GPL-2.0-or-later
/* phrases_timings.c - which figures are printed: those of a test together, of many the lowest and the highest. */
#include "base/compat.h"
#include "render/phrases.h"

enum { ALL_OF_A_TEST = 4 };	/* of more subjects the lowest and the highest are printed */

struct told_rows {
	struct arena *arena;
	size_t nr;
	const struct report_timing **items;
};

static void add_range(struct strbuf *out, const struct report_timing *timing)
{
	STRBUF_AUTO high = STRBUF_INIT;
	const char *unit;

	unit_format(out, timing->unit, timing->p5);
	unit_format(&high, timing->unit, timing->p95);
	unit = strchr(high.buf, ' ');
	if (unit && out->len >= strlen(unit) && !strcmp(out->buf + out->len - strlen(unit), unit))
		strbuf_setlen(out, out->len - strlen(unit));
	strbuf_addf(out, "–%s", high.buf);
}

struct phrase_figures phrase_figures(struct arena *arena, const struct report_timing *timing)
{
	STRBUF_AUTO median = STRBUF_INIT;
	STRBUF_AUTO range = STRBUF_INIT;
	STRBUF_AUTO size = STRBUF_INIT;

	unit_format(&median, timing->unit, timing->median);
	add_range(&range, timing);
	if (timing->has_size)
		unit_format_u64(&size, UNIT_BYTES, timing->size_bytes);
	return (struct phrase_figures){
		.median = arena_strdup(arena, median.buf), .range = arena_strdup(arena, range.buf),
		.samples = arena_printf(arena, "%zu", timing->n), .size = arena_strdup(arena, size.buf),
	};
}

const char *phrase_timing_doubt(const struct report_timing *timing)
{
	if (timing->noisy)
		return "noisy";
	return bool_or(timing->timing->settled, true) ? "" : "not settled";
}

static void add(struct told_rows *rows, const struct report_timing *timing)
{
	rows->items = arena_grow(rows->arena, rows->items, rows->nr, sizeof(*rows->items));
	rows->items[rows->nr++] = timing;
}

static bool is_same_test(const struct report_timing *a, const struct report_timing *b)
{
	return !strcmp(a->key, b->key);
}

/* One of a sweep over sizes: "h2d-pinned/65536". A screen has no room for those. */
static bool is_of_sweep(const struct report_timing *timing)
{
	const char *suffix = strchr(timing->key, '/');

	return suffix && suffix[1] >= '0' && suffix[1] <= '9';
}

/* The rows of the test that timing `first` begins: all of a few, the lowest and the highest of many. */
static void add_test(struct told_rows *rows, const struct report *report, size_t first)
{
	const struct report_timing *timings = report->timings;
	size_t nr = 0, lowest = first, highest = first;

	for (size_t i = first; i < report->nr_timings; i++) {
		if (!is_same_test(&timings[i], &timings[first]))
			continue;
		nr++;
		lowest = timings[i].median < timings[lowest].median ? i : lowest;
		highest = timings[i].median > timings[highest].median ? i : highest;
	}
	for (size_t i = first; i < report->nr_timings; i++)
		if (is_same_test(&timings[i], &timings[first]) && (nr <= ALL_OF_A_TEST || i == lowest || i == highest))
			add(rows, &timings[i]);
}

const struct report_timing **phrase_timings(struct arena *arena, const struct report *report, size_t *nr)
{
	struct told_rows rows = { .arena = arena };

	for (size_t i = 0; i < report->nr_timings; i++) {
		size_t first = 0;

		while (!is_same_test(&report->timings[first], &report->timings[i]))
			first++;
		if (first == i && !is_of_sweep(&report->timings[i]))
			add_test(&rows, report, i);
	}
	*nr = rows.nr;
	return rows.items;
}

const char *phrase_timings_left_out(struct arena *arena, size_t nr)
{
	return arena_printf(arena, "%zu more, between lowest and highest of a test or of other sizes: "
				   "--format json has them all", nr);
}
