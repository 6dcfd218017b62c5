// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * gpu_files.c - probe "gpu-files": what the driver of one GPU tells of it in
 * files. One worker for each GPU, as these files answer from inside the
 * driver and hang with it.
 */
#include "base/compat.h"
#include "probe/gpu/gpu_files.h"

#include "probe/pci/pci_function.h"
#include "probe/probe_table.h"
#include "probe/read.h"
#include "snapshot/under_test.h"
#include "sys/clock.h"

#define TWINS_VARIABLE "GPUDIAG_FILES_TWINS"

/* Who reads the files of which driver. */
static const struct reader {
	const char *driver;
	void (*read)(struct card *card, struct gpu *gpu);
} readers[] = {
	{ .driver = "nvidia", .read = nvidia_files_read },
	{ .driver = "amdgpu", .read = amdgpu_files_read },
	{ .driver = "i915", .read = intel_files_read },
	{ .driver = "xe", .read = intel_files_read },
};

static const struct reader *reader_of(struct val_str driver)
{
	for (size_t i = 0; i < ARRAY_SIZE(readers); i++)
		if (str_is(driver, readers[i].driver))
			return &readers[i];
	return NULL;
}

static int run(struct probe_env *env, struct sink *sink)
{
	struct gpu *gpu = list_element(&sink->facts.arena, &sink->facts, gpus, gpu, env->target);
	struct val_str driver = read_link_name(env, &sink->facts.arena, PCI_DEVICES "/%s/driver", env->target);
	const struct reader *reader = reader_of(driver);
	struct card card = { .env = env, .sink = sink };
	const char *twins = getenv(TWINS_VARIABLE);
	uint64_t since_ns = clock_now_ns();
	int status;

	if (reader) {
		reader->read(&card, gpu);
		gpu_files_ask_again(&card, gpu, twins && *twins, since_ns);
	}
	status = sink_end(sink, PROBE_OK, NULL);
	arena_release(&card.arena);
	return status;
}

static void targets(const struct snapshot *snapshot, struct arena *arena, struct strs *ret)
{
	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		const struct gpu *gpu = &snapshot->gpus[i];

		if (gpu_role(snapshot, gpu) != GPU_ROLE_NOT_OURS && reader_of(gpu->pci.driver))
			strs_add(arena, ret, str_or(gpu->key, ""));
	}
}

/* "1" where two others of its model are under test. */
static void environment(const struct snapshot *snapshot, const char *target, struct arena *arena, struct strs *ret)
{
	const struct gpu *gpu = list_find(snapshot, gpus, gpu, target);
	size_t nr = 0;

	for (size_t i = 0; gpu && i < snapshot->nr_gpus; i++)
		nr += &snapshot->gpus[i] != gpu && gpu_is_under_test(snapshot, &snapshot->gpus[i]) &&
		      str_is(snapshot->gpus[i].pci.vendor_id, str_or(gpu->pci.vendor_id, "")) &&
		      str_is(snapshot->gpus[i].pci.device_id, str_or(gpu->pci.device_id, ""));
	strs_add(arena, ret, nr >= 2 ? TWINS_VARIABLE "=1" : TWINS_VARIABLE "=");
}

const struct probe probe_gpu_files = {
	.name = "gpu-files",
	.help = "identity, memory, sensors and errors of a GPU, from its driver's files; skips suspended devices",
	.phase = PHASE_DEVICE_FILES,
	.touches = TOUCHES_FILES,
	.deadline_ms = 2000,
	.provides = (const char *const[]){ "gpus.nvidia", "gpus.amdgpu", "gpus.intel", "gpus.clients", "gpus.links", NULL },
	.targets = targets,
	.environment = environment,
	.run = run,
};
