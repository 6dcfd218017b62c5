// SPDX-License-Identifier: GPL-2.0-or-later
/* nvml_health.c - errors of a GPU's memory and link, what was done about them, and what the driver asks for. */
#include "base/compat.h"
#include "probe/nvidia/nvml.h"

static void read_fields(struct nvml_asked *asked, struct nvml_gpu *ret)
{
	/* nvmlDeviceGpuRecoveryAction_t */
	static const char *const actions[] = {
		"none", "reset-gpu", "reboot-node", "drain-p2p", "drain-and-reset", "recover-imex",
	};
	enum { ACTION, RECOVERIES, CORRECTABLE, NONFATAL, FATAL, MEMORY, SHUTDOWN, SLOWDOWN, MEMORY_MAX, GPU_MAX, C2C, POWER, NR };
	struct nvml_field fields[NR] = {
		[ACTION] = { .id = NVML_FIELD_RECOVERY_ACTION },
		[RECOVERIES] = { .id = NVML_FIELD_PCIE_RECOVERIES },
		[CORRECTABLE] = { .id = NVML_FIELD_PCIE_CORRECTABLE },
		[NONFATAL] = { .id = NVML_FIELD_PCIE_NONFATAL },
		[FATAL] = { .id = NVML_FIELD_PCIE_FATAL },
		[MEMORY] = { .id = NVML_FIELD_MEMORY_TEMPERATURE },
		[SHUTDOWN] = { .id = NVML_FIELD_MARGIN_SHUTDOWN },
		[SLOWDOWN] = { .id = NVML_FIELD_MARGIN_SLOWDOWN },
		[MEMORY_MAX] = { .id = NVML_FIELD_MARGIN_MEMORY_MAX },
		[GPU_MAX] = { .id = NVML_FIELD_MARGIN_MAX },
		[C2C] = { .id = NVML_FIELD_C2C_LINKS },
		[POWER] = { .id = NVML_FIELD_POWER_INSTANT },
	};
	struct val_u64 action;

	nvml_ask_fields(asked, fields, NR);
	action = nvml_field_u64(asked, &fields[ACTION]);
	ret->recovery_action = is_known(action) ?
		nvml_word(asked, 0, u64_or(action, 0), actions, ARRAY_SIZE(actions)) :
		no_str(action.state, action.why);
	ret->pcie_recoveries = nvml_field_u64(asked, &fields[RECOVERIES]);
	ret->pcie_correctable = nvml_field_u64(asked, &fields[CORRECTABLE]);
	ret->pcie_nonfatal = nvml_field_u64(asked, &fields[NONFATAL]);
	ret->pcie_fatal = nvml_field_u64(asked, &fields[FATAL]);
	ret->memory_temperature_c = nvml_field_celsius(asked, &fields[MEMORY]);
	ret->margin_shutdown_c = nvml_field_margin(asked, &fields[SHUTDOWN]);
	ret->margin_slowdown_c = nvml_field_margin(asked, &fields[SLOWDOWN]);
	ret->margin_memory_max_c = nvml_field_margin(asked, &fields[MEMORY_MAX]);
	ret->margin_max_c = nvml_field_margin(asked, &fields[GPU_MAX]);
	ret->c2c_links = nvml_field_u64(asked, &fields[C2C]);
	ret->power_instant_mw = nvml_field_u64(asked, &fields[POWER]);
}

static struct val_u64 ecc_total(struct nvml_asked *asked, int type, int since)
{
	uint64_t count = 0;
	int error = nvml_ask(asked, nvmlDeviceGetTotalEccErrors, asked->device, type, since, &count);

	return nvml_u64(asked, error, count);
}

static struct val_u64 ecc_at(struct nvml_asked *asked, int since, int place)
{
	uint64_t count = 0;
	int error = nvml_ask(asked, nvmlDeviceGetMemoryErrorCounter, asked->device, NVML_UNCORRECTED, since, place,
			     &count);

	return nvml_u64(asked, error, count);
}

static void read_sram(struct nvml_asked *asked, struct nvml_gpu *ret)
{
	struct nvml_sram_errors sram = { .version = NVML_VERSION_WORD(sram, 1) };
	int error = nvml_ask(asked, nvmlDeviceGetSramEccErrorStatus, asked->device, &sram);

	ret->sram_threshold_exceeded = nvml_bool(asked, error, sram.threshold_exceeded);
	if (error)
		ret->sram_uncorrected_lifetime = ecc_at(asked, NVML_LIFETIME, NVML_IN_SRAM);
	else
		ret->sram_uncorrected_lifetime = nvml_u64(asked, 0, sram.lifetime_parity + sram.lifetime_secded);
}

static void read_ecc(struct nvml_asked *asked, struct nvml_gpu *ret)
{
	unsigned now = 0, pending = 0;
	int error = nvml_ask(asked, nvmlDeviceGetEccMode, asked->device, &now, &pending);

	ret->ecc_enabled = nvml_bool(asked, error, now);
	ret->ecc_pending = nvml_bool(asked, error, pending);
	error = nvml_ask(asked, nvmlDeviceGetDefaultEccMode, asked->device, &now);
	ret->ecc_default = nvml_bool(asked, error, now);
	ret->ecc_corrected = ecc_total(asked, NVML_CORRECTED, NVML_SINCE_RESET);
	ret->ecc_uncorrected = ecc_total(asked, NVML_UNCORRECTED, NVML_SINCE_RESET);
	ret->ecc_corrected_lifetime = ecc_total(asked, NVML_CORRECTED, NVML_LIFETIME);
	ret->ecc_uncorrected_lifetime = ecc_total(asked, NVML_UNCORRECTED, NVML_LIFETIME);
	ret->dram_uncorrected = ecc_at(asked, NVML_SINCE_RESET, NVML_IN_DRAM);
	ret->sram_uncorrected = ecc_at(asked, NVML_SINCE_RESET, NVML_IN_SRAM);
	read_sram(asked, ret);
}

/* Remapped rows as values: each may be known or not. */
struct row_values { struct val_u64 corrected, uncorrected, pending, failed; };

static bool is_no_answer(int error)
{
	return error == NVML_ERROR_FUNCTION_NOT_FOUND || error == NVML_ERROR_NOT_SUPPORTED;
}

/* Where no call of this driver tells, or not while the GPU is divided (MIG): what its fields tell, if anything. */
static void ask_row_fields(struct nvml_asked *asked, struct row_values *ret)
{
	struct val_u64 *const values[] = { &ret->corrected, &ret->uncorrected, &ret->pending, &ret->failed };
	struct nvml_field fields[ARRAY_SIZE(values)];

	for (unsigned i = 0; i < ARRAY_SIZE(fields); i++)
		fields[i] = (struct nvml_field){ .id = NVML_FIELD_ROWS_REMAPPED + i };
	nvml_ask_fields(asked, fields, ARRAY_SIZE(fields));
	for (unsigned i = 0; i < ARRAY_SIZE(fields); i++) {
		struct val_u64 value = nvml_field_u64(asked, &fields[i]);

		if (is_known(value))
			*values[i] = value;
	}
}

/* The older call has one count where the newer one tells rows that are in use from those that are no more. */
static void ask_rows(struct nvml_asked *asked, struct row_values *ret)
{
	struct nvml_rows rows = { 0 };
	int error = nvml_ask(asked, nvmlDeviceGetRemappedRows_v2, asked->device, &rows);

	if (error == NVML_ERROR_FUNCTION_NOT_FOUND)
		error = nvml_ask(asked, nvmlDeviceGetRemappedRows, asked->device, &rows.corrected, &rows.uncorrected,
				 &rows.pending, &rows.failed);
	ret->corrected = nvml_u64(asked, error, rows.corrected);
	ret->uncorrected = nvml_u64(asked, error, rows.uncorrected);
	ret->pending = nvml_u64(asked, error, rows.pending);
	ret->failed = nvml_u64(asked, error, rows.failed);
	if (is_no_answer(error))
		ask_row_fields(asked, ret);
}

static struct val_bool flag(struct val_u64 value)
{
	return is_known(value) ? val_bool(u64_or(value, 0)) : no_bool(value.state, value.why);
}

static void read_rows(struct nvml_asked *asked, struct nvml_gpu *ret)
{
	struct row_values rows;
	struct nvml_banks banks = { 0 };
	int error;

	ask_rows(asked, &rows);
	ret->rows_remapped_corrected = rows.corrected;
	ret->rows_remapped_uncorrected = rows.uncorrected;
	ret->remap_pending = flag(rows.pending);
	ret->remap_failed = flag(rows.failed);
	error = nvml_ask(asked, nvmlDeviceGetRowRemapperHistogram, asked->device, &banks);
	ret->banks_all_spares = nvml_u64(asked, error, banks.max);
	ret->banks_few_spares = nvml_u64(asked, error, banks.low);
	ret->banks_no_spares = nvml_u64(asked, error, banks.none);
}

/* Without room for addresses the answer is how many there are. */
static struct val_u64 retired_pages(struct nvml_asked *asked, int cause)
{
	unsigned nr = 0;
	int error;

	if (asked->nvml->nvmlDeviceGetRetiredPages_v2)
		error = nvml_ask(asked, nvmlDeviceGetRetiredPages_v2, asked->device, cause, &nr, NULL, NULL);
	else
		error = nvml_ask(asked, nvmlDeviceGetRetiredPages, asked->device, cause, &nr, NULL);
	return nvml_u64(asked, error == NVML_ERROR_INSUFFICIENT_SIZE ? 0 : error, nr);
}

static void read_repairs(struct nvml_asked *asked, struct nvml_gpu *ret)
{
	struct nvml_repair repair = { .version = NVML_VERSION_WORD(repair, 1) };
	unsigned number = 0;
	int error;

	ret->pages_retired_single_bit = retired_pages(asked, 0);
	ret->pages_retired_double_bit = retired_pages(asked, 1);
	error = nvml_ask(asked, nvmlDeviceGetRetiredPagesPendingStatus, asked->device, &number);
	ret->retirement_pending = nvml_bool(asked, error, number);
	error = nvml_ask(asked, nvmlDeviceGetRepairStatus, asked->device, &repair);
	ret->channel_repair_pending = nvml_bool(asked, error, repair.channel_pending);
	ret->tpc_repair_pending = nvml_bool(asked, error, repair.tpc_pending);
	error = nvml_ask(asked, nvmlDeviceGetUnrepairableMemoryFlag_v1, asked->device, &number);
	ret->memory_unrepairable = nvml_bool(asked, error, number);
	error = nvml_ask(asked, nvmlDeviceValidateInforom, asked->device);
	ret->inforom_valid = error == NVML_ERROR_CORRUPTED_INFOROM ? val_bool(false) : nvml_bool(asked, error, 1);
}

void nvml_read_health(struct nvml_asked *asked)
{
	struct nvml_gpu *ret = &nvml_facts(asked)->nvml;

	read_fields(asked, ret);
	nvml_flush(asked);
	ret = &nvml_facts(asked)->nvml;
	read_ecc(asked, ret);
	nvml_flush(asked);
	ret = &nvml_facts(asked)->nvml;
	read_rows(asked, ret);
	read_repairs(asked, ret);
	nvml_flush(asked);
}
