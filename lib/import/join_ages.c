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
	/* Of one rank are many, of which few show how things are at one moment. */
	if (newest->part && part_shows_moment(newest->part))
		return;
	*newest = (struct newest_part){ .part = part };
	newest->driver = driver_of(told) ? arena_strdup(&base->arena, driver_of(told)) : NULL;
}
