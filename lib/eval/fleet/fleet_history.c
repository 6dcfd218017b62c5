// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fleet_history.c - what older reports say of a card that is out of line: was it slow in another node, or another card
 * in its slot? The first convicts the card, the second the slot.
 */
#include "base/compat.h"
#include "eval/fleet/fleet_internal.h"

#include <stdlib.h>

#include "base/alloc.h"

/* One older figure: whose it was, and where. */
struct past {
	text_id serial, name, slot;
	uint32_t gpu;
	double value;
};

static int by_serial(const void *a, const void *b)
{
	const struct past *one = a, *other = b;

	return (one->serial > other->serial) - (one->serial < other->serial);
}

static int by_place(const void *a, const void *b)
{
	const struct past *one = a, *other = b;

	if (one->name != other->name)
		return one->name < other->name ? -1 : 1;
	return (one->slot > other->slot) - (one->slot < other->slot);
}

static struct past past_of(const struct fleet *fleet, uint32_t gpu_number, double value)
{
	const struct fleet_gpu *gpu = &fleet->gpus[gpu_number];

	return (struct past){ gpu->serial ? gpu->serial : gpu->uuid, record_of(fleet, gpu)->name, slot_of_gpu(gpu),
			      gpu_number, value };
}

/* The figures of a metric in reports that no longer judge: of a node that is gone, too. */
static struct past *gather_past(const struct fleet *fleet, const struct fleet_metric *metric, size_t *ret_nr)
{
	struct past *past = xcalloc(metric->nr + 1, sizeof(*past));
	size_t nr = 0;

	for (size_t i = 0; i < metric->nr; i++) {
		const struct fleet_value *value = &metric->values[i];
		enum record_standing standing = record_of(fleet, &fleet->gpus[value->gpu])->standing;

		if (standing == RECORD_OLDER || standing == RECORD_STALE)
			past[nr++] = past_of(fleet, value->gpu, (double)value->value);
	}
	*ret_nr = nr;
	return past;
}

/* Was it slow then, by what its kind does now? */
static bool was_slow(const struct fleet_metric *metric, const struct past *past, double median)
{
	return fleet_worse_by(metric, past->value, median) > metric->floor * (metric->is_absolute ? 1.0 : median);
}

/* The first of the past that compares equal to the key; behind the last at *ret_end. */
static const struct past *find_past(const struct past *past, size_t nr, const struct past *key,
				    int (*order)(const void *, const void *), const struct past **ret_end)
{
	const struct past *any = bsearch(key, past, nr, sizeof(*past), order), *first = any, *end = any;

	while (first && first > past && !order(first - 1, key))
		first--;
	while (end && end < past + nr && !order(end, key))
		end++;
	*ret_end = end;
	return first;
}

/* The same card, in another node. */
static void convict_card(struct fleet *fleet, struct fleet_cause *cause, const struct fleet_outlier *outlier,
			 const struct past *past, size_t nr)
{
	const struct past now = past_of(fleet, outlier->gpu, outlier->value);
	const struct past *end, *at = now.serial ? find_past(past, nr, &now, by_serial, &end) : NULL;

	for (; at && at < end; at++)
		if (at->name != now.name && was_slow(&fleet->metrics[outlier->metric], at, outlier->median))
			cause->before = arena_printf(&fleet->arena, "it was slow in %s, too: the card",
						     fleet_node_name(fleet, record_of(fleet, &fleet->gpus[at->gpu])));
}

/* Another card, in the same slot of the same node. */
static void convict_slot(struct fleet *fleet, struct fleet_cause *cause, const struct fleet_outlier *outlier,
			 const struct past *past, size_t nr)
{
	const struct past now = past_of(fleet, outlier->gpu, outlier->value);
	const struct past *end, *at = now.name && now.slot ? find_past(past, nr, &now, by_place, &end) : NULL;

	for (; at && at < end; at++) {
		if (!at->serial || !now.serial || at->serial == now.serial ||
		    !was_slow(&fleet->metrics[outlier->metric], at, outlier->median))
			continue;
		cause->level = "slot";
		cause->before = arena_printf(&fleet->arena, "another card was slow there, too (%s): the slot",
					     texts_get(&fleet->texts, at->serial));
		return;
	}
}

static void
convict(struct fleet *fleet, uint32_t metric, struct past *past, size_t nr, int (*order)(const void *, const void *),
	void (*look)(struct fleet *, struct fleet_cause *, const struct fleet_outlier *, const struct past *, size_t))
{
	qsort(past, nr, sizeof(*past), order);
	for (size_t i = 0; i < fleet->nr_outliers; i++) {
		const struct fleet_outlier *outlier = &fleet->outliers[i];
		struct fleet_cause *cause = outlier->cause ? &fleet->causes[outlier->cause - 1] : NULL;

		if (outlier->metric == metric && cause && !strcmp(cause->level, "card"))
			look(fleet, cause, outlier, past, nr);
	}
}

void fleet_look_back(struct fleet *fleet)
{
	for (uint32_t m = 0; m < fleet->nr_metrics && fleet->nr_outliers; m++) {
		size_t nr;
		struct past *past = gather_past(fleet, &fleet->metrics[m], &nr);

		if (nr) {
			convict(fleet, m, past, nr, by_serial, convict_card);
			convict(fleet, m, past, nr, by_place, convict_slot);
		}
		free(past);
	}
}
