/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * intel.h - what i915 and xe tell of one GPU in files, part by part.
 *
 * Paths are below the GPU's folder of /sys/bus/pci/devices. Whatever xe tells
 * it asks of a card that it wakes first: readers of card.h leave one alone
 * that sleeps.
 */
#pragma once

#include "probe/device/card.h"
#include "probe/device/hwmon.h"

enum { INTEL_MAX_GTS = 16 };

/* A part of a GPU with clocks of its own. */
struct intel_gt_place {
	char key[24];			/* "0/1": tile and part; of i915 "0" */
	/* what its clock files begin with: "tile0/gt1/freq0/", "drm/card0/gt/gt0/rps_" */
	char clocks[80];
	char reasons[80];		/* what its reasons begin with: "tile0/gt1/freq0/throttle/reason_" */
	bool is_xe;
	bool is_graphics;		/* else its media part */
};

struct intel_paths {
	struct intel_gt_place gts[INTEL_MAX_GTS];
	size_t nr_gts, tiles;
	char hwmon[HWMON_BYTES];	/* "hwmon/hwmon3/"; empty: there is none */
};

/* Reads folder names only, which never calls into the driver. */
void intel_find_places(const struct root *root, const char *address, struct intel_paths *ret);

/* Milli-degrees as hwmon writes them; what no chip can have is an error. */
struct val_f64 intel_temperature(struct arena *arena, struct val_str text);

/* intel_hwmon.c: temperatures, fans, power limits */
void intel_read_sensors(struct card *card, const struct intel_paths *places, struct intel_files *ret);
/* intel_gts.c: clocks and what holds them back */
void intel_read_gts(struct card *card, const struct intel_paths *places, struct intel_files *ret);
