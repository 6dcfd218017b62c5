/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file_sampler.h - one sample of a GPU, from the files of amdgpu, i915 and xe: its use, clocks, power, heat, link, and
 * what holds its clocks back. None of these files blocks, as amdgpu's pcie_bw would.
 *
 * Reading them wakes a GPU that sleeps, xe's clients too (K7.2 xe_drm_client.c): its power state is asked first, which
 * wakes nothing. Over the window a slot's link is read only of a GPU at work, as at rest it may be slower and narrower
 * than it can be: a GPU at work keeps all above it awake.
 */
#pragma once

#include "format/amdgpu_metrics.h"
#include "probe/gpu/drm_clients.h"
#include "snapshot/sample_fold.h"
#include "sys/cached_fd.h"

/* Where its utilization comes from. */
enum use_source { USE_BY_NOBODY, USE_BY_DRIVER, USE_BY_CLIENTS };

struct amdgpu_sensors;
struct intel_sensors;

struct file_sampler {
	const struct root *root;
	const char *address;
	bool is_under_load;		/* our own: its link is read at all times, and its clients are not known */
	enum use_source source;
	struct drm_clients clients;	/* over the window, for drivers without a figure of their own */
	struct cached_fd status, busy, memory_busy, speed, width, temperature;
	struct val_head no_link;	/* why its slot's link cannot be read; VAL_UNSET: it can */
	struct amdgpu_sensors *amdgpu;	/* of one driver or the other, or neither */
	struct intel_sensors *intel;
	struct arena arena;		/* of one sample */
};

/* ---- file_sampler.c */

/*
 * Opens its files, which does not call into the driver. slot: the lower end of its slot's link, NULL where that is not
 * known. What is pointed at must outlive it, and so must the arena.
 */
void file_sampler_open(struct file_sampler *ret, struct arena *arena, const struct root *root, const char *address,
		       const char *driver, const char *slot, bool is_under_load);
/* Does its driver have files of clocks, power and throttling? */
bool file_sampler_has_sensors(const struct file_sampler *sampler);
/* Must it not be touched, by its power/runtime_status? Why, in *ret; what could not be read might sleep. */
bool gpu_status_is_asleep(const struct cached_fd *status, struct val_head *ret);
bool file_sampler_is_asleep(const struct file_sampler *sampler, struct val_head *ret);
/* Of a GPU that is awake. Texts are static. */
void file_sampler_read(struct file_sampler *sampler, struct gpu_sample *ret);
/* Its slot's link: read with the others only of a GPU at work by its own figure, or under our own load. */
void file_sampler_read_link(const struct file_sampler *sampler, struct gpu_sample *ret);
/*
 * Fills record throttle and the power after the window. Of gpu's use, samples_busy, power and clock must be filled in
 * already.
 */
void file_sampler_fill(const struct file_sampler *sampler, const struct gpu_fold *fold, struct arena *arena,
		       struct gpu *ret);
/* Nothing of it is known. */
void file_sampler_fill_none(struct val_head why, struct gpu *ret);
void file_sampler_close(struct file_sampler *sampler);

/* ---- file_sampler_amdgpu.c */

void amdgpu_sensors_open(struct file_sampler *sampler, struct arena *arena);
void amdgpu_sensors_read(struct file_sampler *sampler, struct gpu_sample *ret);
/* Shares of the whole window, by the counters of its first and last table; left alone where they have none. */
void amdgpu_sensors_fill(const struct amdgpu_sensors *sensors, struct throttle *ret);
/* The table of the last sample; NULL: it had none. */
const struct amdgpu_metrics *amdgpu_sensors_table(const struct amdgpu_sensors *sensors);
void amdgpu_sensors_close(struct amdgpu_sensors *sensors);

/*
 * Throttling by a metrics table; one that counts residencies (from version 1.6) by what they grew since the table
 * before, which may be NULL. False, with the reason in *ret_missing: not in this table. hotspot_max_c: where the card
 * slows itself by its hotspot.
 */
bool throttle_of_amdgpu(const struct amdgpu_metrics *before, const struct amdgpu_metrics *now,
			struct val_f64 hotspot_max_c, struct throttle_sample *ret, struct val_head *ret_missing);
void throttle_fill_counters(const struct amdgpu_metrics *start, const struct amdgpu_metrics *end, struct throttle *ret);

/* ---- file_sampler_intel.c */

void intel_sensors_open(struct file_sampler *sampler, struct arena *arena, bool is_xe);
void intel_sensors_read(struct file_sampler *sampler, struct gpu_sample *ret);
/* Its mean over the window, by its energy counter. */
struct val_u64 intel_sensors_power(const struct intel_sensors *sensors);
/* Its energy so far, microjoules. */
struct val_u64 intel_sensors_energy(const struct intel_sensors *sensors);
void intel_sensors_close(struct intel_sensors *sensors);

/* A list in names of i915 or xe. */
void throttle_of_intel(const char *reasons, struct throttle_sample *ret);
/* Milliwatts from microjoules; what no card can take is an error. */
struct val_u64 power_of_energy(struct val_u64 start_uj, struct val_u64 end_uj, uint64_t elapsed_ns);
