// SPDX-License-Identifier: GPL-2.0-or-later
/* diff.c - the comparison as a whole: what is compared with what, and the order of what is found. */
#include "base/compat.h"
#include "eval/diff/diff_internal.h"

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

static void say_what_is_missing(struct differ *d)
{
	if (d->nr_denied)
		diff_say(d, arena_printf(d->arena, "%zu value%s known of the first could not be read for the second: "
					 "no rights, or a device was left asleep; no change of the node",
					 d->nr_denied, d->nr_denied == 1 ? "" : "s"));
	if (d->before->nr_gpus && !is_known(d->after->bus.gpus))
		diff_say(d, "the second has no list of GPUs on the bus: none is reported as missing");
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

void diff_release(struct diff *diff)
{
	arena_release(&diff->arena);
}

/* ---- what is found, as it is found: each difference once, of the thing it is about */

void diff_begin_thing(struct differ *d, const char *thing, const char *gpu, size_t gpu_index)
{
	d->thing = thing;
	d->gpu = gpu;
	d->gpu_index = gpu_index;
	d->first_of_thing = d->diff->nr;
}

static bool is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* Files and the management library tell the same of a GPU: once is enough. */
static bool is_told(const struct differ *d, const struct difference *difference)
{
	for (size_t i = d->first_of_thing; i < d->diff->nr; i++) {
		const struct difference *told = &d->items[i];

		if (told->thing == d->thing && !strcmp(told->what, difference->what) &&
		    is_same_text(told->before, difference->before) && is_same_text(told->after, difference->after))
			return true;
	}
	return false;
}

static bool begins(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

static bool has_loss(const struct container_diff *told, const char *what)
{
	for (size_t i = 0; i < told->nr; i++)
		if (!strcmp(told->losses[i].what, what))
			return true;
	return false;
}

/* What of a host's container stands among the losses is told there. */
static bool is_told_as_loss(const struct differ *d, const struct difference *difference)
{
	static const struct {
		const struct record *record;
		size_t field;
		const char *what;
	} fields[] = {
		{ &record_host, FIELD_host_shm_size_bytes, "shm-size" },
		{ &record_cgroup, FIELD_cgroup_cpus, "cpus" },
		{ &record_cgroup, FIELD_cgroup_cpu_limit, "cpu-limit" },
		{ &record_cgroup, FIELD_cgroup_memory_limit_bytes, "memory" },
	};
	const struct container_diff *told = &d->diff->container;
	const char *thing = d->thing ? d->thing : "";

	if (!told->is_pair)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (difference->field == &fields[i].record->fields[fields[i].field])
			return has_loss(told, fields[i].what);
	if (!strcmp(difference->what, "presence"))
		return begins(thing, "device node ") || (begins(thing, "library ") && has_loss(told, "library"));
	return difference->field == &record_host.fields[FIELD_host_container] || !strcmp(difference->what, "role");
}

void diff_add(struct differ *d, const struct difference *difference)
{
	struct difference *item;

	if (is_told(d, difference) || is_told_as_loss(d, difference))
		return;
	d->items = arena_grow(d->arena, d->items, d->diff->nr, sizeof(*d->items));
	item = &d->items[d->diff->nr++];
	*item = *difference;
	item->thing = d->thing ? d->thing : "node";
	item->gpu = d->gpu;
	item->gpu_index = d->gpu_index;
}

void diff_say(struct differ *d, const char *message)
{
	strs_add(d->arena, &d->diff->messages, message);
}
