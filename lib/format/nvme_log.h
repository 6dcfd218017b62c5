/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nvme_log.h - the health log of an NVMe controller (log page 02h, SMART / Health Information; NVM Express Base
 * Specification 2.0, figure 207; linux-nvme/libnvme struct nvme_smart_log). Pure.
 */
#pragma once

#include "snapshot/snapshot.h"

enum { NVME_HEALTH_LOG_BYTES = 512 };

/* Bits of critical_warning. */
enum {
	NVME_SPARE_LOW = 1, NVME_TEMPERATURE = 2, NVME_UNRELIABLE = 4, NVME_READ_ONLY = 8, NVME_BACKUP_FAILED = 16,
	NVME_PERSISTENT_MEMORY = 32,
};

/* A log of all ones is that of a controller that does not answer. Counters of 128 bits stop at 2^64 - 1. */
void nvme_health_decode(const unsigned char log[NVME_HEALTH_LOG_BYTES], struct nvme_health *ret);
/* One state for all of it. */
void nvme_health_set_unknown(struct nvme_health *ret, enum val_state state, const char *why);
