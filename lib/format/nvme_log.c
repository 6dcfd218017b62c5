// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "format/nvme_log.h"

enum { KELVIN_AT_0_C = 273 };

static uint64_t little_endian(const unsigned char *at, size_t len)
{
	uint64_t value = 0;

	for (size_t i = len; i-- > 0;)
		value = value << 8 | at[i];
	return value;
}

static struct val_u64 counter(const unsigned char *at)
{
	return val_u64(little_endian(at + 8, 8) ? UINT64_MAX : little_endian(at, 8));
}

/* 0 K: not measured. */
static struct val_f64 temperature(const unsigned char *at)
{
	uint64_t kelvin = little_endian(at, 2);

	return kelvin ? val_f64((double)kelvin - KELVIN_AT_0_C) : no_f64(VAL_ABSENT, "not reported");
}

void nvme_health_set_unknown(struct nvme_health *ret, enum val_state state, const char *why)
{
	ret->critical_warning = ret->spare_percent = ret->spare_threshold_percent = ret->used_percent =
		no_u64(state, why);
	ret->media_errors = ret->power_on_hours = ret->unsafe_shutdowns = no_u64(state, why);
	ret->hot_minutes = ret->too_hot_minutes = no_u64(state, why);
	ret->temperature_c = no_f64(state, why);
}

void nvme_health_decode(const unsigned char log[NVME_HEALTH_LOG_BYTES], struct nvme_health *ret)
{
	bool is_all_ones = true;

	for (size_t i = 0; i < NVME_HEALTH_LOG_BYTES; i++)
		is_all_ones = is_all_ones && log[i] == 0xff;
	if (is_all_ones) {
		nvme_health_set_unknown(ret, VAL_LOST, "the log reads all ones");
		return;
	}
	ret->critical_warning = val_u64(log[0]);
	ret->temperature_c = temperature(log + 1);
	ret->spare_percent = val_u64(log[3]);
	ret->spare_threshold_percent = val_u64(log[4]);
	ret->used_percent = val_u64(log[5]);
	ret->power_on_hours = counter(log + 128);
	ret->unsafe_shutdowns = counter(log + 144);
	ret->media_errors = counter(log + 160);
	ret->hot_minutes = val_u64(little_endian(log + 192, 4));
	ret->too_hot_minutes = val_u64(little_endian(log + 196, 4));
}
