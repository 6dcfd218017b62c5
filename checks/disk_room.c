// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/text.h"
#include "checks/playbook.h"
#include "eval/facts/upgrade.h"

/* Packages are unpacked where they are put; NVIDIA's installer unpacks itself to /tmp first. */
static bool is_written(const struct judgement *j, const struct room *room)
{
	static const char *const folders[] = { "/", "/boot", "/usr", "/var" };

	return text_is_any(str_or(room->key, ""), folders, ARRAY_SIZE(folders)) ||
	       (str_is(room->key, "/tmp") && is_known(j->snapshot->upgrade.installer));
}

static void judge_room(struct judgement *j, const struct room *room)
{
	const char *folder = str_or(room->key, "?");
	double least = str_is(room->key, "/boot") ? j->policy->room_boot_bytes : j->policy->room_system_bytes;

	question(j);
	about(j, folder);
	derive_str(j, "folder", folder, "its mount point");
	if (bool_or(room->is_read_only, false)) {
		want(j, room, room, is_read_only);
		finding_add_of(j, DISK_ROOM_READ_ONLY, folder);
		return;
	}
	if (room->available_bytes.state != VAL_ABSENT &&
	    (double)need(j, room, room, available_bytes) < least) {
		derive(j, "least_bytes", UNIT_BYTES, least, "policy");
		finding_add_of(j, DISK_ROOM_SHORT, folder);
		return;
	}
	if (is_known(room->available_files) && (double)want(j, room, room, available_files) < j->policy->room_files)
		finding_add_of(j, DISK_ROOM_NO_FILES, folder);
}

static void eval(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	const char *why = not_of_packages(j->arena, snapshot);

	if (why) {
		skip_check(j, why);
	} else if (!is_known(snapshot->request.to_driver)) {
		skip_check(j, "no other driver requested (--to-driver)");
	} else if (snapshot->listed.rooms.state == VAL_UNSUPPORTED) {
		skip_check(j, "not possible on a recording");
	} else {
		need(j, listed, &snapshot->listed, rooms);
		for (size_t i = 0; i < snapshot->nr_rooms; i++)
			if (is_written(j, &snapshot->rooms[i]))
				judge_room(j, &snapshot->rooms[i]);
	}
}

const struct check check_disk_room = {
	.name = "disk-room",
	.title = "Disk space for another driver",
	.doc = "Before another driver is put on (--to-driver): is there enough free space on /, on /usr and /var if "
	       "they are separate file systems, on /boot for a second initramfs, and on /tmp for NVIDIA's installer? "
	       "The policy sets how much. Not checked with driver containers and image-based systems.",
	.per = SUBJECT_NODE,
	.says = "enough free space for another driver",
	.may_emit = IDS(DISK_ROOM_SHORT, DISK_ROOM_NO_FILES, DISK_ROOM_READ_ONLY),
	.eval = eval,
};
