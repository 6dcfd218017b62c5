// SPDX-License-Identifier: GPL-2.0-or-later
/* sample_host_disks.c - disks in a tick: whole ones, as probe "system" lists them. */
#include "base/compat.h"
#include "probe/sample/sample_host_internal.h"

#include "base/alloc.h"
#include "probe/read.h"
#include "probe/system/system_internal.h"
#include "probe/window_rates.h"

enum {
	MAX_KINDS = 4096,		/* names that are remembered: partitions too */
	DISKSTATS_BYTES = 1 << 20,
	SECTOR_BYTES = 512,		/* whatever the disk's own are */
	FORGET_TICKS = 600,		/* a name may be another device's by then */
};

/* Whether a name is a disk's takes three files to tell: asked once. */
struct disk_kind {
	char name[64];
	bool is_disk;
};

static bool is_disk(struct host_disks *disks, struct sample_env *env, const char *name)
{
	struct probe_env probe = { .root = env->root, .lock_fd = -1 };
	struct disk_kind *kind;

	for (size_t i = 0; i < disks->nr_kinds; i++)
		if (!strcmp(disks->kinds[i].name, name))
			return disks->kinds[i].is_disk;
	if (disks->nr_kinds == MAX_KINDS)
		return false;
	disks->kinds = xrealloc(disks->kinds, (disks->nr_kinds + 1) * sizeof(*disks->kinds));
	kind = &disks->kinds[disks->nr_kinds++];
	*kind = (struct disk_kind){ .is_disk = is_listed_disk(&probe, name) };
	snprintf(kind->name, sizeof(kind->name), "%s", name);
	return kind->is_disk;
}

static void add_disk(struct tick *ret, const char *name, const struct disk_counts *counts)
{
	const char *key = text_cleaned(&ret->arena, name, strlen(name));
	struct tick_disk *disk = list_element(&ret->arena, ret, disks, tick_disk, key);

	disk->reads = val_u64(counts->reads);
	disk->read_bytes = val_u64(counts->sectors_read * SECTOR_BYTES);
	disk->read_ms = val_u64(counts->read_ms);
	disk->writes = val_u64(counts->writes);
	disk->written_bytes = val_u64(counts->sectors_written * SECTOR_BYTES);
	disk->write_ms = val_u64(counts->write_ms);
	disk->in_flight = val_u64(counts->in_flight);
	disk->busy_ms = val_u64(counts->busy_ms);
	disk->queue_ms = counts->queue_ms;
}

/* Slashes in a name are exclamation marks in /sys. */
static void name_in_sys(char *name)
{
	for (; *name; name++)
		*name = *name == '/' ? '!' : *name;
}

void host_disks_read(struct host_disks *disks, struct sample_env *env, struct tick *ret)
{
	struct disk_counts counts;
	uint64_t left_out = 0;
	char name[64];

	if (++disks->ticks % FORGET_TICKS == 0)
		disks->nr_kinds = 0;
	kept_text_read(&disks->file, env->root, "/proc/diskstats", DISKSTATS_BYTES);
	for (const char *line = disks->file.text.buf; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		if (!disk_counts_parse(line, name, &counts))
			continue;
		name_in_sys(name);
		if (!is_disk(disks, env, name))
			continue;
		if (ret->nr_disks < HOST_MAX_DISKS)
			add_disk(ret, name, &counts);
		else
			left_out++;
	}
	ret->host.disks_left_out = val_u64(left_out);
	if (disks->file.error)
		ret->host.disks_left_out = no_u64(state_of_errno(disks->file.error), name_of_errno(disks->file.error));
}

void host_disks_release(struct host_disks *disks)
{
	kept_text_release(&disks->file);
	free(disks->kinds);
}
