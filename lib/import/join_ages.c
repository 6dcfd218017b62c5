// SPDX-License-Identifier: GPL-2.0-or-later
/* join_ages.c - parts of one kind that were taken at different times. */
#include "base/compat.h"
#include "import/join.h"
#include "import/overlay.h"
#include "import/part_times.h"

#include "base/text.h"

enum { MOST_NOTES = 5 };	/* of a loop's outputs in many files the first tell enough */

/* "2026-11-24 10:11:12" */
static const char *clock_words(struct arena *arena, int64_t clock_s)
{
	char time[32];

	format_rfc3339(clock_s, 0, time);
	time[strlen("2026-11-24")] = ' ';
	return arena_strndup(arena, time, strlen("2026-11-24 10:11:12"));
}

static const char *place(struct arena *arena, const struct dump_part *part)
{
	return arena_printf(arena, "%s:%u", part->file, part->nr_lines ? part->lines->number : 1);
}

static void note_older(struct arena *arena, struct strs *notes, const struct dump_part *newer,
		       const struct dump_part *part, bool is_of_other_boot)
{
	const char *note = arena_printf(
		arena, "%s (%s) is of %s, and %s of %s: the newer counts%s", place(arena, part),
		dump_source(part->kind)->title, clock_words(arena, part->clock_s), place(arena, newer),
		clock_words(arena, newer->clock_s),
		is_of_other_boot ? "; of the older neither counters nor states, as the driver was started in between" : "");
	const char *file = arena_printf(arena, "%s:", part->file);
	size_t nr = 0;

	for (size_t i = 0; i < notes->nr; i++) {
		nr += strstr(notes->v[i], ": the newer counts") ? 1 : 0;
		/* Of a loop's outputs in one file the newest of the older ones is named. */
		if (text_begins(notes->v[i], file) && strstr(notes->v[i], ": the newer counts"))
			return;
	}
	if (nr < MOST_NOTES)
		strs_add(arena, notes, note);
}

static const char *driver_of(const struct snapshot *told)
{
	return str_or(told->nvml.driver_version, NULL);
}

static bool is_of_other_boot(struct join_ages *ages, const struct newest_part *newest, const struct dump_part *part,
			     const struct snapshot *told)
{
	const char *driver = driver_of(told);

	if (driver && newest->driver && strcmp(driver, newest->driver) != 0)
		return true;
	if (!ages->has_start)
		ages->start_s = part_times_last_start(ages->parts);
	ages->has_start = true;
	return ages->start_s > part->clock_s && ages->start_s <= newest->part->clock_s;
}

void join_take_age(struct join_ages *ages, struct snapshot *base, const struct dump_part *part, struct snapshot *told)
{
	struct newest_part *newest = &ages->newest[part->kind];
	bool is_other;

	if (!newest->part) {
		*newest = (struct newest_part){ .part = part };
		newest->driver = driver_of(told) ? arena_strdup(&base->arena, driver_of(told)) : NULL;
		return;
	}
	if (!part_time_is_older(newest->part, part))
		return;
	is_other = is_of_other_boot(ages, newest, part, told);
	note_older(&base->arena, &base->run.import_notes, newest->part, part, is_other);
	if (is_other)
		snapshot_forget_moment(told);
}
