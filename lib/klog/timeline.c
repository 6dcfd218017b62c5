// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "klog/timeline.h"

enum {
	DISORDER_US = 2000000,	/* processors print out of order by less */
	FRESH_US = 5000000,	/* a kernel says its first words by then */
};

/*
 * A kernel's own clock never goes back, but with a boot. Where the wall clock
 * goes back with it by as much, the log stands in another order than time's.
 */
static bool stamps_jump_back(const struct klog_timeline *timeline, const struct klog_time *time)
{
	const struct klog_time *last = &timeline->last;
	uint64_t back_us;
	int64_t wall_back_us;

	if (!time->has_boot || !last->has_boot || time->boot_us + DISORDER_US >= last->boot_us)
		return false;
	if (!time->has_wall || !last->has_wall)
		return true;
	back_us = last->boot_us - time->boot_us;
	wall_back_us = last->wall_us - time->wall_us;
	return wall_back_us < 0 || (uint64_t)wall_back_us + DISORDER_US < back_us ||
	       (uint64_t)wall_back_us > back_us + DISORDER_US;
}

static bool is_other_boot_id(const struct klog_timeline *timeline, const char *boot_id)
{
	return boot_id[0] && timeline->boot_id[0] && strcmp(boot_id, timeline->boot_id) != 0;
}

/* Do words that begin a boot begin another one than that which we are in already? */
static bool are_of_next_boot(const struct klog_timeline *timeline, const struct klog_time *time,
			     enum klog_boot_words words)
{
	bool is_fresh = time->has_boot && timeline->last.has_boot && timeline->last.boot_us < FRESH_US;

	if (!words || timeline->said & words)
		return words != KLOG_BOOT_NO_WORDS;
	if (!timeline->others)
		return words == KLOG_BOOT_MARKER && timeline->said;
	/* Other lines may come a moment before the kernel's first words. */
	return words == KLOG_BOOT_MARKER || !is_fresh;
}

static void take_time(struct klog_time *last, const struct klog_time *time)
{
	if (time->has_boot)
		last->boot_us = time->boot_us;
	last->has_boot |= time->has_boot;
	if (time->has_wall)
		last->wall_us = time->wall_us;
	last->has_wall |= time->has_wall;
}

bool klog_timeline_line(struct klog_timeline *timeline, const struct klog_line *line, enum klog_boot_words words)
{
	bool is_new = is_other_boot_id(timeline, line->boot_id) || stamps_jump_back(timeline, &line->time) ||
		      are_of_next_boot(timeline, &line->time, words);

	if (is_new) {
		timeline->boot++;
		memcpy(timeline->driver_loads_before, timeline->driver_loads, sizeof(timeline->driver_loads_before));
		timeline->others = false;
		timeline->said = 0;
		timeline->last = (struct klog_time){ .has_boot = false };
	}
	timeline->said |= words;
	timeline->others |= !words;
	take_time(&timeline->last, &line->time);
	if (line->boot_id[0])
		memcpy(timeline->boot_id, line->boot_id, sizeof(timeline->boot_id));
	return is_new;
}

void klog_timeline_driver_loaded(struct klog_timeline *timeline, enum klog_family family, uint64_t line)
{
	enum klog_family group = klog_driver_group(family);

	timeline->loads++;
	timeline->driver_loads[group]++;
	timeline->load_lines[group] = line;
}

unsigned klog_driver_load(const struct klog_timeline *timeline, enum klog_family family)
{
	return family >= KLOG_FAMILY_PCI ? timeline->loads : timeline->driver_loads[klog_driver_group(family)];
}
