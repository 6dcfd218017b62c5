// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * upgrade_disk_space.c - room on the file systems that an upgrade of the driver writes to, and on those that services
 * do.
 */
#include "base/compat.h"
#include "probe/upgrade/upgrade_internal.h"

#include <errno.h>
#include <sys/statvfs.h>

#include "probe/read.h"

/*
 * Programs and modules, initramfs, sources, packages that were fetched and builds, what an installer unpacks; then
 * logs, and images of containers.
 */
static const char *const folders[] = {
	"/", "/boot", "/usr", "/var", "/tmp", "/var/log", "/var/lib/docker", "/var/lib/containerd", "/var/lib/kubelet",
};

static void read_room(struct snapshot *facts, const char *folder)
{
	struct room *room = list_element(&facts->arena, facts, rooms, room, folder);
	struct statvfs fs;

	if (statvfs(folder, &fs)) {
		room->size_bytes = room->available_bytes = no_u64(state_of_errno(-errno), name_of_errno(-errno));
		return;
	}
	room->is_read_only = val_bool(fs.f_flag & ST_RDONLY);
	/* A file system that grows on demand has no meaningful free space. */
	if (!fs.f_blocks) {
		room->size_bytes = room->available_bytes = no_u64(VAL_ABSENT, "no limit");
		return;
	}
	room->size_bytes = val_u64((uint64_t)fs.f_blocks * fs.f_frsize);
	room->available_bytes = val_u64((uint64_t)fs.f_bavail * fs.f_frsize);
	room->available_files = fs.f_files ? val_u64(fs.f_favail) : no_u64(VAL_ABSENT, "no such limit");
}

/* A recording has no file systems to ask. */
void upgrade_disk_space_read(struct probe_env *env, struct snapshot *facts)
{
	dev_t known[ARRAY_SIZE(folders)];
	size_t nr = 0;

	if (!root_is_live(env->root)) {
		facts->listed.rooms = no_u64(VAL_UNSUPPORTED, "not possible on a recording");
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		bool is_known_already = false;
		struct stat st;

		if (root_stat(env->root, &st, "%s", folders[i]))
			continue;
		for (size_t k = 0; k < nr; k++)
			is_known_already |= known[k] == st.st_dev;
		if (is_known_already)
			continue;
		known[nr++] = st.st_dev;
		read_room(facts, folders[i]);
	}
	facts->listed.rooms = val_u64(facts->nr_rooms);
}
