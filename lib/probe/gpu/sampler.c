// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/gpu/sampler.h"

#include "base/alloc.h"
#include "probe/gpu/file_sampler.h"
#include "probe/nvidia/nvml.h"

/* ---- NVIDIA's library */

struct by_library {
	struct nvml_library library;
	struct nvml_session session;
	struct nvml_sampler sampler;
};

static bool library_read(void *own, struct gpu_sample *ret, const char **why)
{
	struct by_library *by = own;

	nvml_sample(&by->sampler, ret);
	*why = by->session.is_lost ? "NVML_ERROR_GPU_IS_LOST" : NULL;
	return !by->session.is_lost;
}

static enum probe_outcome open_library(struct sampler *ret, struct probe_env *env, struct sink *sink,
				       const struct sampler_plan *plan, char why[SAMPLER_WHY_BYTES])
{
	struct by_library *by = xcalloc(1, sizeof(*by));
	enum probe_outcome outcome;

	_Static_assert((int)SAMPLER_WHY_BYTES == (int)NVML_WHY_BYTES, "why is handed on as it is");
	*ret = (struct sampler){ .own = by, .read = library_read, .close = free };
	by->session = (struct nvml_session){ .nvml = &by->library, .sink = sink, .address = plan->address };
	by->sampler = (struct nvml_sampler){
		.session = &by->session, .has_card_switch = plan->has_card_switch, .is_under_load = true,
	};
	outcome = nvml_open(env, sink, &by->library, NULL, why);
	if (outcome == PROBE_OK && (nvml_get_handle(&by->session, why) || nvml_is_another(&by->session, why)))
		outcome = PROBE_PARTIAL;
	return outcome;
}

/* ---- files */

struct by_files {
	struct sink *sink;
	struct file_sampler sampler;
	struct arena arena;
};

static bool files_read(void *own, struct gpu_sample *ret, const char **why)
{
	struct by_files *by = own;

	*why = NULL;
	sink_step(by->sink, "read its use, clocks and sensors");
	file_sampler_read(&by->sampler, ret);
	return true;
}

static bool files_are_asleep(void *own)
{
	const struct by_files *by = own;
	struct val_head why;

	return file_sampler_is_asleep(&by->sampler, &why);
}

static void files_close(void *own)
{
	struct by_files *by = own;

	file_sampler_close(&by->sampler);
	arena_release(&by->arena);
	free(by);
}

static enum probe_outcome open_files(struct sampler *ret, struct probe_env *env, struct sink *sink,
				     const struct sampler_plan *plan, char why[SAMPLER_WHY_BYTES])
{
	struct by_files *by = xcalloc(1, sizeof(*by));

	*ret = (struct sampler){ .own = by, .read = files_read, .is_asleep = files_are_asleep, .close = files_close };
	by->sink = sink;
	file_sampler_open(&by->sampler, &by->arena, env->root, plan->address, plan->driver, plan->slot, true);
	if (file_sampler_has_sensors(&by->sampler))
		return PROBE_OK;
	snprintf(why, SAMPLER_WHY_BYTES, "driver \"%s\" has no readable GPU files", plan->driver);
	return PROBE_UNAVAILABLE;
}

/* ---- */

enum probe_outcome sampler_open(struct sampler *ret, struct probe_env *env, struct sink *sink,
				const struct sampler_plan *plan, char why[SAMPLER_WHY_BYTES])
{
	return (strcmp(plan->driver, "nvidia") ? open_files : open_library)(ret, env, sink, plan, why);
}
