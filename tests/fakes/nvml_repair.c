// SPDX-License-Identifier: GPL-2.0-or-later
/* nvml_repair.c - retired pages, remapped rows, repair. See nvml.c. */
#include "nvml_answer.h"

#include <stdio.h>

/* 16 pages in a column, a second apart. */
static int retired_pages(const char *call, device_t device, u32 cause, u32 *count, u64 *addresses, u64 *times)
{
	DETAIL("%u", cause);
	const struct gpu *gpu;
	long long pages;
	u32 room = *count;
	int error = enter_gpu(call, device, detail, &gpu);

	if (!error && cause > 1)
		error = misuse(call, "cause", NVML_INVALID_ARGUMENT);
	if (!error)
		error = tell_item(cJSON_GetArrayItem(member(gpu->said, "pages_retired"), (int)cause), NOT_SUPPORTED,
				  &pages);
	if (error)
		return error;
	for (u32 i = 0; i < (u32)pages && i < room && addresses; i++) {
		addresses[i] = 0x1000ULL * (i + 1);
		if (times)
			times[i] = 1700000000ULL * 1000000 + i * 1000000ULL;
	}
	*count = (u32)pages;
	return pages > room || (pages && !addresses && room) ? NVML_INSUFFICIENT_SIZE : NVML_SUCCESS;
}

API(nvmlDeviceGetRetiredPages_v2, device_t device, u32 cause, u32 *count, u64 *addresses, u64 *times)
{
	return retired_pages(__func__, device, cause, count, addresses, times);
}

API(nvmlDeviceGetRetiredPages, device_t device, u32 cause, u32 *count, u64 *addresses)
{
	return retired_pages(__func__, device, cause, count, addresses, NULL);
}

NUMBER(nvmlDeviceGetRetiredPagesPendingStatus, "retirement_pending", NOT_SUPPORTED)

struct rows {
	u32 corrected, uncorrected, pending, failed;
};

static int rows_of(const char *call, device_t device, struct rows *rows)
{
	static const char *const keys[] = {"rows_remapped_corrected", "rows_remapped_uncorrected", "remap_pending",
					   "remap_failed"};
	const struct gpu *gpu;
	long long values[4] = {0};
	int error = enter_gpu(call, device, "", &gpu);

	for (int i = 0; i < 4 && !error; i++)
		error = tell(gpu->said, keys[i], 0, &values[i]);
	*rows = (struct rows){(u32)values[0], (u32)values[1], (u32)values[2], (u32)values[3]};
	return error;
}

API(nvmlDeviceGetRemappedRows, device_t device, u32 *corrected, u32 *uncorrected, u32 *pending, u32 *failed)
{
	struct rows rows;
	int error = rows_of(__func__, device, &rows);

	if (!error) {
		*corrected = rows.corrected;
		*uncorrected = rows.uncorrected;
		*pending = rows.pending;
		*failed = rows.failed;
	}
	return error;
}

struct rows_v2 {
	u32 corrected, corrected_inactive, uncorrected, uncorrected_inactive, pending, failed;
};

API(nvmlDeviceGetRemappedRows_v2, device_t device, struct rows_v2 *out)
{
	struct rows rows;
	int error = rows_of(__func__, device, &rows);

	if (!error)
		*out = (struct rows_v2){rows.corrected, 0, rows.uncorrected, 0, rows.pending, rows.failed};
	return error;
}

API(nvmlDeviceGetRowRemapperHistogram, device_t device, u32 *banks)
{
	const struct gpu *gpu;
	long long value, usual[] = {2560, 0, 0, 0, 0};
	int error = enter_gpu(__func__, device, "", &gpu);
	const cJSON *said = error ? NULL : member(gpu->said, "banks");

	if (!error && said && !cJSON_IsArray(said))
		error = tell_item(said, 0, &value);
	for (int i = 0; i < 5 && !error; i++) {
		error = tell_item(cJSON_GetArrayItem(said, i), usual[i], &value);
		banks[i] = (u32)value;
	}
	return error;
}

struct repair {
	u32 version, channel, tpc;
};

API(nvmlDeviceGetRepairStatus, device_t device, struct repair *out)
{
	const struct gpu *gpu;
	long long channel, tpc;
	int error;

	if (out->version != VERSION(sizeof(*out), 1))
		return misuse(__func__, "version", NVML_ARGUMENT_VERSION_MISMATCH);
	error = enter_gpu(__func__, device, "", &gpu);
	if (!error)
		error = tell(gpu->said, "channel_repair_pending", 0, &channel);
	if (!error)
		error = tell(gpu->said, "tpc_repair_pending", 0, &tpc);
	if (!error)
		*out = (struct repair){out->version, (u32)channel, (u32)tpc};
	return error;
}

NUMBER(nvmlDeviceGetUnrepairableMemoryFlag_v1, "memory_unrepairable", 0)
