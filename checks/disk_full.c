// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/text.h"
#include "checks/playbook.h"

/* Programs write there whatever they do: logs, sockets, temporary files. What data lies on may be full for good. */
static bool is_written(const struct room *room)
{
	static const char *const folders[] = {
		"/", "/var", "/tmp", "/var/log", "/var/lib/docker", "/var/lib/containerd", "/var/lib/kubelet",
	};

	return text_is_any(str_or(room->key, ""), folders, ARRAY_SIZE(folders)) && !bool_or(room->is_read_only, false);
}

static void judge_room(struct judgement *j, const struct room *room)
{
	enum { SMALLEST_BYTES = 512 << 20, FEWEST_FILES = 64 };	/* an image that nobody writes to is smaller */
	const char *folder = str_or(room->key, "?");
	uint64_t size;

	question(j);
	about(j, folder);
	derive_str(j, "folder", folder, "its mount point");
	size = want(j, room, room, size_bytes);
	if (room->available_bytes.state != VAL_ABSENT && room->available_bytes.state != VAL_UNSET &&
	    size >= SMALLEST_BYTES && (double)need(j, room, room, available_bytes) < j->policy->room_full_bytes) {
		finding_add_of(j, DISK_FULL_NO_SPACE, folder);
		return;
	}
	if (is_known(room->available_files) && want(j, room, room, available_files) < FEWEST_FILES)
		finding_add_of(j, DISK_FULL_NO_FILES, folder);
}

static void eval(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	size_t nr = 0;

	for (size_t i = 0; i < snapshot->nr_rooms; i++) {
		if (!is_written(&snapshot->rooms[i]))
			continue;
		judge_room(j, &snapshot->rooms[i]);
		nr++;
	}
	if (!nr)
		skip_check(j, snapshot->listed.rooms.state == VAL_UNSUPPORTED ? "not possible on a recording"
									      : "not collected");
}

const struct check check_disk_full = {
	.name = "disk-full",
	.title = "Full file systems",
	.doc = "Is there any free space, and any free inode, on /, and on /var, /tmp, /var/log and the folders of Docker, "
	       "containerd and the kubelet if they are separate file systems? Asked by gpudiag gate, and of imported dumps (df). File systems for data are not judged.",
	.per = SUBJECT_NODE,
	.says = "free space on the system's file systems",
	.may_emit = IDS(DISK_FULL_NO_SPACE, DISK_FULL_NO_FILES),
	.eval = eval,
};
