// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/text.h"
#include "checks/playbook.h"

/* In a dump that tells of all disks "" says that none is. */
static bool has_failed_disk(const struct disk_array *array)
{
	return *str_or(array->failed, "");
}

/* Does another array have all of its disks, as many as this one has? */
static bool has_whole_beside(const struct snapshot *snapshot, const struct disk_array *array)
{
	uint64_t working = u64_or(array->working, 0);

	for (size_t i = 0; i < snapshot->nr_disk_arrays; i++)
		if (u64_or(snapshot->disk_arrays[i].members, 0) == working &&
		    u64_or(snapshot->disk_arrays[i].working, 0) == working)
			return working;
	return false;
}

/*
 * Storage appliances mirror their own system on all slots for disks, of which few are filled: so many are missing, and
 * none failed. Where more than half are, or slots are few, the array for data tells, which has all of its disks.
 */
static bool is_made_for_more(const struct snapshot *snapshot, const struct disk_array *array)
{
	enum { MOST_MIRRORS = 4 };
	uint64_t members = u64_or(array->members, 0), working = u64_or(array->working, 0);

	if (!str_is(array->level, "raid1") || members < MOST_MIRRORS || has_failed_disk(array))
		return false;
	return (members > MOST_MIRRORS && 2 * working <= members) || has_whole_beside(snapshot, array);
}

/*
 * What puts a missing disk back; resync and the like go over the disks that are there. One that failed is to be
 * replaced.
 */
static bool is_rebuilding(const struct disk_array *array)
{
	static const char *const activities[] = { "recovery", "resilver", "delayed" };

	return text_is_any(str_or(array->activity, ""), activities, ARRAY_SIZE(activities)) && !has_failed_disk(array);
}

/* "raid1, 1 of 2 disks in use, failed: sdb1"; of a pool only what failed is told. */
static const char *array_words(struct judgement *j, const struct disk_array *array)
{
	const char *level = want(j, disk_array, array, level), *failed = "";
	const char *words = *level ? level : str_is(array->kind, "zfs") ? "ZFS pool" : "software RAID";

	if (!is_known(array->failed) || has_failed_disk(array))
		failed = want(j, disk_array, array, failed);
	if (is_known(array->members) && is_known(array->working))
		words = arena_printf(j->arena, "%s, %llu of %llu disks in use", words,
				     (unsigned long long)want(j, disk_array, array, working),
				     (unsigned long long)want(j, disk_array, array, members));
	return *failed ? arena_printf(j->arena, "%s, failed: %s", words, failed) : words;
}

static void judge_array(struct judgement *j, const struct disk_array *array)
{
	static const char *const lost[] = { "failed", "faulted", "suspended", "unavailable" };
	const char *name = str_or(array->key, "?"), *state;

	question(j);
	about(j, name);
	derive_str(j, "array", name, "/proc/mdstat, zpool status");
	state = need(j, disk_array, array, state);
	phrase(j, "array_words", array_words(j, array));
	if (text_is_any(state, lost, ARRAY_SIZE(lost))) {
		finding_add_of(j, DISK_HEALTH_ARRAY_FAILED, name);
	} else if (!strcmp(state, "online") && has_failed_disk(array)) {
		/* Of its log or cache: what is stored is whole without it. */
		finding_add_of(j, DISK_HEALTH_ARRAY_DEGRADED, name);
	} else if (!strcmp(state, "degraded") && !is_made_for_more(j->snapshot, array)) {
		want(j, disk_array, array, activity);
		finding_add_of(j, is_rebuilding(array) ? DISK_HEALTH_ARRAY_REBUILDS : DISK_HEALTH_ARRAY_DEGRADED, name);
	}
	if (!strcmp(state, "inactive"))
		finding_add_of(j, DISK_HEALTH_ARRAY_INACTIVE, name);
	if (!strcmp(state, "online") && *str_or(array->erring, "") && !bool_or(array->has_lost_data, false)) {
		want(j, disk_array, array, erring);
		finding_add_of(j, DISK_HEALTH_ARRAY_ERRORS, name);
	}
	if (!bool_or(array->has_lost_data, false))
		return;
	question(j);
	about(j, name);
	derive_str(j, "array", name, "zpool status");
	want(j, disk_array, array, has_lost_data);
	finding_add_of(j, DISK_HEALTH_ARRAY_LOST_DATA, name);
}

/* One that nothing names, "sdX.2", has to be found first; those behind a controller are "sda (megaraid,4)". */
static const char *read_command(struct judgement *j, const char *name)
{
	const char *place = strstr(name, " ("), *end = place ? strchr(place, ')') : NULL;

	if (strchr(name, 'X') || strchr(name, '/'))
		return "smartctl --scan";
	if (end)
		return arena_printf(j->arena, "smartctl -a -d %.*s /dev/%.*s", (int)(end - place - 2), place + 2,
				    (int)(place - name), name);
	return arena_printf(j->arena, "smartctl -a /dev/%s", name);
}

static void begin_disk(struct judgement *j, const struct disk *disk, const char *name)
{
	const char *model;

	question(j);
	about(j, name);
	derive_str(j, "disk", name, "smartctl");
	model = want(j, disk, disk, model);
	phrase(j, "model_words", *model ? arena_printf(j->arena, ": %s", model) : "");
	phrase(j, "read_command", read_command(j, name));
}

/* A sector that fails once, in a write that power ended, is replaced with the next write. True: it is told so. */
static bool judge_sectors(struct judgement *j, const struct disk *disk, const char *name)
{
	uint64_t pending, unreadable = u64_or(disk->unreadable_sectors, 0);

	begin_disk(j, disk, name);
	pending = need(j, disk, disk, pending_sectors);
	if (!pending)
		return false;
	if (unreadable)
		want(j, disk, disk, unreadable_sectors);
	finding_add_of(j, unreadable ? DISK_HEALTH_UNREADABLE : DISK_HEALTH_PENDING, name);
	return unreadable;
}

/* A sector that no test could read, and of which none waits any more, was written since. */
static void judge_self_test(struct judgement *j, const struct disk *disk, const char *name)
{
	static const char failed[] = "failed: ";
	const char *said;
	bool is_mended = is_known(disk->pending_sectors) && !u64_or(disk->pending_sectors, 0);

	begin_disk(j, disk, name);
	said = need(j, disk, disk, self_test);
	if (!text_begins(said, failed) || (is_mended && strstr(said, "read failure")))
		return;
	phrase(j, "test_words", arena_printf(j->arena, " (%s)", said + strlen(failed)));
	finding_add_of(j, DISK_HEALTH_SELF_TEST, name);
}

/* True where there was one to judge. */
static bool judge_disk(struct judgement *j, const struct disk *disk)
{
	const char *name = str_or(disk->key, "?");
	bool is_told = is_known(disk->pending_sectors) && judge_sectors(j, disk, name);

	if (is_known(disk->self_test) && !is_told)
		judge_self_test(j, disk, name);
	if (!is_known(disk->self_assessment))
		return is_known(disk->pending_sectors) || is_known(disk->self_test);
	begin_disk(j, disk, name);
	if (text_begins(need(j, disk, disk, self_assessment), "failed"))
		finding_add_of(j, DISK_HEALTH_SELF_ASSESSMENT, name);
	return true;
}

static bool is_whole(const struct disk_array *array)
{
	static const char *const whole[] = { "active", "online", "container" };

	return text_is_any(str_or(array->state, ""), whole, ARRAY_SIZE(whole));
}

static void eval(struct judgement *j)
{
	enum { MOST_TOLD = 256 };	/* not whole: no node has as many, and nobody reads of more */
	const struct snapshot *snapshot = j->snapshot;
	size_t nr = snapshot->nr_disk_arrays, nr_told = 0;

	for (size_t i = 0; i < snapshot->nr_disks; i++)
		nr += judge_disk(j, &snapshot->disks[i]);
	for (size_t i = 0; i < snapshot->nr_disk_arrays; i++)
		if (is_whole(&snapshot->disk_arrays[i]) || nr_told++ < MOST_TOLD)
			judge_array(j, &snapshot->disk_arrays[i]);
	if (!nr && is_known(snapshot->listed.disk_arrays))
		skip_check(j, "no array of disks (md, ZFS)");
	else if (!nr)
		skip_check(j, "not collected");
}

const struct check check_disk_health = {
	.name = "disk-health",
	.title = "Disks and their arrays",
	.doc = "Is an array of disks (software RAID, ZFS) without one of its disks, not started, or has it failed? An array that is being "
	       "rebuilt is a note. In an imported dump also: did a disk fail its own self-assessment (smartctl -H) or the newest test of itself, or does it have sectors that it cannot read? Not "
	       "judged are mirrors of appliances, which are made for more disks than there are.",
	.per = SUBJECT_NODE,
	.says = "no disk reports a failure, no array of disks is degraded",
	.may_emit = IDS(DISK_HEALTH_SELF_ASSESSMENT, DISK_HEALTH_SELF_TEST, DISK_HEALTH_UNREADABLE, DISK_HEALTH_PENDING,
			DISK_HEALTH_ARRAY_FAILED, DISK_HEALTH_ARRAY_INACTIVE,
			DISK_HEALTH_ARRAY_DEGRADED, DISK_HEALTH_ARRAY_REBUILDS, DISK_HEALTH_ARRAY_ERRORS,
			DISK_HEALTH_ARRAY_LOST_DATA),
	.eval = eval,
};
