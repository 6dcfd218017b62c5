// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fleet_split.c - settings and versions that GPUs of one model, or nodes, do not share.
 *
 * A few that have another setting than all others are said to; two large shares are a roll-out, and neither is wrong.
 */
#include "base/compat.h"
#include "eval/fleet/fleet_internal.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/alloc.h"

/* What is compared: a member of a GPU or of a record. */
struct trait {
	const char *what;
	enum { OF_TEXT, OF_U32, OF_U64, OF_RECORD } kind;
	size_t at;
	enum unit unit;
	bool is_setting;
};
#define TRAIT(what_, kind_, of, member_, unit_, is_setting_) \
	{ .what = (what_), .kind = (kind_), .at = offsetof(of, member_), .unit = (unit_), .is_setting = (is_setting_) }

static const struct trait traits[] = {
	TRAIT("driver_version", OF_TEXT, struct fleet_gpu, driver_version, UNIT_NONE, false),
	TRAIT("vbios", OF_TEXT, struct fleet_gpu, vbios, UNIT_NONE, false),
	TRAIT("partition", OF_TEXT, struct fleet_gpu, partition, UNIT_NONE, true),
	TRAIT("power_limit_mw", OF_U32, struct fleet_gpu, power_limit_mw, UNIT_MW, true),
	TRAIT("clock_application_mhz", OF_U32, struct fleet_gpu, clock_application_mhz, UNIT_MHZ, true),
	TRAIT("clock_max_mhz", OF_U32, struct fleet_gpu, clock_max_mhz, UNIT_MHZ, true),
	TRAIT("link_width_able", OF_U32, struct fleet_gpu, link_width_able, UNIT_LANES, true),
	TRAIT("link_speed_able_mtps", OF_U32, struct fleet_gpu, link_speed_able_mtps, UNIT_MTPS, true),
	TRAIT("vram_total_bytes", OF_U64, struct fleet_gpu, vram_total_bytes, UNIT_BYTES, true),
	TRAIT("kernel", OF_RECORD, struct fleet_record, kernel, UNIT_NONE, false),
};

/* What a GPU has of it, of its model; both 0 where that is not known. */
struct has {
	text_id model;
	uint64_t value;
	uint32_t record;
};

static struct has has_of(const struct fleet *fleet, const struct trait *trait, const struct fleet_gpu *gpu)
{
	const char *at = (trait->kind == OF_RECORD ? (const char *)record_of(fleet, gpu) : (const char *)gpu) + trait->at;
	struct has has = { .record = gpu->record };

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
	return (one->record > other->record) - (one->record < other->record);
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
	struct fleet_split split = { .what = trait->what, .model = has[from].model, .is_setting = trait->is_setting };

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

static void split_by(struct fleet *fleet, const struct trait *trait, struct has *has)
{
	size_t nr = 0;

	for (size_t n = 0; n < fleet->nr_nodes; n++) {
		const struct fleet_record *record = &fleet->records[fleet->nodes[n]];

		for (uint32_t g = 0; g < record->nr_gpus; g++) {
			has[nr] = has_of(fleet, trait, &fleet->gpus[record->first_gpu + g]);
			nr += has[nr].value != 0;
		}
	}
	qsort(has, nr, sizeof(*has), compare_has);
	for (size_t i = 0, end; i < nr; i = end) {
		for (end = i; end < nr && has[end].model == has[i].model; end++)
			;
		add_split(fleet, trait, has, i, end);
	}
}

void fleet_find_splits(struct fleet *fleet)
{
	struct has *has = xcalloc((size_t)fleet->nr_judged_gpus + 1, sizeof(*has));

	for (size_t i = 0; i < ARRAY_SIZE(traits); i++)
		split_by(fleet, &traits[i], has);
	free(has);
}
