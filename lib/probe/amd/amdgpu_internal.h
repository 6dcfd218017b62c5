/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * amdgpu_internal.h - the parts of what amdgpu tells of one GPU. Private to
 * amdgpu*.c. Each fills its own fields of gpu->amdgpu, and of gpu->clients
 * and gpu->links; what is read of a card that sleeps is told by the card.
 */
#pragma once

#include "format/amdgpu_metrics.h"
#include "probe/device/card.h"

/* amdgpu_sensors.c: temperatures, power and fan, by the labels of hwmon (Linux 7.2 pm/amdgpu_pm.c). */
struct amdgpu_sensors {
	struct val_u64 clock_mhz, memory_clock_mhz;	/* freq*_input of sclk and mclk */
};
void amdgpu_read_sensors(struct card *card, struct amdgpu_files *files, struct amdgpu_sensors *ret);

/* amdgpu_clocks.c: clocks and the slot's link, from pp_dpm_* first, else from the sensors and the table. */
void amdgpu_read_clocks(struct card *card, struct amdgpu_files *files, const struct amdgpu_sensors *sensors,
			const struct amdgpu_metrics *metrics);

/* amdgpu_ras.c: errors by block, pages out of use. */
void amdgpu_read_ras(struct card *card, struct amdgpu_files *files);

/* amdgpu_links.c: the xGMI hive, and the links in the metrics table. */
void amdgpu_read_links(struct card *card, struct gpu *gpu, const struct amdgpu_metrics *metrics);

/* amdgpu_kfd.c: nodes of the compute driver, partitions, processes. Asks no hardware. */
void amdgpu_read_kfd(struct card *card, struct gpu *gpu);
