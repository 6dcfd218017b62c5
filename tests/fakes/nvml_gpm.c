// SPDX-License-Identifier: GPL-2.0-or-later
/* nvml_gpm.c - counters of GPM. See nvml.c. */
#include "nvml_answer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct gpm_support {
	u32 version, is_supported;
};

enum { GPM_APART_MS = 100, GPM_MOST = 333 };

API(nvmlGpmQueryDeviceSupport, device_t device, struct gpm_support *support)
{
	const struct gpu *gpu;
	int error = enter_gpu(__func__, device, "", &gpu);

	if (!error && support->version != 1)
		return misuse(__func__, "version", NVML_ARGUMENT_VERSION_MISMATCH);
	if (!error && cJSON_IsString(member(gpu->said, "gpm")))
		error = error_code(member(gpu->said, "gpm")->valuestring);
	if (!error)
		support->is_supported = cJSON_IsObject(member(gpu->said, "gpm"));
	return error;
}

/* When it was taken and of whom; what it counted is told as the two are compared. */
struct gpm_sample {
	const struct gpu *of;
	double at_s;
};

API(nvmlGpmSampleAlloc, void **sample)
{
	int error = enter(__func__, NULL, "");

	if (!error)
		*sample = calloc(1, sizeof(struct gpm_sample));
	return error;
}

API(nvmlGpmSampleFree, void *sample)
{
	int error = enter(__func__, NULL, "");

	if (!error)
		free(sample);
	return error;
}

static int take_gpm(const struct gpu *gpu, struct gpm_sample *sample)
{
	if (!cJSON_IsObject(member(gpu->said, "gpm")))
		return NVML_NOT_SUPPORTED;
	*sample = (struct gpm_sample){gpu, machine_s()};
	return NVML_SUCCESS;
}

API(nvmlGpmSampleGet, device_t device, void *sample)
{
	const struct gpu *gpu;
	int error = enter_any(__func__, device, "", &gpu);

	return error ? error : take_gpm(gpu, sample);
}

API(nvmlGpmMigSampleGet, device_t device, u32 instance, void *sample)
{
	DETAIL("%u", instance);
	const struct gpu *gpu;
	int error = enter_gpu(__func__, device, detail, &gpu);

	for (u32 i = 0; !error && i < gpu->instance_count; i++)
		if (member(gpu->instances[i].said, "gi")->valueint == (int)instance)
			return take_gpm(&gpu->instances[i], sample);
	return error ? error : misuse(__func__, "no such instance", NVML_INVALID_ARGUMENT);
}

struct gpm_metric {
	u32 id;
	int error;
	double value;
	const char *names[3];
};

struct gpm_metrics {
	u32 version, count;
	const struct gpm_sample *from, *to;
	struct gpm_metric metrics[GPM_MOST];
};

API(nvmlGpmMetricsGet, struct gpm_metrics *metrics)
{
	int error = enter(__func__, metrics->to ? metrics->to->of : NULL, "");

	_Static_assert(sizeof(struct gpm_metrics) == 13344, "as nvml.h of CUDA 13.2 lays it out");
	if (error)
		return error;
	if (metrics->version != 1)
		return misuse(__func__, "version", NVML_ARGUMENT_VERSION_MISMATCH);
	if (!metrics->from || !metrics->to || !metrics->from->of || metrics->from->of != metrics->to->of)
		return misuse(__func__, "samples", NVML_INVALID_ARGUMENT);
	if (metrics->to->at_s - metrics->from->at_s < GPM_APART_MS / 1e3 - 1e-6)
		return misuse(__func__, "samples too close to each other", NVML_INVALID_ARGUMENT);
	for (u32 i = 0; i < metrics->count && i < GPM_MOST; i++) {
		struct gpm_metric *metric = &metrics->metrics[i];
		char number[12];

		snprintf(number, sizeof(number), "%u", metric->id);
		metric->error = tell_fraction(member(metrics->to->of->said, "gpm"), number, &metric->value);
	}
	if (member(metrics->to->of->said, "gpm_writes_all"))
		memset(metrics->metrics + metrics->count, 0xa5,
		       sizeof(metrics->metrics) - metrics->count * sizeof(*metrics->metrics));
	return NVML_SUCCESS;
}
