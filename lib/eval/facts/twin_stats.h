/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * twin_stats.h - what a GPU's twins do, and figures made of samples: arithmetic
 * that several checks share.
 */
#pragma once

#include "base/stats.h"
#include "base/units.h"
#include "snapshot/snapshot.h"

/* GPUs of the same vendor, device and board are twins; a GPU is not its own. */
bool gpus_are_twins(const struct gpu *a, const struct gpu *b);

/*
 * The widest link among its twins at that place of their paths (link.h); 0 where it has none, or none is known. What
 * they reached at work counts where it was seen at work too: an idle link may be narrow.
 */
uint64_t twins_widest_link(const struct snapshot *snapshot, const struct gpu *gpu, size_t place);

/* The fastest, by what was seen at any time; 0 likewise. */
uint64_t twins_fastest_link(const struct snapshot *snapshot, const struct gpu *gpu, size_t place);

/* The timing of that test on a device, or NULL. */
const struct timing *device_timing(const struct ocl_device *device, const char *test);

/*
 * A timing as a figure: GB/s for transfers and memory, GFLOP/s for compute,
 * nanoseconds for latencies. Median and spread are of the figure, not of the
 * times. False where it has no samples, or one of them is no time.
 */
bool timing_figure(const struct timing *timing, enum unit *ret_unit, struct stats *ret);

/*
 * What a GPU's memory, and its units in single precision, can at most, and by
 * whose word: from memory clock and bus width where they are known, else from
 * the table of models (models.h). False: nothing tells. A GPU that is divided
 * has the figures of a part, which are not known.
 */
struct peak {
	double figure;			/* GB/s or GFLOP/s */
	const char *how;		/* "memory_clock_max_mhz × memory_bus_bits × 2", "NVIDIA H100 data sheet" */
};
bool gpu_memory_peak(const struct gpu *gpu, struct peak *ret);
bool gpu_fp32_peak(const struct gpu *gpu, struct peak *ret);

/* Is it used in parts, each with an OpenCL device of its own (MIG instances, AMD's compute partitions)? */
bool gpu_is_divided(const struct gpu *gpu);

/* Median figure of that test over the OpenCL devices of a GPU's twins; false where there is none. */
bool twins_figure(const struct snapshot *snapshot, const struct gpu *gpu, const char *test, double *ret);
