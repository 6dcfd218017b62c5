// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/facts/window.h"

/* A disk that reads many things at once is busy all the time and not slow: only both together mean that it is full. */
static void judge_disk(struct judgement *j, const struct disk *disk)
{
	const struct disk_use *use = &disk->use;
	double busy, read_ms;

	question(j);
	about(j, str_or(disk->key, "?"));
	busy = need(j, disk_use, use, busy_percent);
	want(j, disk_use, use, read_bytes_per_s);
	read_ms = want(j, disk_use, use, read_ms);
	if (busy < j->policy->storage_busy_percent || read_ms < j->policy->storage_read_ms)
		return;
	about(j, NULL);
	derive_str(j, "disk", str_or(disk->key, "?"), "/proc/diskstats");
	finding_add_of(j, STORAGE_READ_SATURATED, str_or(disk->key, "?"));
}

static void eval(struct judgement *j)
{
	size_t watched = 0;

	if (!has_window(j))
		return;
	need(j, window, &j->snapshot->window, length_ms);
	if (!all_known(j))
		return;
	for (size_t i = 0; i < j->snapshot->nr_disks; i++) {
		const struct disk *disk = &j->snapshot->disks[i];

		/* What came or went during the window has no rate, and that is no fault. */
		if (!is_known(disk->use.busy_percent))
			continue;
		judge_disk(j, disk);
		watched++;
	}
	if (!watched)
		skip_check(j, "no disk during the whole window");
}

const struct check check_storage_read = {
	.name = "storage-read",
	.title = "Disk reads",
	.doc = "Is a disk overloaded: always busy, with slow reads? A note; whether a GPU waits for it is judged by "
	       "io-pressure.",
	.per = SUBJECT_NODE,
	.needs = NEEDS_WINDOW,
	.says = NULL,
	.may_emit = IDS(STORAGE_READ_SATURATED),
	.eval = eval,
};
