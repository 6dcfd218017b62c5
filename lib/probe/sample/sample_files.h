/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample_files.h - GPUs of AMD and Intel, again and again, by the files of their drivers: sysfs, the compute driver's
 * list of processes (KFD), and fdinfo of DRM clients. Nothing of a GPU that sleeps is read, and never pcie_bw, which
 * would take a second.
 */
#pragma once

#include "probe/device/gpu_nodes.h"
#include "probe/gpu/file_sampler.h"
#include "probe/amd/kfd.h"
#include "probe/sample/sample.h"

/* Time throttled, added up from the shares of tables that count it. */
struct throttled { uint64_t power_cap_ns, thermal_ns, brake_ns; };

struct files_gpu {
	const char *address, *driver, *slot;
	struct file_sampler sampler;
	struct cached_fd vram_used;
	struct val_head unread;		/* why it is not read in this tick; VAL_UNSET: it is */
	uint64_t read_ns;		/* the last time it was; 0: never */
	struct throttled throttled;

	uint64_t parts[KFD_MAX_PARTS];	/* of KFD: gpu_id of each */
	size_t nr_parts;

	struct engines grown;		/* what its clients did since the last tick */
};

struct drm_watched;

/* Clients of DRM nodes: found by going through /proc, a few milliseconds in a tick. */
struct drm_watch {
	struct drm_watched *list;
	size_t nr, room;
	struct name_list pids;		/* of the walk under way */
	size_t at;			/* the next of them */
	uint64_t walk_ns;		/* when it began; 0: none did */
	bool has_walked;		/* one has come to its end: all clients that could be seen are known */
	bool is_full;			/* more than are watched */
	uint64_t read_ns;		/* when they were read last */
};

struct sample_files {
	struct sample_env *env;
	struct probe_env probe;
	struct arena arena;		/* for as long as it is open */
	struct gpu_nodes nodes;
	struct files_gpu *gpus;
	size_t nr_gpus;
	bool has_host_pids;		/* processes have the numbers by which KFD knows them */
	bool sees_all;			/* every client's fdinfo may be read */
	bool has_kfd;
	struct drm_watch drm;
	uint64_t now_ns;
};

/* ---- sample_kfd.c */

/* Which nodes of KFD are parts of the GPUs: asked once. */
void kfd_open(struct sample_files *own);
/* Processes of all GPUs. */
void kfd_read(struct sample_files *own, struct tick *ret);

/* ---- sample_drm.c */

void drm_read(struct sample_files *own, struct tick *ret);
void drm_close(struct sample_files *own);

/* Of all that clients did: use of the GPU's busiest engine, where its driver has no figure of its own. */
struct val_f64 drm_busy(const struct sample_files *own, const struct files_gpu *gpu);
