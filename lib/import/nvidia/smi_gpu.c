// SPDX-License-Identifier: GPL-2.0-or-later
/* smi_gpu.c - the values of a GPU in nvidia-smi -q, and the head above them. */
#include "base/compat.h"
#include "import/nvidia/smi_gpu.h"
#include "import/nvidia/smi_value.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "snapshot/windows.h"

/* ---- throttle reasons: a line each, to the mask of nvmlClocksEventReasons */

static const struct { const char *text, *xml; unsigned mask; } reason_keys[] = {
	{ "idle", "gpu_idle", 0x1 },
	{ "applications clocks setting", "applications_clocks_setting", 0x2 },
	{ "sw power cap", "sw_power_cap", 0x4 },
	{ "hw slowdown", "hw_slowdown", 0x8 },
	{ "sync boost", "sync_boost", 0x10 },
	{ "sw thermal slowdown", "sw_thermal_slowdown", 0x20 },
	{ "hw thermal slowdown", "hw_thermal_slowdown", 0x40 },
	{ "hw power brake slowdown", "hw_power_brake_slowdown", 0x80 },
	{ "display clock setting", "display_clocks_setting", 0x100 },
};

enum { BELOW_HW_SLOWDOWN = 0x40 | 0x80 };

static bool take_reason(struct smi_gpu *at, const char *path, const char *value, struct dump_line *line)
{
	static const char *const prefixes[] = { "clocks_event_reason_", "clocks_throttle_reason_" };
	const char *name = smi_path_name(path);
	bool is_xml = false;

	if (strstr(path, "counters") || !(strstr(path, "event reasons/") || strstr(path, "throttle reasons/") ||
					 strstr(path, "event_reasons/") || strstr(path, "throttle_reasons/")))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i]))) {
			name += strlen(prefixes[i]);
			is_xml = true;
		}
	for (size_t i = 0; i < ARRAY_SIZE(reason_keys); i++) {
		if (strcmp(name, is_xml ? reason_keys[i].xml : reason_keys[i].text) != 0)
			continue;
		if (!smi_first_word_is(value, "Active") && !smi_first_word_is(value, "Not"))
			return false;
		if (smi_first_word_is(value, "Active"))
			at->reasons |= reason_keys[i].mask;
		if (reason_keys[i].mask & BELOW_HW_SLOWDOWN)
			at->slowdown_line = line;
		at->reasons_line = line;
		line->is_taken = true;
		return true;
	}
	return false;
}

/* ---- ids of PCI: "0x233010DE" is device, then vendor; the XML leaves out 0x */

static bool take_ids(struct reading *reading, struct gpu *gpu, const char *path, const char *value,
		     struct dump_line *line)
{
	bool is_board = smi_path_ends(path, "sub system id") || smi_path_ends(path, "pci_sub_system_id");
	const char *at = value + (strncmp(value, "0x", 2) ? 0 : 2);
	uint64_t id;
	bool fits = true;

	if (!is_board && !smi_path_ends(path, "pci/device id") && !smi_path_ends(path, "pci_device_id"))
		return false;
	if (scan_u64(&at, 16, &id, &fits) != 8 || !fits)
		return false;
	if (is_board)
		put(reading, line, gpu->pci.subsystem_id,
		    val_str(arena_printf(reading->arena, "0x%04llx:0x%04llx", (unsigned long long)(id & 0xffff),
					 (unsigned long long)(id >> 16))));
	else
		put(reading, line, gpu->pci.device_id,
		    val_str(arena_printf(reading->arena, "0x%04llx", (unsigned long long)(id >> 16))));
	return true;
}

/* ---- what drivers from 530 on to 565 ask for, in two lines; later ones say it in one, and print no Yes here */

static bool take_reset_status(struct reading *reading, struct smi_gpu *at, const char *path, const char *value,
			      struct dump_line *line)
{
	struct nvml_gpu *nvml = &at->gpu->nvml;
	bool is_reset = smi_path_ends(path, "gpu reset status/reset required") ||
			smi_path_ends(path, "gpu_reset_status/reset_required");

	if (!is_reset && !smi_path_ends(path, "gpu reset status/drain and reset recommended") &&
	    !smi_path_ends(path, "gpu_reset_status/drain_and_reset_recommended"))
		return false;
	line->is_taken = true;
	if (smi_first_word_is(value, "No"))
		at->nr_no_reset++;
	if (at->nr_no_reset == 2 && !is_known(nvml->recovery_action))
		put(reading, line, nvml->recovery_action, val_str("none"));
	if (smi_first_word_is(value, "Yes") && !str_is(nvml->recovery_action, "reset-gpu"))
		put(reading, line, nvml->recovery_action, val_str(is_reset ? "reset-gpu" : "drain-and-reset"));
	return true;
}

/* ---- fabric and utilisation, which are several fields or words */

static bool take_special(struct reading *reading, struct smi_gpu *at, const char *path, const char *value,
			 struct dump_line *line)
{
	struct nvml_gpu *nvml = &at->gpu->nvml;
	double number;

	if (smi_path_ends(path, "utilization/gpu") || smi_path_ends(path, "utilization/gpu_util")) {
		if (!smi_take_number(value, "%", &number) || number < 0)
			return false;
		put(reading, line, at->gpu->use.busy_percent, val_f64(number));
		return true;
	}
	if (take_ids(reading, at->gpu, path, value, line) ||
	    take_reset_status(reading, at, path, value, line))
		return true;
	/* How it went, which NVML has an error's text for where it went wrong: the value itself was read. */
	if (smi_path_ends(path, "fabric/status") && *value && !smi_first_word_is(value, "N/A")) {
		put(reading, line, nvml->fabric_status,
		    val_str(smi_first_word_is(value, "Success") ? "SUCCESS" : value));
		return true;
	}
	if ((smi_path_ends(path, "fabric/clusteruuid")) && strspn(value, "0-") == strlen(value)) {
		put(reading, line, nvml->fabric_cluster, no_str(VAL_ABSENT, "all zero"));
		return true;
	}
	/* Which Linux has none of, as it has persistence. */
	if ((smi_path_ends(path, "driver model/current") || smi_path_ends(path, "driver_model/current_dm")) &&
	    (smi_first_word_is(value, "WDDM") || smi_first_word_is(value, "TCC") || smi_first_word_is(value, "MCDM"))) {
		put(reading, line, nvml->persistence, no_bool(VAL_UNSUPPORTED, WINDOWS_DRIVER));
		return true;
	}
	if (smi_path_ends(path, "product architecture") || smi_path_ends(path, "gpu/product_architecture")) {
		struct val_head head;

		if (smi_is_no_value(value, &head))
			return false;
		put(reading, line, nvml->architecture,
		    val_str(arena_strndup(reading->arena, value, strcspn(value, " "))));
		return true;
	}
	return false;
}

/* ---- what any value says of the GPU's health */

#define NVML_PREFIX "NVML_ERROR_"

/* The worst first. */
static const char *const fatal[] = { "GPU_IS_LOST", "RESET_REQUIRED", "INSUFFICIENT_POWER" };

static bool is_fatal(const char *why, size_t row)
{
	return why && !strncmp(why, NVML_PREFIX, strlen(NVML_PREFIX)) && !strcmp(why + strlen(NVML_PREFIX), fatal[row]);
}

/* Of a value that no field holds as well; what processes are called is their users' choice. */
static void note_trouble(struct smi_gpu *at, const char *path, const char *value, struct dump_line *line)
{
	struct val_head head;

	if (strstr(path, "processes/") || !smi_is_no_value(value, &head))
		return;
	for (size_t row = 0; row < ARRAY_SIZE(fatal); row++) {
		if (at->trouble == fatal[row])
			return;
		if (!is_fatal(head.why, row))
			continue;
		at->trouble = fatal[row];
		at->trouble_line = line;
		return;
	}
}

/* The worst of them is the GPU's trouble, as it is of a call that NVML refuses. */
static void put_trouble(struct reading *reading, const struct smi_gpu *at)
{
	struct nvml_gpu *nvml = &at->gpu->nvml;

	nvml->trouble = no_str(VAL_ABSENT, "none");
	nvml->trouble_call = no_str(VAL_ABSENT, "none");
	for (size_t row = 0; at->trouble && row < ARRAY_SIZE(fatal); row++) {
		if (at->trouble != fatal[row])
			continue;
		put(reading, at->trouble_line, nvml->trouble, val_str(fatal[row]));
		for (size_t i = 0; i < record_nvml_gpu.nr; i++) {
			const struct field *field = &record_nvml_gpu.fields[i];
			const struct val_head *head = (const void *)((const char *)nvml + field->offset);

			if (!field_is_value(field) || !is_fatal(head->why, row))
				continue;
			nvml->trouble.from = head->from;
			nvml->trouble_call = val_str(field->source);
			return;
		}
	}
}

bool smi_take(struct reading *reading, struct smi_gpu *at, enum smi_output output, const char *path, const char *value,
	      struct dump_line *line)
{
	note_trouble(at, path, value, line);
	if (smi_is_mig_device(path)) {
		smi_take_mig(reading, at, path, value, line);
		return true;
	}
	return smi_take_client(reading, at, path, value, line) || take_special(reading, at, path, value, line) ||
	       smi_take_fabric_health(reading, at, path, value, line) || smi_take_ecc(at, path, value, line) ||
	       smi_take_thermal_time(at, path, value, line) ||
	       take_reason(at, path, value, line) || smi_take_key(reading, at->gpu, output, path, value, line);
}

/* ---- the end of a GPU */

static const char unknown_error[] = "NVML_ERROR_UNKNOWN";
#define IS_UNKNOWN_ERROR(value) ((value).state == VAL_ERROR && (value).why && !strcmp((value).why, unknown_error))

/*
 * Of values that have nothing to do with one another more than one cannot be read: the driver reaches the GPU no more,
 * as in the table. Fan and power alone, or both, are no trouble of the GPU: a third one has to fail.
 */
static void judge_mute(struct nvml_gpu *nvml)
{
	const bool has_sensor = IS_UNKNOWN_ERROR(nvml->fan_percent) || IS_UNKNOWN_ERROR(nvml->power_mw) ||
				IS_UNKNOWN_ERROR(nvml->power_instant_mw);
	const bool failed[] = {
		has_sensor, IS_UNKNOWN_ERROR(nvml->temperature_c), IS_UNKNOWN_ERROR(nvml->performance_state),
		IS_UNKNOWN_ERROR(nvml->clock_mhz), IS_UNKNOWN_ERROR(nvml->vram_used_bytes),
	};
	size_t nr = 0;

	for (size_t i = 0; i < ARRAY_SIZE(failed); i++)
		nr += failed[i] ? 1 : 0;
	if (nr < 2 || !is_known(nvml->handle))
		return;
	nvml->handle.state = VAL_ERROR;
	nvml->handle.why = unknown_error;
}

void smi_gpu_end(struct reading *reading, struct smi_gpu *at)
{
	struct nvml_gpu *nvml = &at->gpu->nvml;

	smi_end_client(reading, at);
	smi_put_sums(reading, at);
	smi_mig_end(reading, at);
	smi_fabric_end(reading, at);
	if (at->reasons_line) {
		nvml->clock_reasons = val_str(arena_printf(reading->arena, "0x%llx", (unsigned long long)at->reasons));
		nvml->clock_reasons.from = value_from(reading->part->number, at->reasons_line->number);
	}
	if (at->slowdown_line)
		put(reading, at->slowdown_line, nvml->slowdown_reasons, val_bool(true));
	if (at->clients_line) {
		nvml->clients = val_u64(at->nr_clients);
		nvml->clients.from = value_from(reading->part->number, at->clients_line->number);
	}
	put_trouble(reading, at);
	judge_mute(nvml);
}

/* ---- the head */

/* "12.4", "610.43.02 [Deprecated; …]": digits and dots. */
static bool put_version(struct reading *reading, struct dump_line *line, struct val_str *to, const char *value)
{
	size_t len = strspn(value, "0123456789.");

	if (!len)
		return false;
	put(reading, line, *to, val_str(arena_strndup(reading->arena, value, len)));
	return true;
}

bool smi_take_head(struct reading *reading, enum smi_output output, const char *path, const char *value,
		   struct dump_line *line)
{
	struct nvml *nvml = &reading->snapshot->nvml;
	bool is_text = output == SMI_TEXT;
	double number;

	if (smi_path_ends(path, is_text ? "driver version" : "driver_version") || smi_path_ends(path, "kmd version") ||
	    smi_path_ends(path, "kmd_version")) {
		put(reading, line, nvml->init, val_str("ok"));
		return put_version(reading, line, &nvml->driver_version, value);
	}
	if (smi_path_ends(path, is_text ? "cuda version" : "cuda_version") || smi_path_ends(path, "cuda umd version") ||
	    smi_path_ends(path, "cuda_umd_version"))
		return put_version(reading, line, &nvml->cuda_version, value);
	/* part_times.c has dated the part by it. */
	if (smi_path_ends(path, "timestamp")) {
		line->is_taken = true;
		return true;
	}
	if (smi_path_ends(path, is_text ? "attached gpus" : "attached_gpus") && smi_take_number(value, NULL, &number)) {
		if (smi_is_elsewhere(reading))
			line->is_taken = true;
		else
			put(reading, line, nvml->gpus, val_u64((uint64_t)number));
		return true;
	}
	return false;
}

void smi_number_gpus(struct snapshot *snapshot)
{
	if (!is_known(snapshot->nvml.gpus) || u64_or(snapshot->nvml.gpus, 0) != snapshot->nr_gpus)
		return;
	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		struct val_u64 *index = &snapshot->gpus[i].nvml.index;

		*index = val_u64(i);
		index->from = snapshot->gpus[i].nvml.handle.from;
	}
}
