// SPDX-License-Identifier: GPL-2.0-or-later
/* smi_mig.c - MIG devices in nvidia-smi -q: sections of a GPU whose keys are those of GPUs, and are of a part of it. */
#include "base/compat.h"
#include "import/nvidia/smi_gpu.h"

#include "base/text_scan.h"

bool smi_is_mig_device(const char *path)
{
	return strstr(path, "mig device/") || strstr(path, "mig_device/");
}

static bool ends_with(const char *path, const char *text, const char *xml)
{
	size_t len = strlen(path), text_len = strlen(text), xml_len = strlen(xml);

	return (len > text_len && !strcmp(path + len - text_len, text)) ||
	       (len > xml_len && !strcmp(path + len - xml_len, xml));
}

static void take_memory(struct reading *reading, struct smi_gpu *at, bool is_total, const char *value,
			struct dump_line *line)
{
	struct gpu_instance *instance;
	uint64_t mib;
	bool fits = true;

	if (!at->mig_key || !scan_u64(&value, 10, &mib, &fits) || !fits || mib > UINT64_MAX >> 20)
		return;
	instance = list_element(reading->arena, at->gpu, instances, gpu_instance, at->mig_key);
	if (is_total)
		put(reading, line, instance->vram_total_bytes, val_u64(mib << 20));
	else
		put(reading, line, instance->vram_used_bytes, val_u64(mib << 20));
}

/* Compute instances of one GPU instance tell the same errors: the most that one has are those the GPU has at least. */
static void take_errors(struct smi_gpu *at, const char *value, struct dump_line *line)
{
	uint64_t errors;
	bool fits = true;

	if (!scan_u64(&value, 10, &errors, &fits) || !fits || errors <= at->mig_uncorrected)
		return;
	at->mig_uncorrected = errors;
	at->mig_errors_line = line;
}

void smi_mig_end(struct reading *reading, struct smi_gpu *at)
{
	struct val_u64 *errors = &at->gpu->nvml.ecc_uncorrected;

	if (at->mig_errors_line && u64_or(*errors, 0) < at->mig_uncorrected)
		put(reading, at->mig_errors_line, *errors, val_u64(at->mig_uncorrected));
}

void smi_take_mig(struct reading *reading, struct smi_gpu *at, const char *path, const char *value,
		  struct dump_line *line)
{
	line->is_taken = true;
	if (ends_with(path, "/gpu instance id", "/gpu_instance_id")) {
		at->mig_gpu_instance = is_digit(*value) ? arena_strdup(reading->arena, value) : NULL;
		at->mig_key = NULL;
	} else if (ends_with(path, "/compute instance id", "/compute_instance_id")) {
		if (!at->mig_gpu_instance || !is_digit(*value))
			return;
		at->mig_key = arena_printf(reading->arena, "%s/%s", at->mig_gpu_instance, value);
		list_element(reading->arena, at->gpu, instances, gpu_instance, at->mig_key);
		put(reading, line, at->gpu->nvml.mig_instances, val_u64(at->gpu->nr_instances));
	} else if (ends_with(path, "/fb memory usage/total", "/fb_memory_usage/total")) {
		take_memory(reading, at, true, value, line);
	} else if (ends_with(path, "/fb memory usage/used", "/fb_memory_usage/used")) {
		take_memory(reading, at, false, value, line);
	} else if (ends_with(path, "/volatile/sram uncorrectable", "/volatile_count/sram_uncorrectable")) {
		take_errors(at, value, line);
	}
}
