/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * temperature.h - how far a GPU's sensors are below the temperature at which it slows
 * itself.
 *
 * The limit is the sensor's own, as the GPU tells it. NVIDIA's GPUs since Ada
 * tell the distance instead, which supersedes absolute thresholds (nvml.h of
 * CUDA 12.4, NVML_FI_DEV_TEMPERATURE_*_TLIMIT): 0 is where it slows itself.
 */
#pragma once

#include "snapshot/snapshot.h"

/* A sensor that vendors' records know by these names. */
struct sensor {
	const char *words;		/* "chip" */
	const char *temperature, *limit;
	const char *margin;		/* NULL: not reported */
};
enum { NR_SENSORS = 3 };
extern const struct sensor sensors[NR_SENSORS];

/* Of the chip the highest temperature of the window counts, where that was higher than the one read at its end. */
struct temperature {
	const struct sensor *sensor;	/* whose temperature, margin and limit these are */
	bool has_temperature, has_margin;
	double temperature, margin;	/* °C */
};
struct temperature sensor_temperature(const struct gpu *gpu, const struct sensor *sensor);

/* Of the sensor that is nearest to its own limit; of the chip where none has one. */
struct temperature gpu_temperature(const struct gpu *gpu);

/* The same of all GPUs under test. */
struct temperature node_temperature(const struct snapshot *snapshot);
