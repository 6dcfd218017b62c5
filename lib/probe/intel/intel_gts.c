// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * intel_gts.c - clocks of an Intel GPU's parts, and what holds them back.
 */
#include "base/compat.h"
#include "probe/intel/intel.h"

#include "base/text.h"
#include "format/intel_throttle.h"
#include "probe/pci/pci_function.h"
#include "probe/read.h"

/* No part runs faster; a recorded card says 627200 for one of its clocks. */
enum { MAX_CLOCK_MHZ = 10000, PATH_BYTES = 128 };

static struct val_u64 read_clock(struct card *card, const struct intel_gt_place *gt, const char *of_xe,
				 const char *of_i915)
{
	char path[PATH_BYTES];
	struct val_u64 clock;

	snprintf(path, sizeof(path), "%s%s", gt->clocks, gt->is_xe ? of_xe : of_i915);
	clock = card_number(card, path);
	if (u64_or(clock, 0) > MAX_CLOCK_MHZ)
		return no_u64(VAL_ERROR,
			      arena_printf(&card->arena, "reads %llu MHz", (unsigned long long)u64_or(clock, 0)));
	return clock;
}

/* 1: it holds; 0: it does not; negative: not to be read, and *ret says why. */
static int read_reason(struct card *card, const struct intel_gt_place *gt, const char *name, struct val_head *ret)
{
	char path[PATH_BYTES];
	struct val_u64 value;

	snprintf(path, sizeof(path), "%s%.31s", gt->reasons, name);
	value = card_number(card, path);
	*ret = (struct val_head){ .state = value.state, .why = value.why };
	if (!is_known(value))
		return -1;
	if (u64_or(value, 0) <= 1)
		return (int)u64_or(value, 0);
	*ret = (struct val_head){ .state = VAL_ERROR,
				  .why = arena_printf(&card->arena, "%s reads %llu", name,
						      (unsigned long long)u64_or(value, 0)) };
	return -1;
}

/* The part of a file's name that is the reason's; NULL: it is none. status is the sum of them all. */
static const char *reason_of(const struct intel_gt_place *gt, const char *name)
{
	const char *begins = strrchr(gt->reasons, '/') + 1;

	if (strncmp(name, begins, strlen(begins)) || !strcmp(name + strlen(begins), "status"))
		return NULL;
	return name + strlen(begins);
}

/* File by file. Those of one moment they are not: what holds for a moment may be missed, never invented. */
static struct val_str read_single_reasons(struct card *card, const struct intel_gt_place *gt)
{
	STRBUF_AUTO reasons = STRBUF_INIT;
	struct val_head head = { .state = VAL_ABSENT, .why = "no reasons reported" };
	struct name_list names;
	bool any = false;
	int error, holds;

	error = root_list(card->env->root, &names, PCI_DEVICES "/%s/%.*s", card->env->target,
			  (int)(strrchr(gt->reasons, '/') - gt->reasons), gt->reasons);
	if (error)
		return no_str(state_of_errno(error), name_of_errno(error));
	for (size_t i = 0; i < names.nr; i++) {
		const char *name = reason_of(gt, names.names[i]);

		holds = name ? read_reason(card, gt, name, &head) : -1;
		any |= holds >= 0;
		if (holds > 0)
			throttle_reasons_add(&reasons, name);
		if (name && holds < 0)
			break;
	}
	name_list_release(&names);
	if (!any || head.state != VAL_OK)
		return no_str(head.state, head.why);
	return val_str(arena_strdup(&card->arena, reasons.len ? reasons.buf : "none"));
}

/* xe warns that its single files are of different moments, and since 2025 has one with all of them. */
static struct val_str read_reasons(struct card *card, const struct intel_gt_place *gt)
{
	STRBUF_AUTO reasons = STRBUF_INIT;
	char path[PATH_BYTES];
	struct val_str text;

	if (card->untouched != VAL_UNSET)
		return no_str(card->untouched, card->why);
	if (!gt->is_xe)
		return read_single_reasons(card, gt);
	snprintf(path, sizeof(path), "%.*sreasons", (int)(strrchr(gt->reasons, '/') + 1 - gt->reasons), gt->reasons);
	text = card_text(card, path);
	if (text.state == VAL_ABSENT)
		return read_single_reasons(card, gt);
	if (!is_known(text))
		return text;
	if (!intel_throttle_parse(str_or(text, ""), &reasons))
		return no_str(VAL_ERROR, arena_printf(&card->arena, "reads \"%.40s\"", str_or(text, "")));
	return val_str(arena_strdup(&card->arena, reasons.len ? reasons.buf : "none"));
}

static struct val_u64 highest(struct val_u64 a, struct val_u64 b)
{
	if (!is_known(a))
		return is_known(b) || a.state == VAL_UNSET ? b : a;
	return u64_or(b, 0) > u64_or(a, 0) ? b : a;
}

/* Over all parts; one that is not known leaves open what holds, unless another names something. */
static void add_reasons(struct strbuf *all, struct val_head *missing, struct val_str reasons)
{
	if (is_known(reasons))
		throttle_reasons_add(all, str_or(reasons, ""));
	else
		*missing = (struct val_head){ .state = reasons.state, .why = reasons.why };
}

void intel_read_gts(struct card *card, const struct intel_paths *places, struct intel_files *ret)
{
	STRBUF_AUTO all = STRBUF_INIT;
	struct val_head missing = { .state = VAL_UNSET };

	for (size_t i = 0; i < places->nr_gts; i++) {
		const struct intel_gt_place *place = &places->gts[i];
		struct intel_gt *gt = list_element(&card->sink->facts.arena, ret, gts, intel_gt, place->key);

		gt->clock_mhz = read_clock(card, place, "act_freq", "act_freq_mhz");
		gt->clock_limit_mhz = read_clock(card, place, "max_freq", "max_freq_mhz");
		gt->clock_max_mhz = read_clock(card, place, "rp0_freq", "RP0_freq_mhz");
		gt->throttle_status = read_reasons(card, place);
		add_reasons(&all, &missing, gt->throttle_status);
		if (!place->is_graphics)
			continue;
		ret->clock_mhz = highest(ret->clock_mhz, gt->clock_mhz);
		ret->clock_limit_mhz = highest(ret->clock_limit_mhz, gt->clock_limit_mhz);
		ret->clock_max_mhz = highest(ret->clock_max_mhz, gt->clock_max_mhz);
	}
	if (!places->nr_gts) {
		ret->clock_mhz = ret->clock_limit_mhz = ret->clock_max_mhz =
			no_u64(VAL_ABSENT, "its driver has no folder for its parts");
		missing = (struct val_head){ .state = VAL_ABSENT, .why = "its driver has no folder for its parts" };
	}
	if (all.len || missing.state == VAL_UNSET)
		ret->throttle_status = val_str(arena_strdup(&card->arena, all.len ? all.buf : "none"));
	else
		ret->throttle_status = no_str(missing.state, missing.why);
	ret->tiles = places->tiles ? val_u64(places->tiles) : no_u64(VAL_ABSENT, "of xe alone");
}
