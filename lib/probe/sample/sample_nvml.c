// SPDX-License-Identifier: GPL-2.0-or-later
/* sample_nvml.c - source "sample-nvml": all NVIDIA GPUs under test, by one session of the management library. */
#include "base/compat.h"
#include "probe/sample/sample_nvml.h"

#include "base/alloc.h"
#include "probe/gpu/file_sampler.h"
#include "probe/pci/pci_function.h"
#include "probe/sample/sample_pids.h"
#include "probe/sample/sample_sources.h"
#include "snapshot/gpus.h"
#include "sys/clock.h"
#include "sys/worker.h"

#define VARIABLE "GPUDIAG_SAMPLE_NVML_"
#define NOT_TOLD_APART "its directions are told apart"

enum { MOST_GPUS = 64, ADDRESS_BYTES = 24 };
#define RETRY_NS UINT64_C(10000000000)

/* ---- in the parent */

static bool is_vgpu(const struct gpu *gpu)
{
	return str_is(gpu->nvml.virtualization, "vgpu");
}

/* GPUs as "0000:3b:00.0", with "s" where a switch on the card is between it and its slot, "v" of a virtual one. */
static void environment(const struct snapshot *sealed, const struct strs *skip, struct arena *arena, struct strs *ret)
{
	STRBUF_AUTO list = STRBUF_INIT;

	nvml_environment(sealed, NULL, arena, ret);
	strs_add(arena, ret, arena_printf(arena, VARIABLE "PIDS=%s", sample_pids_told(sealed)));
	for (size_t i = 0; i < sealed->nr_gpus; i++) {
		const struct gpu *gpu = &sealed->gpus[i];
		const char *address = str_or(gpu->key, "");

		if (nvml_knows(sealed, gpu) && !strs_has(skip, address))
			strbuf_addf(&list, "%s%s/%s%s", list.len ? " " : "", address,
				    gpu_has_card_switch(gpu) ? "s" : "", is_vgpu(gpu) ? "v" : "");
	}
	strs_add(arena, ret, arena_printf(arena, VARIABLE "GPUS=%s", list.buf));
}

/* ---- in the worker */

static void tell_step(void *to, const char *call)
{
	struct sample_nvml *own = to;

	sample_step(own->env, call, own->asking);
}

static void plan_gpus(struct sample_nvml *own, const char *plan)
{
	own->gpus = arena_alloc(&own->arena, MOST_GPUS * sizeof(*own->gpus));
	while (*plan && own->nr_gpus < MOST_GPUS) {
		size_t len = strcspn(plan, " "), at = strcspn(plan, " /");
		struct nvml_gpu_watch *gpu = &own->gpus[own->nr_gpus++];

		gpu->address = arena_strndup(&own->arena, plan, at);
		gpu->has_card_switch = memchr(plan + at, 's', len - at);
		gpu->is_vgpu = memchr(plan + at, 'v', len - at);
		gpu->status = pci_keep_file(own->env->root, gpu->address, "", "power/runtime_status");
		gpu->session =
			(struct nvml_session){ .nvml = &own->library, .sink = &own->sink, .address = gpu->address };
		gpu->sampler = (struct nvml_sampler){
			.session = &gpu->session, .has_card_switch = gpu->has_card_switch, .is_under_load = true,
		};
		plan += len + strspn(plan + len, " ");
	}
}

static void learn_driver(struct sample_nvml *own)
{
	struct nvml_session node = { .nvml = &own->library, .sink = &own->sink };
	char version[NVML_TEXT_BYTES] = "";

	if (!nvml_call(&node, nvmlSystemGetDriverVersion, version, sizeof(version) - 1))
		own->branch = (unsigned)strtoul(version, NULL, 10);
	own->has_odd_lists = nvml_process_lists_are_odd(version);
}

static void close_nvml(void *from)
{
	struct sample_nvml *own = from;

	for (size_t i = 0; i < own->nr_gpus; i++) {
		nvml_gpm_close(own, &own->gpus[i]);
		cached_fd_close(&own->gpus[i].status);
		free(own->gpus[i].listed);
	}
	free(own->room);
	free(own->metrics);
	arena_release(&own->sink.facts.arena);
	arena_release(&own->arena);
	free(own);
}

static void *open_nvml(struct sample_env *env, char why[256])
{
	struct sample_nvml *own = xcalloc(1, sizeof(*own));

	_Static_assert(NVML_WHY_BYTES == 256, "why is handed on as it is");
	own->env = env;
	own->asking = "";
	own->probe = (struct probe_env){ .root = env->root, .lock_fd = -1 };
	own->sink = (struct sink){ .fd = -1, .lock_fd = -1, .told = tell_step, .to = own };
	own->metrics = xcalloc(1, sizeof(*own->metrics));
	own->sees_all = sample_pids_are_hosts(env->root, worker_told(VARIABLE "PIDS"));
	if (nvml_open(&own->probe, &own->sink, &own->library, NULL, why) != PROBE_OK) {
		close_nvml(own);
		return NULL;
	}
	learn_driver(own);
	arena_release(&own->sink.facts.arena);
	plan_gpus(own, worker_told(VARIABLE "GPUS"));
	return own;
}

/* At its first tick or after a failure, and not while it sleeps: asking for its handle wakes it. */
static void open_gpu(struct nvml_gpu_watch *gpu)
{
	struct nvml_gpm_support support = { .version = NVML_GPM_VERSION };
	char why[NVML_WHY_BYTES];
	int error = nvml_get_handle(&gpu->session, why);

	gpu->is_opened = true;
	gpu->unopened = (struct val_head){ .state = VAL_UNSET };
	if (error) {
		gpu->unopened = nvml_missing_value(error);
		/* Every library can open a GPU that its driver drives. */
		if (gpu->unopened.state != VAL_LOST && gpu->unopened.state != VAL_DENIED)
			gpu->unopened.state = VAL_ERROR;
		return;
	}
	if (nvml_is_another(&gpu->session, why)) {
		gpu->unopened = (struct val_head){ .state = VAL_ERROR,
						   .why = "nvmlDeviceGetHandleByPciBusId gave another GPU" };
		return;
	}
	gpu->gpm.off = nvml_call(&gpu->session, nvmlGpmQueryDeviceSupport, gpu->session.device, &support);
	if (!gpu->gpm.off && !support.is_supported)
		gpu->gpm.off = NVML_ERROR_NOT_SUPPORTED;
}

/* What may pass is tried again. */
static bool is_to_be_opened(const struct nvml_gpu_watch *gpu, uint64_t now_ns)
{
	return !gpu->is_opened || (gpu->unopened.state == VAL_ERROR && now_ns - gpu->opened_ns >= RETRY_NS);
}

/* VAL_UNSET: it may be asked; else why not. */
static struct val_head why_unasked(struct nvml_gpu_watch *gpu, uint64_t now_ns)
{
	struct val_head asleep = { .state = VAL_UNSET };

	if (gpu->session.is_lost)
		return nvml_missing_value(NVML_ERROR_GPU_IS_LOST);
	if (gpu_status_is_asleep(&gpu->status, &asleep))
		return asleep;
	if (is_to_be_opened(gpu, now_ns)) {
		open_gpu(gpu);
		gpu->opened_ns = now_ns;
	}
	return gpu->session.is_lost ? nvml_missing_value(NVML_ERROR_GPU_IS_LOST) : gpu->unopened;
}

static void fill_unasked(struct tick *ret, const char *address, struct val_head why)
{
	static const char *const all[] = { "gpus", NULL }, *const not_its[] = { "gpus.link_bytes_per_s", NULL };
	const struct merge_scope scope = { .paths = why.state == VAL_UNSET ? not_its : all, .key = address };

	if (why.state == VAL_UNSET)
		why = (struct val_head){ .state = VAL_ABSENT, .why = NOT_TOLD_APART };
	tick_fill_unset(ret, &scope, why.state, why.why);
}

static void read_all(struct sample_nvml *own, struct tick *ret, struct val_head unasked[MOST_GPUS])
{
	for (size_t i = 0; i < own->nr_gpus; i++)
		list_element(&own->sink.facts.arena, ret, gpus, tick_gpu, own->gpus[i].address);
	for (size_t i = 0; i < own->nr_gpus; i++) {
		struct nvml_gpu_watch *gpu = &own->gpus[i];
		struct tick_gpu *told = list_find(ret, gpus, tick_gpu, gpu->address);

		own->asking = gpu->address;
		unasked[i] = why_unasked(gpu, own->now_ns);
		if (unasked[i].state != VAL_UNSET)
			continue;
		nvml_look_at_instances(own, gpu);
		nvml_read_figures(own, gpu, told);
		nvml_read_counters(own, gpu, told);
		nvml_read_processes(own, gpu, told);
	}
	for (size_t i = 0; i < own->nr_gpus; i++) {
		own->asking = own->gpus[i].address;
		if (unasked[i].state == VAL_UNSET)
			nvml_read_gpm(own, &own->gpus[i], list_find(ret, gpus, tick_gpu, own->asking));
	}
	nvml_read_throughput(own, ret);
	own->asking = "";
}

static void read_nvml(void *from, struct tick *ret)
{
	struct sample_nvml *own = from;
	struct val_head unasked[MOST_GPUS] = { { .state = VAL_UNSET } };

	/* Values say their reasons in texts of the sink's facts: they are to live as long as the tick. */
	own->sink.facts.arena = ret->arena;
	own->now_ns = clock_now_ns();
	read_all(own, ret, unasked);
	ret->arena = own->sink.facts.arena;
	own->sink.facts.arena = (struct arena){ .blocks = NULL };
	for (size_t i = 0; i < own->nr_gpus; i++) {
		const struct nvml_gpu_watch *gpu = &own->gpus[i];

		fill_unasked(ret, gpu->address,
			     gpu->session.is_lost ? nvml_missing_value(NVML_ERROR_GPU_IS_LOST) : unasked[i]);
	}
}

static const char *const provides[] = { "gpus", NULL };

const struct sample_source sample_nvml = {
	.name = "sample-nvml",
	.help = "NVIDIA GPUs by their management library: use, power, clocks, bytes, time throttled, processes",
	.touches = TOUCHES_LIBRARY,
	.provides = provides,
	.open_ms = 39000,		/* 15 s for its first call, and 3 s for each of eight GPUs to be woken */
	.reads_gpu = nvml_knows,
	.environment = environment,
	.open = open_nvml,
	.read = read_nvml,
	.close = close_nvml,
};
