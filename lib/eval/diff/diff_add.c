// SPDX-License-Identifier: GPL-2.0-or-later
/* diff_add.c - what is found, as it is found: each difference once, of the thing it is about. */
#include "base/compat.h"
#include "eval/diff/diff_internal.h"

#include "base/text.h"

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
		return text_begins(thing, "device node ") ||
		       (text_begins(thing, "library ") && has_loss(told, "library"));
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
