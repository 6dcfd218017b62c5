// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fleet_split.c - settings and versions that GPUs of one model, or nodes, do not share.
 *
 * Two large shares are a roll-out, and neither is wrong. A few GPUs that have another setting than nearly all of their
 * model in machines of their model are odd ones. Versions are never odd: a roll-out begins and ends with a few, too.
 */
#include "base/compat.h"
#include "eval/fleet/fleet_internal.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/alloc.h"

/* What is compared: a member of a GPU or of a record. */
struct trait {
	const char *what, *says;
	enum { OF_TEXT, OF_U32, OF_U64, OF_RECORD } kind;
	size_t at;
	enum unit unit;
	/* A partition is made for a job, and a few may have one; other settings are odd where a few have them. */
	enum { VERSION, CHOICE, SETTING } nature;
};
#define TRAIT(what_, says_, kind_, of, member_, unit_, nature_) \
	{ .what = (what_), .says = (says_), .kind = (kind_), .at = offsetof(of, member_), .unit = (unit_), \
	  .nature = (nature_) }

static const struct trait traits[] = {
	TRAIT("driver_version", "driver", OF_TEXT, struct fleet_gpu, driver_version, UNIT_NONE, VERSION),
	TRAIT("vbios", "VBIOS", OF_TEXT, struct fleet_gpu, vbios, UNIT_NONE, VERSION),
	TRAIT("partition", "partition", OF_TEXT, struct fleet_gpu, partition, UNIT_NONE, CHOICE),
	TRAIT("power_limit_mw", "power limit", OF_U32, struct fleet_gpu, power_limit_mw, UNIT_MW, SETTING),
	TRAIT("clock_application_mhz", "application clock", OF_U32, struct fleet_gpu, clock_application_mhz, UNIT_MHZ,
	      SETTING),
	TRAIT("clock_max_mhz", "maximum clock", OF_U32, struct fleet_gpu, clock_max_mhz, UNIT_MHZ, SETTING),
	TRAIT("link_width_able", "able link width", OF_U32, struct fleet_gpu, link_width_able, UNIT_LANES, SETTING),
	TRAIT("link_speed_able_mtps", "able link speed", OF_U32, struct fleet_gpu, link_speed_able_mtps, UNIT_MTPS,
	      SETTING),
	TRAIT("vram_total_bytes", "VRAM", OF_U64, struct fleet_gpu, vram_total_bytes, UNIT_BYTES, SETTING),
	TRAIT("kernel", "kernel", OF_RECORD, struct fleet_record, kernel, UNIT_NONE, VERSION),
};

enum {
	LEAST_OF_KIND = 4,		/* GPUs that have what nearly all have; of fewer none is the odd one */
	SAME_PERCENT = 2,		/* VRAM that firmware keeps differs by as much from driver to driver */
};

/* What a GPU has of it, of its model in a model of machine; 0 where that is not known. */
struct has {
	text_id model, product;
	uint64_t value;
	uint32_t gpu, record;
};

static struct has has_of(const struct fleet *fleet, const struct trait *trait, uint32_t number)
{
	const struct fleet_gpu *gpu = &fleet->gpus[number];
	const char *at =
		(trait->kind == OF_RECORD ? (const char *)record_of(fleet, gpu) : (const char *)gpu) + trait->at;
	struct has has = { .gpu = number, .record = gpu->record };

	has.value = trait->kind == OF_U64 ? *(const uint64_t *)at : *(const uint32_t *)at;
	/* Nodes of all kinds have one kernel. */
	if (has.value && trait->kind != OF_RECORD)
		has.model = gpu->model;
	return has;
}

static int compare_has(const void *a, const void *b)
{
	const struct has *one = a, *other = b;

	if (one->model != other->model)
		return one->model < other->model ? -1 : 1;
	if (one->value != other->value)
		return one->value < other->value ? -1 : 1;
	return (one->gpu > other->gpu) - (one->gpu < other->gpu);
}

static int compare_in_products(const void *a, const void *b)
{
	const struct has *one = a, *other = b;

	if (one->model == other->model && one->product != other->product)
		return one->product < other->product ? -1 : 1;
	return compare_has(a, b);
}

/* The most common first. */
static int compare_shares(const void *a, const void *b)
{
	const struct fleet_share *one = a, *other = b;

	if (one->nr_gpus != other->nr_gpus)
		return one->nr_gpus > other->nr_gpus ? -1 : 1;
	return (one->value > other->value) - (one->value < other->value);
}

static text_id text_of(struct fleet *fleet, const struct trait *trait, uint64_t value)
{
	STRBUF_AUTO text = STRBUF_INIT;

	if (trait->unit == UNIT_NONE)
		return (text_id)value;
	unit_format_u64(&text, trait->unit, value);
	return texts_add(&fleet->texts, text.buf, text.len);
}

/* The values of one model's GPUs, has[from] to has[end]. */
static void add_split(struct fleet *fleet, const struct trait *trait, const struct has *has, size_t from, size_t end)
{
	struct fleet_split split = { .what = trait->what, .says = trait->says, .model = has[from].model,
				     .is_setting = trait->nature != VERSION };

	if (has[from].value == has[end - 1].value)
		return;
	for (size_t i = from; i < end; i++) {
		struct fleet_share *share;
		bool is_new = i == from || has[i].value != has[i - 1].value;

		if (is_new) {
			split.shares = arena_grow(&fleet->arena, split.shares, split.nr, sizeof(*split.shares));
			split.shares[split.nr++] = (struct fleet_share){
				.value = text_of(fleet, trait, has[i].value), .example = has[i].record,
			};
		}
		share = &split.shares[split.nr - 1];
		share->nr_gpus++;
		share->nr_nodes += is_new || has[i].record != has[i - 1].record;
	}
	qsort(split.shares, split.nr, sizeof(*split.shares), compare_shares);
	fleet->splits = fleet_append(fleet->splits, fleet->nr_splits, sizeof(*fleet->splits));
	fleet->splits[fleet->nr_splits++] = split;
}

/* ---- the odd ones */

/* A number that is next to another is the same; a text is the same or not. */
static bool is_odd(const struct trait *trait, uint64_t value, uint64_t usual)
{
	uint64_t apart = value < usual ? usual - value : value - usual;

	return trait->unit == UNIT_NONE ? value != usual : apart * 100 > usual * SAME_PERCENT;
}

/* The value that most of has[from] to has[end] have, and how many do. */
static uint64_t most_common(const struct has *has, size_t from, size_t end, size_t *ret_nr)
{
	uint64_t ret = 0;

	*ret_nr = 0;
	for (size_t i = from, run; i < end; i = run) {
		for (run = i; run < end && has[run].value == has[i].value; run++)
			;
		if (run - i > *ret_nr) {
			*ret_nr = run - i;
			ret = has[i].value;
		}
	}
	return ret;
}

/* Those of one model in one model of machine. */
static void add_odd(struct fleet *fleet, const struct trait *trait, double minority, const struct has *has, size_t from,
		    size_t end)
{
	size_t nr_usual, nr = end - from;
	uint64_t usual = most_common(has, from, end, &nr_usual);

	if (nr_usual < LEAST_OF_KIND || (double)(nr - nr_usual) > minority * (double)nr)
		return;
	for (size_t i = from; i < end; i++) {
		if (!is_odd(trait, has[i].value, usual))
			continue;
		fleet->odd_settings =
			fleet_append(fleet->odd_settings, fleet->nr_odd_settings, sizeof(*fleet->odd_settings));
		fleet->odd_settings[fleet->nr_odd_settings++] = (struct fleet_odd_setting){
			.what = trait->what, .says = trait->says, .gpu = has[i].gpu,
			.value = text_of(fleet, trait, has[i].value),
			.usual = text_of(fleet, trait, usual), .nr_usual = (uint32_t)nr_usual, .of = (uint32_t)nr,
		};
	}
}

static void find_odd(struct fleet *fleet, const struct trait *trait, double minority, struct has *has, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		has[i].product = fleet->records[has[i].record].product;
	qsort(has, nr, sizeof(*has), compare_in_products);
	for (size_t i = 0, end; i < nr; i = end) {
		for (end = i; end < nr && has[end].model == has[i].model && has[end].product == has[i].product; end++)
			;
		add_odd(fleet, trait, minority, has, i, end);
	}
}

/* ---- all of them */

static void split_by(struct fleet *fleet, const struct trait *trait, double minority, struct has *has)
{
	size_t nr = 0;

	for (size_t n = 0; n < fleet->nr_nodes; n++) {
		const struct fleet_record *record = &fleet->records[fleet->nodes[n]];

		for (uint32_t g = 0; g < record->nr_gpus; g++) {
			has[nr] = has_of(fleet, trait, record->first_gpu + g);
			nr += has[nr].value != 0;
		}
	}
	qsort(has, nr, sizeof(*has), compare_has);
	for (size_t i = 0, end; i < nr; i = end) {
		for (end = i; end < nr && has[end].model == has[i].model; end++)
			;
		add_split(fleet, trait, has, i, end);
	}
	if (trait->nature == SETTING && minority > 0.0)
		find_odd(fleet, trait, minority, has, nr);
}

void fleet_find_splits(struct fleet *fleet, const struct policy *policy)
{
	struct has *has = xcalloc((size_t)fleet->nr_judged_gpus + 1, sizeof(*has));

	for (size_t i = 0; i < ARRAY_SIZE(traits); i++)
		split_by(fleet, &traits[i], policy->fleet_minority_ratio, has);
	free(has);
}
