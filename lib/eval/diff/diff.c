// SPDX-License-Identifier: GPL-2.0-or-later
/* diff.c - the comparison as a whole: what is compared with what, and the order of what is found. */
#include "base/compat.h"
#include "eval/diff/diff_internal.h"
#include "snapshot/node.h"

const char *diff_group_name(enum diff_group group)
{
	static const char *const names[NR_DIFF_GROUPS] = {
		[DIFF_HARDWARE] = "hardware", [DIFF_FIRMWARE] = "firmware", [DIFF_DRIVER] = "driver",
		[DIFF_KERNEL] = "kernel", [DIFF_SETTINGS] = "settings", [DIFF_HEALTH] = "health",
		[DIFF_TIMING] = "timing", [DIFF_VERDICT] = "verdict",
	};

	return names[group];
}

const char *diff_weight_name(enum diff_weight weight)
{
	static const char *const names[] = {
		[DIFF_OTHER] = "other", [DIFF_BETTER] = "better", [DIFF_WORSE] = "worse",
	};

	return names[weight];
}

/* ---- the whole */

/* What is below the top, but for GPUs and OpenCL devices, which are not the same by their keys. */
static void diff_node(struct differ *d)
{
	for (size_t i = 0; i < record_snapshot.nr; i++) {
		const struct field *field = &record_snapshot.fields[i];
		const char *a = (const char *)d->before + field->offset, *b = (const char *)d->after + field->offset;

		if (i == FIELD_snapshot_gpus || i == FIELD_snapshot_ocl_devices)
			continue;
		diff_begin_thing(d, NULL, NULL, 0);
		if (field->kind == FIELD_LIST) {
			diff_list(d, field, d->before, d->after);
			continue;
		}
		diff_begin_thing(d, rules_of_record(field->record)->word, NULL, 0);
		diff_records(d, field->record, a, b);
	}
	diff_begin_thing(d, NULL, NULL, 0);
}

static bool lists_all_gpus(const struct snapshot *before, const struct snapshot *after)
{
	for (size_t i = 0; i < before->nr_gpus; i++)
		if (!lists_gpu_if_there(after, &before->gpus[i]))
			return false;
	return true;
}

static void say_what_is_missing(struct differ *d)
{
	if (d->nr_denied)
		diff_say(d, arena_printf(d->arena, "%zu value%s known of the first could not be read for the second: "
					 "no rights, or a device was left asleep; no change of the node",
					 d->nr_denied, d->nr_denied == 1 ? "" : "s"));
	if (d->before->nr_gpus && !lists_all_gpus(d->before, d->after))
		diff_say(d, "the second has no whole list of GPUs: none is reported as missing");
	if (!d->diff->nr_compared)
		diff_say(d, "no common values to compare");
}

/* Groups in their order; within one the order of adding. */
static void put_in_order(struct differ *d)
{
	struct diff *diff = d->diff;
	struct difference *ordered = arena_alloc(d->arena, diff->nr * sizeof(*ordered));
	size_t begin[NR_DIFF_GROUPS + 1] = { 0 };

	for (size_t i = 0; i < diff->nr; i++)
		begin[d->items[i].group + 1]++;
	for (size_t group = 1; group <= NR_DIFF_GROUPS; group++)
		begin[group] += begin[group - 1];
	for (size_t i = 0; i < diff->nr; i++) {
		ordered[begin[d->items[i].group]++] = d->items[i];
		diff->nr_worse += d->items[i].weight == DIFF_WORSE;
		diff->nr_better += d->items[i].weight == DIFF_BETTER;
	}
	diff->items = ordered;
	diff->is_worse = diff->nr_worse > 0;
}

static void begin(struct differ *d, struct diff *diff, const struct snapshot *before, const struct snapshot *after)
{
	*diff = (struct diff){ .before = before, .after = after };
	*d = (struct differ){ .diff = diff, .arena = &diff->arena, .before = before, .after = after };
}

void diff_sides(struct diff *ret, const struct diff_side *before, const struct diff_side *after)
{
	struct differ d;

	begin(&d, ret, before->snapshot, after->snapshot);
	d.not_ours[0] = before->tells_roles ? &before->not_ours : NULL;
	d.not_ours[1] = after->tells_roles ? &after->not_ours : NULL;
	diff_machine(&d);
	diff_pair_gpus(&d);
	diff_container(&d);
	diff_node(&d);
	diff_gpu_pairs(&d);
	diff_ocl_devices(&d);
	diff_figures(&d, before, after);
	diff_verdicts(&d, before, after);
	say_what_is_missing(&d);
	put_in_order(&d);
}

void diff_facts(struct diff *ret, const struct snapshot *before, const struct snapshot *after)
{
	struct diff_side a, b;

	diff_side_of_snapshot(&a, before);
	diff_side_of_snapshot(&b, after);
	diff_sides(ret, &a, &b);
	diff_side_release(&b);
	diff_side_release(&a);
}

void diff_reports(struct diff *ret, const struct report *before, const struct report *after)
{
	struct diff_side a, b;

	diff_side_of_report(&a, before);
	diff_side_of_report(&b, after);
	diff_sides(ret, &a, &b);
	diff_side_release(&b);
	diff_side_release(&a);
}

bool counts_against_baseline(const struct difference *item)
{
	switch (item->group) {
	case DIFF_HARDWARE:
	case DIFF_FIRMWARE:
	case DIFF_DRIVER:
	case DIFF_KERNEL:
	case DIFF_SETTINGS:
		return !item->field || item->field->class != CLASS_GAUGE;
	case DIFF_HEALTH:
		return item->weight == DIFF_WORSE;
	default:
		return false;
	}
}

void diff_release(struct diff *diff)
{
	arena_release(&diff->arena);
}
