// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/baseline/baseline.h"
#include "eval/diff/diff.h"
#include "snapshot/node.h"

enum { MAX_TOLD = 3 };	/* changes of one kind that a sentence names */

/* The diff's texts, where they have to outlive it. */
static const char *kept(struct judgement *j, const char *text)
{
	return text ? arena_strdup(j->arena, text) : NULL;
}

static bool is_card(const struct difference *change)
{
	return !strcmp(change->what, "card");
}

static void tell_card(struct judgement *j, const struct difference *change)
{
	question(j);
	derive_str(j, "gpu_then", kept(j, change->thing), "the baseline");
	derive_str(j, "card_then", kept(j, change->before), "the baseline");
	if (change->after) {
		derive_str(j, "card", kept(j, change->after), "model and serial number");
		expect_str(j, "card", kept(j, change->before));
	}
	phrase(j, "where", is_known(j->snapshot->bus.gpus) ? "on the bus" : "listed by NVIDIA's library");
	finding_add_of(j, change->after ? BASELINE_INVENTORY_SWAPPED : BASELINE_INVENTORY_GONE, kept(j, change->gpu));
}

static void tell_less(struct judgement *j, const struct difference *change)
{
	const char *what = kept(j, change->what);

	question(j);
	derive_str(j, "part", kept(j, change->thing), "the baseline");
	derive_str(j, "ability", what, "field of the snapshot");
	derive_str(j, "able", kept(j, change->after), "now");
	expect_str(j, "able", kept(j, change->before));
	finding_add_of(j, BASELINE_INVENTORY_LESS, arena_printf(j->arena, "%s %s", change->gpu, what));
}

/* What a GPU can do; links as they are trained are pcie-width's and pcie-speed's. */
static bool is_less_able(const struct difference *change)
{
	return change->weight == DIFF_WORSE && change->gpu && change->field &&
	       change->field->class == CLASS_CAPABILITY && change->before && change->after;
}

/* Cards of two machines are others, and that is no news; a display that is gone takes no work with it. */
static bool is_told_apart(const struct difference *change, bool is_ours)
{
	if (change->group != DIFF_HARDWARE)
		return false;
	if (is_card(change) && change->before)
		return change->after ? is_ours : change->weight == DIFF_WORSE;
	return is_less_able(change);
}

/* Measures of the moment, and health, are other checks'. */
static bool is_inventory(const struct difference *change)
{
	return !is_told_apart(change, true) && (!change->field || change->field->class != CLASS_GAUGE);
}

static bool is_same_change(const struct difference *a, const struct difference *b)
{
	return a->gpu && b->gpu && !strcmp(a->what, b->what) && a->before && b->before &&
	       !strcmp(a->before, b->before) && a->after && b->after && !strcmp(a->after, b->after);
}

/* "vbios of 8 GPUs: A → B" for what all of them have in common, and whether this is the first of them. */
static size_t count_alike(const struct diff *diff, size_t at, bool *ret_first)
{
	size_t nr = 0;

	*ret_first = true;
	for (size_t i = 0; i < diff->nr; i++) {
		if (i != at && !is_same_change(&diff->items[at], &diff->items[i]))
			continue;
		*ret_first = *ret_first && (nr || i == at);
		nr++;
	}
	return nr;
}

static void add_change(struct strbuf *out, const struct difference *change, size_t nr)
{
	strbuf_addf(out, "%s%s of ", out->len ? "; " : "", change->what);
	if (nr > 1)
		strbuf_addf(out, "%zu GPUs", nr);
	else
		strbuf_addstr(out, change->thing);
	if (!change->before)
		strbuf_addf(out, ": new, %s", change->after ? change->after : "there");
	else if (!change->after)
		strbuf_addf(out, ": gone, was %s", change->before);
	else
		strbuf_addf(out, ": %s, was %s", change->after, change->before);
}

static void tell_group(struct judgement *j, const struct diff *diff, enum diff_group group)
{
	STRBUF_AUTO text = STRBUF_INIT;
	size_t nr = 0;

	for (size_t i = 0; i < diff->nr; i++) {
		const struct difference *change = &diff->items[i];
		bool is_first;
		size_t alike;

		if (change->group != group || !is_inventory(change))
			continue;
		alike = count_alike(diff, i, &is_first);
		if (!is_first)
			continue;
		if (nr++ < MAX_TOLD)
			add_change(&text, change, alike);
	}
	if (!nr)
		return;
	if (nr > MAX_TOLD)
		strbuf_addf(&text, "; and %zu more", nr - MAX_TOLD);
	question(j);
	derive_str(j, "group", diff_group_name(group), "class of the fields");
	derive_str(j, "changes", kept(j, text.buf), "this snapshot beside the baseline's");
	derive_str(j, "saved_at", j->baseline->saved_at, "the baseline");
	finding_add_of(j, BASELINE_INVENTORY_CHANGED, diff_group_name(group));
}

static void judge_diff(struct judgement *j, const struct diff *diff, bool is_ours)
{
	if (!diff->nr_compared) {
		skip_check(j, "no common values to compare");
		return;
	}
	derive(j, "values", UNIT_COUNT, (double)diff->nr_compared, "known here and in the baseline");
	for (size_t i = 0; i < diff->nr; i++) {
		const struct difference *change = &diff->items[i];

		if (!is_told_apart(change, is_ours))
			continue;
		if (is_card(change))
			tell_card(j, change);
		else
			tell_less(j, change);
	}
	tell_group(j, diff, DIFF_HARDWARE);
	tell_group(j, diff, DIFF_FIRMWARE);
	tell_group(j, diff, DIFF_DRIVER);
	tell_group(j, diff, DIFF_KERNEL);
}

static void eval(struct judgement *j)
{
	const char *why;
	const struct baseline *baseline = baseline_to_compare(j, &why);
	bool is_ours;
	struct diff diff;

	if (!baseline) {
		skip_check(j, why);
		return;
	}
	is_ours = baseline_match(j->arena, baseline, j->snapshot, &why) == MACHINES_ONE;
	/* Of a dump what it tells is compared: of GPUs alone it must be known that all are told. */
	if (is_imported(j->snapshot) && !is_known(j->snapshot->bus.gpus))
		want(j, nvml, &j->snapshot->nvml, gpus);
	else
		need(j, bus, &j->snapshot->bus, gpus);
	diff_facts(&diff, &baseline->snapshot, j->snapshot);
	judge_diff(j, &diff, is_ours);
	diff_release(&diff);
}

const struct check check_baseline_inventory = {
	.name = "baseline-inventory",
	.title = "Inventory against the baseline",
	.doc = "Does the node have the parts it had when the baseline was saved (gpudiag baseline save)? A GPU that "
	       "is gone, another card in its place, or less ability of one (lanes and speed of its link, links "
	       "between GPUs, memory) is a warning. Other parts, and versions of firmware, driver and kernel that "
	       "changed, are notes. GPUs are known by serial number, else UUID, else address. Of a dump "
	       "what it tells is compared; a GPU is gone only if the dump lists all that the driver has. Settings are "
	       "compared by gpudiag baseline compare and gpudiag diff.",
	.per = SUBJECT_NODE,
	.needs = NEEDS_LINKS | NEEDS_VENDOR,
	.says = "parts and versions as in the baseline",
	.may_emit = IDS(BASELINE_INVENTORY_GONE, BASELINE_INVENTORY_SWAPPED, BASELINE_INVENTORY_LESS,
			BASELINE_INVENTORY_CHANGED),
	.eval = eval,
};
