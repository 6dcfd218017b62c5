// SPDX-License-Identifier: GPL-2.0-or-later
/* nvml_health.c - errors of a GPU's memory and link, what was done about them, and what the driver asks for. */
#include "base/compat.h"
#include "probe/nvidia/nvml.h"

static void read_fields(struct nvml_session *session, struct nvml_gpu *ret)
{
	enum { ACTION, RECOVERIES, CORRECTABLE, NONFATAL, FATAL, MEMORY, SHUTDOWN, SLOWDOWN, MEMORY_MAX, GPU_MAX, C2C,
		POWER, NR };
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

	nvml_call_fields(session, fields, NR);
	action = nvml_field_u64(session, &fields[ACTION]);
	ret->recovery_action = is_known(action) ?
		nvml_enum(session, 0, u64_or(action, 0), &nvml_recovery_actions) :
		no_str(action.state, action.why);
	ret->pcie_recoveries = nvml_field_u64(session, &fields[RECOVERIES]);
	ret->pcie_correctable = nvml_field_u64(session, &fields[CORRECTABLE]);
	ret->pcie_nonfatal = nvml_field_u64(session, &fields[NONFATAL]);
	ret->pcie_fatal = nvml_field_u64(session, &fields[FATAL]);
	ret->memory_temperature_c = nvml_field_celsius(session, &fields[MEMORY]);
	ret->margin_shutdown_c = nvml_field_margin(session, &fields[SHUTDOWN]);
	ret->margin_slowdown_c = nvml_field_margin(session, &fields[SLOWDOWN]);
	ret->margin_memory_max_c = nvml_field_margin(session, &fields[MEMORY_MAX]);
	ret->margin_max_c = nvml_field_margin(session, &fields[GPU_MAX]);
	ret->c2c_links = nvml_field_u64(session, &fields[C2C]);
	ret->power_instant_mw = nvml_field_u64(session, &fields[POWER]);
}

static struct val_u64 ecc_total(struct nvml_session *session, int type, int since)
{
	uint64_t count = 0;
	int error = nvml_call(session, nvmlDeviceGetTotalEccErrors, session->device, type, since, &count);

	return nvml_u64(session, error, count);
}

static struct val_u64 ecc_at(struct nvml_session *session, int since, int place)
{
	uint64_t count = 0;
	int error = nvml_call(session, nvmlDeviceGetMemoryErrorCounter, session->device, NVML_UNCORRECTED, since, place,
			     &count);

	return nvml_u64(session, error, count);
}

static void read_sram(struct nvml_session *session, struct nvml_gpu *ret)
{
	struct nvml_sram_errors sram = { .version = NVML_VERSION_WORD(sram, 1) };
	int error = nvml_call(session, nvmlDeviceGetSramEccErrorStatus, session->device, &sram);

	ret->sram_threshold_exceeded = nvml_bool(session, error, sram.threshold_exceeded);
	if (error)
		ret->sram_uncorrected_lifetime = ecc_at(session, NVML_LIFETIME, NVML_IN_SRAM);
	else
		ret->sram_uncorrected_lifetime = nvml_u64(session, 0, sram.lifetime_parity + sram.lifetime_secded);
}

static void read_ecc(struct nvml_session *session, struct nvml_gpu *ret)
{
	unsigned now = 0, pending = 0;
	int error = nvml_call(session, nvmlDeviceGetEccMode, session->device, &now, &pending);

	ret->ecc_enabled = nvml_bool(session, error, now);
	ret->ecc_pending = nvml_bool(session, error, pending);
	error = nvml_call(session, nvmlDeviceGetDefaultEccMode, session->device, &now);
	ret->ecc_default = nvml_bool(session, error, now);
	ret->ecc_corrected = ecc_total(session, NVML_CORRECTED, NVML_SINCE_RESET);
	ret->ecc_uncorrected = ecc_total(session, NVML_UNCORRECTED, NVML_SINCE_RESET);
	ret->ecc_corrected_lifetime = ecc_total(session, NVML_CORRECTED, NVML_LIFETIME);
	ret->ecc_uncorrected_lifetime = ecc_total(session, NVML_UNCORRECTED, NVML_LIFETIME);
	ret->dram_uncorrected = ecc_at(session, NVML_SINCE_RESET, NVML_IN_DRAM);
	ret->sram_uncorrected = ecc_at(session, NVML_SINCE_RESET, NVML_IN_SRAM);
	read_sram(session, ret);
}

/* Remapped rows as values: each may be known or not. */
struct row_values { struct val_u64 corrected, uncorrected, pending, failed; };

static bool is_no_answer(int error)
{
	return error == NVML_ERROR_FUNCTION_NOT_FOUND || error == NVML_ERROR_NOT_SUPPORTED;
}

/* If no call has it, or not in MIG mode: by field values, if these do. */
static void ask_row_fields(struct nvml_session *session, struct row_values *ret)
{
	struct val_u64 *const values[] = { &ret->corrected, &ret->uncorrected, &ret->pending, &ret->failed };
	struct nvml_field fields[ARRAY_SIZE(values)];

	for (unsigned i = 0; i < ARRAY_SIZE(fields); i++)
		fields[i] = (struct nvml_field){ .id = NVML_FIELD_ROWS_REMAPPED + i };
	nvml_call_fields(session, fields, ARRAY_SIZE(fields));
	for (unsigned i = 0; i < ARRAY_SIZE(fields); i++) {
		struct val_u64 value = nvml_field_u64(session, &fields[i]);

		if (is_known(value))
			*values[i] = value;
	}
}

/* The older call has one count; the newer one separates spare rows in use from those used up. */
static void ask_rows(struct nvml_session *session, struct row_values *ret)
{
	struct nvml_rows rows = { 0 };
	int error = nvml_call(session, nvmlDeviceGetRemappedRows_v2, session->device, &rows);

	if (error == NVML_ERROR_FUNCTION_NOT_FOUND)
		error = nvml_call(session, nvmlDeviceGetRemappedRows, session->device, &rows.corrected,
				  &rows.uncorrected, &rows.pending, &rows.failed);
	ret->corrected = nvml_u64(session, error, rows.corrected);
	ret->uncorrected = nvml_u64(session, error, rows.uncorrected);
	ret->pending = nvml_u64(session, error, rows.pending);
	ret->failed = nvml_u64(session, error, rows.failed);
	if (is_no_answer(error))
		ask_row_fields(session, ret);
}

static struct val_bool flag(struct val_u64 value)
{
	return is_known(value) ? val_bool(u64_or(value, 0)) : no_bool(value.state, value.why);
}

static void read_rows(struct nvml_session *session, struct nvml_gpu *ret)
{
	struct row_values rows;
	struct nvml_banks banks = { 0 };
	int error;

	ask_rows(session, &rows);
	ret->rows_remapped_corrected = rows.corrected;
	ret->rows_remapped_uncorrected = rows.uncorrected;
	ret->remap_pending = flag(rows.pending);
	ret->remap_failed = flag(rows.failed);
	error = nvml_call(session, nvmlDeviceGetRowRemapperHistogram, session->device, &banks);
	ret->banks_all_spares = nvml_u64(session, error, banks.max);
	ret->banks_few_spares = nvml_u64(session, error, banks.low);
	ret->banks_no_spares = nvml_u64(session, error, banks.none);
}

/* Without room for addresses the answer is how many there are. */
static struct val_u64 retired_pages(struct nvml_session *session, int cause)
{
	unsigned nr = 0;
	int error;

	if (session->nvml->nvmlDeviceGetRetiredPages_v2)
		error = nvml_call(session, nvmlDeviceGetRetiredPages_v2, session->device, cause, &nr, NULL, NULL);
	else
		error = nvml_call(session, nvmlDeviceGetRetiredPages, session->device, cause, &nr, NULL);
	return nvml_u64(session, error == NVML_ERROR_INSUFFICIENT_SIZE ? 0 : error, nr);
}

static void read_repairs(struct nvml_session *session, struct nvml_gpu *ret)
{
	struct nvml_repair repair = { .version = NVML_VERSION_WORD(repair, 1) };
	unsigned number = 0;
	int error;

	ret->pages_retired_single_bit = retired_pages(session, 0);
	ret->pages_retired_double_bit = retired_pages(session, 1);
	error = nvml_call(session, nvmlDeviceGetRetiredPagesPendingStatus, session->device, &number);
	ret->retirement_pending = nvml_bool(session, error, number);
	error = nvml_call(session, nvmlDeviceGetRepairStatus, session->device, &repair);
	ret->channel_repair_pending = nvml_bool(session, error, repair.channel_pending);
	ret->tpc_repair_pending = nvml_bool(session, error, repair.tpc_pending);
	error = nvml_call(session, nvmlDeviceGetUnrepairableMemoryFlag_v1, session->device, &number);
	ret->memory_unrepairable = nvml_bool(session, error, number);
	error = nvml_call(session, nvmlDeviceValidateInforom, session->device);
	ret->inforom_valid = error == NVML_ERROR_CORRUPTED_INFOROM ? val_bool(false) : nvml_bool(session, error, 1);
}

void nvml_read_health(struct nvml_session *session)
{
	struct nvml_gpu *ret = &nvml_facts(session)->nvml;

	read_fields(session, ret);
	nvml_flush(session);
	ret = &nvml_facts(session)->nvml;
	read_ecc(session, ret);
	nvml_flush(session);
	ret = &nvml_facts(session)->nvml;
	read_rows(session, ret);
	read_repairs(session, ret);
	nvml_flush(session);
}
