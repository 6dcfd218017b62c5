// SPDX-License-Identifier: GPL-2.0-or-later
/* nvml_ecc.c - counts of ECC errors. See nvml.c. */
#include "nvml_answer.h"

#include <stdio.h>

/* Of a GPU whose ECC is off or that has none there are no counts. */
static int enter_ecc(const char *call, device_t device, const char *detail, const struct gpu **gpu)
{
	long long enabled = 0;
	int error = enter_gpu(call, device, detail, gpu);

	if (!error)
		error = tell((*gpu)->said, "ecc_enabled", 1, &enabled);
	return !error && !enabled ? NVML_NOT_SUPPORTED : error;
}

API(nvmlDeviceGetEccMode, device_t device, u32 *current, u32 *pending)
{
	const struct gpu *gpu;
	long long now, then;
	int error = enter_gpu(__func__, device, "", &gpu);

	if (!error)
		error = tell(gpu->said, "ecc_enabled", 1, &now);
	if (!error)
		error = tell(gpu->said, "ecc_pending", now, &then);
	if (!error) {
		*current = (u32)now;
		*pending = (u32)then;
	}
	return error;
}

NUMBER(nvmlDeviceGetDefaultEccMode, "ecc_default", 1)

static int total_errors(const struct gpu *gpu, u32 type, u32 counter, long long *count)
{
	static const char *const keys[2][2] = {{"ecc_corrected", "ecc_corrected_lifetime"},
					       {"ecc_uncorrected", "ecc_uncorrected_lifetime"}};

	return tell(gpu->said, keys[type][counter], 0, count);
}

API(nvmlDeviceGetTotalEccErrors, device_t device, u32 type, u32 counter, u64 *count)
{
	DETAIL("%u %u", type, counter);
	const struct gpu *gpu;
	long long value;
	int error;

	if (type > 1 || counter > 1)
		return misuse(__func__, "type", NVML_INVALID_ARGUMENT);
	error = enter_ecc(__func__, device, detail, &gpu);
	if (!error)
		error = total_errors(gpu, type, counter, &value);
	if (!error)
		*count = (u64)value;
	return error;
}

/* In main memory and on the chip; the other places are of older GPUs. */
static int located_errors(const struct gpu *gpu, u32 type, u32 counter, u32 location, long long *count)
{
	static const char *const keys[2][2][2] = {
		{{"dram_corrected", "dram_corrected_lifetime"}, {"dram_uncorrected", "dram_uncorrected_lifetime"}},
		{{"sram_corrected", "sram_corrected_lifetime"}, {"sram_uncorrected", "sram_uncorrected_lifetime"}}};
	long long total = 0;

	if (location != 2 && location != 7)
		return NVML_NOT_SUPPORTED;
	total_errors(gpu, type, counter, &total);
	return tell(gpu->said, keys[location == 7][type][counter], location == 2 ? total : 0, count);
}

API(nvmlDeviceGetMemoryErrorCounter, device_t device, u32 type, u32 counter, u32 location, u64 *count)
{
	DETAIL("%u %u %u", type, counter, location);
	const struct gpu *gpu;
	long long value;
	int error;

	if (type > 1 || counter > 1 || location > 7)
		return misuse(__func__, "type", NVML_INVALID_ARGUMENT);
	error = enter_ecc(__func__, device, detail, &gpu);
	if (!error)
		error = located_errors(gpu, type, counter, location, &value);
	if (!error)
		*count = (u64)value;
	return error;
}

struct ecc_counts {
	u64 l1, l2, memory, registers;
};

API(nvmlDeviceGetDetailedEccErrors, device_t device, u32 type, u32 counter, struct ecc_counts *counts)
{
	u64 value;
	int error = nvmlDeviceGetTotalEccErrors(device, type, counter, &value);

	if (!error)
		*counts = (struct ecc_counts){.memory = value};
	return error;
}

struct sram_status {
	u32 version;
	u64 uncorrected_parity, uncorrected_secded, corrected, now_uncorrected_parity, now_uncorrected_secded,
		now_corrected;
	u64 places[5];
	u32 exceeded;
};

API(nvmlDeviceGetSramEccErrorStatus, device_t device, struct sram_status *out)
{
	const struct gpu *gpu;
	long long ever, now, exceeded;
	int error;

	if (out->version != VERSION(sizeof(*out), 1))
		return misuse(__func__, "version", NVML_ARGUMENT_VERSION_MISMATCH);
	error = enter_ecc(__func__, device, "", &gpu);
	if (!error)
		error = tell(gpu->said, "sram_threshold_exceeded", 0, &exceeded);
	if (!error)
		error = tell(gpu->said, "sram_uncorrected_lifetime", 0, &ever);
	if (!error)
		error = tell(gpu->said, "sram_uncorrected", 0, &now);
	if (!error)
		*out = (struct sram_status){.version = out->version,
					    .uncorrected_parity = (u64)ever,
					    .now_uncorrected_parity = (u64)now,
					    .places = {(u64)ever},
					    .exceeded = (u32)exceeded};
	return error;
}

_Static_assert(sizeof(struct sram_status) == 104, "nvmlEccSramErrorStatus_v1_t");
