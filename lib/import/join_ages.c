// SPDX-License-Identifier: GPL-2.0-or-later
/* join_ages.c - parts of one rank that were taken at different times. */
#include "base/compat.h"
#include "import/join.h"
#include "import/overlay.h"
#include "import/part_times.h"

#include "base/text.h"

enum { MOST_NOTES = 5 };	/* of a loop's outputs in many files the first tell enough */

/* "2026-11-24 10:11:12" */
static const char *clock_words(struct arena *arena, struct written_clock clock)
{
	char time[32];

	format_rfc3339(clock.s, 0, time);
	time[strlen("2026-11-24")] = ' ';
	time[strlen("2026-11-24 10:11:12")] = '\0';
	return arena_printf(arena, "%s%s", time, clock.has_zone ? " UTC" : "");
}

static const char *place(struct arena *arena, const struct dump_part *part)
{
	return arena_printf(arena, "%s:%u", part->file, part->nr_lines ? part->lines->number : 1);
}

/* newer: of the same kind, or NULL where only the start in between tells that it is past. */
static void note_older(struct join_ages *ages, struct snapshot *base, const struct dump_part *newer,
		       const struct dump_part *part, bool is_of_other_boot)
{
	static const char of_older[] = "of the older neither counters nor states, as the driver was started in between";
	struct arena *arena = &base->arena;
	struct strs *notes = &base->run.import_notes;
	const char *file = arena_printf(arena, "%s:", part->file), *older, *note;

	older = arena_printf(arena, "%s (%s) is of %s", place(arena, part), dump_source(part->kind)->title,
			     clock_words(arena, part->clock));
	note = newer ? arena_printf(arena, "%s, and %s of %s: the newer counts%s%s", older, place(arena, newer),
				    clock_words(arena, newer->clock), is_of_other_boot ? "; " : "",
				    is_of_other_boot ? of_older : "")
		     : arena_printf(arena, "%s: %s, before the newest output", older, of_older);
	/* Of a loop's outputs in one file the newest of the older ones is named. */
	for (size_t i = notes->nr - ages->nr_notes; i < notes->nr; i++)
		if (text_begins(notes->v[i], file))
			return;
	if (ages->nr_notes >= MOST_NOTES)
		return;
	strs_add(arena, notes, note);
	ages->nr_notes++;
}

/* ---- a GPU that came back */

static const struct dump_part *part_of(const struct join_ages *ages, const struct val_head *head)
{
	const unsigned source = value_from_source(head->from);

	return source && source <= ages->parts->nr ? &ages->parts->v[source - 1] : NULL;
}

/* What answered, answered whole: NVIDIA's library has a handle of it, or AMD's tool figures. */
static bool answers(const struct gpu *gpu)
{
	return is_known(gpu->nvml.handle) || is_known(gpu->amdgpu.power_mw) || is_known(gpu->amdgpu.hotspot_c);
}

/* Unset where it says that the GPU is lost, and an output long before this one says so. Returns which; NULL: none. */
static const struct dump_part *end_loss(const struct join_ages *ages, const struct dump_part *part, bool is_loss,
					struct val_head *head)
{
	const struct dump_part *older = is_loss ? part_of(ages, head) : NULL;

	if (!older || !part_time_is_older(part, older))
		return NULL;
	head->state = VAL_UNSET;
	return older;
}

#define END_LOSS(ages, part, value, is_loss) end_loss(ages, part, is_loss, (struct val_head *)(void *)&(value))

static void note_back(struct join_ages *ages, struct snapshot *base, const struct gpu *gpu,
		      const struct dump_part *older, const struct dump_part *part)
{
	struct arena *arena = &base->arena;

	if (ages->nr_notes >= MOST_NOTES)
		return;
	strs_add(arena, &base->run.import_notes,
		 arena_printf(arena, "GPU %s is lost in %s of %s, and answers in %s of %s: the newer counts",
			      str_or(gpu->key, "?"), place(arena, older), clock_words(arena, older->clock),
			      place(arena, part), clock_words(arena, part->clock)));
	ages->nr_notes++;
}

/* Better parts are joined before newer ones: what they say of a GPU that is lost is over where a newer one lists it. */
static void end_losses(struct join_ages *ages, struct snapshot *base, const struct dump_part *part,
		       const struct snapshot *told)
{
	for (size_t i = 0; i < told->nr_gpus; i++) {
		struct gpu *gpu = list_find(base, gpus, gpu, str_or(told->gpus[i].key, ""));
		const struct dump_part *by_driver, *by_bus, *by_link;

		if (!gpu || !answers(&told->gpus[i]))
			continue;
		by_driver = END_LOSS(ages, part, gpu->nvml.handle,
				     gpu->nvml.handle.state == VAL_LOST || gpu->nvml.handle.state == VAL_ERROR);
		by_bus = END_LOSS(ages, part, gpu->pci.config_all_ones, bool_or(gpu->pci.config_all_ones, false));
		by_link = END_LOSS(ages, part, gpu->pci.link_width, gpu->pci.link_width.state == VAL_LOST);
		by_bus = by_bus ? by_bus : by_link;
		if (by_driver || by_bus)
			note_back(ages, base, gpu, by_driver ? by_driver : by_bus, part);
	}
}

/* ---- parts of one rank */

static const char *driver_of(const struct snapshot *told)
{
	return str_or(told->nvml.driver_version, NULL);
}

static void find_last(struct join_ages *ages)
{
	ages->has_last = true;
	ages->start = part_times_last_start(ages->parts);
	for (size_t i = 0; i < ages->parts->nr; i++)
		if (part_shows_moment(&ages->parts->v[i]) && ages->parts->v[i].clock.s > ages->last.s)
			ages->last = ages->parts->v[i].clock;
}

/* Did the machine or its driver start behind it, and before the newest output? */
static bool is_before_start(struct join_ages *ages, const struct dump_part *part)
{
	if (!part_shows_moment(part) || !part->clock.s)
		return false;
	if (!ages->has_last)
		find_last(ages);
	return written_clock_is_later(ages->start, part->clock, 1) &&
	       written_clock_is_later(ages->last, ages->start, 0);
}

static bool has_other_driver(const struct newest_part *newest, const struct snapshot *told)
{
	const char *driver = driver_of(told);

	return driver && newest->driver && strcmp(driver, newest->driver) != 0;
}

void join_take_age(struct join_ages *ages, struct snapshot *base, const struct dump_part *part, struct snapshot *told)
{
	struct newest_part *newest = &ages->newest[dump_source(part->kind)->rank];
	bool is_other = is_before_start(ages, part), is_older = newest->part && part_time_is_older(newest->part, part);

	is_other |= is_older && has_other_driver(newest, told);
	if (is_older || is_other)
		note_older(ages, base, is_older ? newest->part : NULL, part, is_other);
	if (is_other)
		snapshot_forget_moment(told);
	else if (part_shows_moment(part) && part->clock.s)
		end_losses(ages, base, part, told);
	/* Of one rank are many, of which few show how things are at one moment. */
	if (newest->part && part_shows_moment(newest->part))
		return;
	*newest = (struct newest_part){ .part = part };
	newest->driver = driver_of(told) ? arena_strdup(&base->arena, driver_of(told)) : NULL;
}
