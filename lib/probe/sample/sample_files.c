// SPDX-License-Identifier: GPL-2.0-or-later
/* sample_files.c - source "sample-files": GPUs of amdgpu, i915 and xe, by the files of their drivers. */
#include "base/compat.h"
#include "probe/sample/sample_files.h"

#include <unistd.h>

#include "base/alloc.h"
#include "probe/pci/pci_function.h"
#include "probe/read.h"
#include "probe/sample/sample_sources.h"
#include "probe/sample/sample_pids.h"
#include "snapshot/gpus.h"
#include "snapshot/under_test.h"
#include "sys/clock.h"
#include "sys/worker.h"

#define VARIABLE "GPUDIAG_SAMPLE_FILES_"
#define NOT_ITS "not reported by its driver"
#define NOT_AT_WORK_NOW "not at work: its link may be slower at rest"

enum { MOST_GPUS = 64 };
#define KIB UINT64_C(1024)
#define BYTES_PER_MBIT 125000.0
#define MJ_PER_COUNT 0.015259		/* amdgpu's, kgd_pp_interface.h: 15.259 microjoules */

/* ---- in the parent */

static bool is_read_here(const struct snapshot *sealed, const struct gpu *gpu)
{
	return gpu_is_under_test(sealed, gpu) &&
	       (str_is(gpu->pci.driver, "amdgpu") || str_is(gpu->pci.driver, "i915") || str_is(gpu->pci.driver, "xe"));
}

/* The lower end of its slot's link; "": not known. */
static const char *slot_of(const struct gpu *gpu)
{
	bool sees_bridges = is_known(gpu->bridges) && u64_or(gpu->bridges, 0) == gpu->nr_hops;

	if (!sees_bridges)
		return "";
	if (!gpu_has_card_switch(gpu))
		return str_or(gpu->key, "");
	return gpu->nr_hops > 1 ? str_or(gpu->hops[1].address, "") : "";
}

/* GPUs as "0000:03:00.0/amdgpu/0000:01:00.0": address, driver, slot. */
static void environment(const struct snapshot *sealed, const struct strs *skip, struct arena *arena, struct strs *ret)
{
	STRBUF_AUTO list = STRBUF_INIT;

	for (size_t i = 0; i < sealed->nr_gpus; i++) {
		const struct gpu *gpu = &sealed->gpus[i];

		if (is_read_here(sealed, gpu) && !strs_has(skip, str_or(gpu->key, "")))
			strbuf_addf(&list, "%s%s/%s/%s", list.len ? " " : "", str_or(gpu->key, ""),
				    str_or(gpu->pci.driver, ""), slot_of(gpu));
	}
	strs_add(arena, ret, arena_printf(arena, VARIABLE "GPUS=%s", list.buf));
	strs_add(arena, ret, arena_printf(arena, VARIABLE "PIDS=%s", sample_pids_told(sealed)));
}

/* ---- in the worker: opening */

static const char *take_part(struct arena *arena, const char **at)
{
	size_t len = strcspn(*at, "/ ");
	char *part = arena_strndup(arena, *at, len);

	*at += len + ((*at)[len] == '/');
	return part;
}

static void plan_gpus(struct sample_files *own, const char *plan)
{
	own->gpus = arena_alloc(&own->arena, MOST_GPUS * sizeof(*own->gpus));
	while (*plan && own->nr_gpus < MOST_GPUS) {
		struct files_gpu *gpu = &own->gpus[own->nr_gpus++];

		gpu->address = take_part(&own->arena, &plan);
		gpu->driver = take_part(&own->arena, &plan);
		gpu->slot = take_part(&own->arena, &plan);
		file_sampler_open(&gpu->sampler, &own->arena, own->env->root, gpu->address, gpu->driver,
				  *gpu->slot ? gpu->slot : NULL, false);
		gpu->vram_used = pci_keep_file(own->env->root, gpu->address, "", "mem_info_vram_used");
		plan += strspn(plan, " ");
	}
}

static void *open_files(struct sample_env *env, char why[256])
{
	struct sample_files *own = xcalloc(1, sizeof(*own));
	const char *pids = worker_told(VARIABLE "PIDS");

	own->env = env;
	own->probe = (struct probe_env){ .root = env->root, .lock_fd = -1 };
	own->has_host_pids = sample_pids_are_hosts(env->root, pids);
	own->sees_all = *pids;
	sample_step(env, "open files of the GPUs", "");
	plan_gpus(own, worker_told(VARIABLE "GPUS"));
	kfd_open(own);
	(void)why;
	return own;
}

static void close_files(void *from)
{
	struct sample_files *own = from;

	drm_close(own);
	for (size_t i = 0; i < own->nr_gpus; i++) {
		file_sampler_close(&own->gpus[i].sampler);
		cached_fd_close(&own->gpus[i].vram_used);
	}
	gpu_nodes_release(&own->nodes);
	arena_release(&own->arena);
	free(own);
}

/* ---- one GPU */

/* From about Linux 6.15 amdgpu answers EPERM while the GPU sleeps, whoever asks (pm/amdgpu_pm.c). */
static struct val_f64 busy_of(const struct files_gpu *gpu, struct val_f64 told)
{
	if (told.state == VAL_DENIED && !strcmp(gpu->driver, "amdgpu") && !geteuid())
		return no_f64(VAL_ASLEEP, "EPERM: it sleeps");
	return told;
}

/* Tables that count how long, and not those that have bits of this moment. */
static void add_throttled(struct files_gpu *gpu, const struct amdgpu_metrics *table, const struct gpu_sample *sample,
			  uint64_t elapsed_ns, struct tick_gpu *ret)
{
	struct throttled *sum = &gpu->throttled;
	const double *share = sample->throttle.share;

	if (!table || !is_known(table->ppt_residency) || !is_known(table->accumulation_counter)) {
		ret->power_cap_ns = ret->thermal_ns = ret->brake_ns = no_u64(VAL_UNSUPPORTED, NOT_ITS);
		return;
	}
	if (sample->throttle.weight > 0) {
		sum->power_cap_ns += (uint64_t)(share[THROTTLE_POWER_CAP] * (double)elapsed_ns);
		sum->thermal_ns += (uint64_t)(share[THROTTLE_THERMAL] * (double)elapsed_ns);
		sum->brake_ns += (uint64_t)(share[THROTTLE_BRAKE] * (double)elapsed_ns);
	}
	ret->power_cap_ns = val_u64(sum->power_cap_ns);
	ret->thermal_ns = val_u64(sum->thermal_ns);
	ret->brake_ns = val_u64(sum->brake_ns);
}

static struct val_u64 scaled(struct val_u64 value, double times)
{
	return is_known(value) ? val_u64((uint64_t)((double)u64_or(value, 0) * times)) : value;
}

/* What only amdgpu's table has, or Intel's energy. */
static void read_counters(struct files_gpu *gpu, const struct gpu_sample *sample, uint64_t elapsed_ns,
			  struct tick_gpu *ret)
{
	const struct amdgpu_metrics *table = gpu->sampler.amdgpu ? amdgpu_sensors_table(gpu->sampler.amdgpu) : NULL;

	add_throttled(gpu, table, sample, elapsed_ns, ret);
	if (gpu->sampler.intel)
		ret->energy_mj = scaled(intel_sensors_energy(gpu->sampler.intel), 1e-3);
	if (!table)
		return;
	ret->energy_mj = scaled(table->energy_counts, MJ_PER_COUNT);
	ret->link_bytes_per_s = is_known(table->pcie_mbps)
					? val_f64(BYTES_PER_MBIT * (double)u64_or(table->pcie_mbps, 0))
					: no_f64(table->pcie_mbps.state, table->pcie_mbps.why);
	ret->peer_received_bytes = scaled(table->xgmi_read_kib, KIB);
	ret->peer_sent_bytes = scaled(table->xgmi_written_kib, KIB);
}

static void read_gpu(struct sample_files *own, struct files_gpu *gpu, struct arena *arena, struct tick_gpu *ret)
{
	struct gpu_sample sample;
	uint64_t now_ns = clock_now_ns();

	sample_step(own->env, "read its use, clocks and sensors", gpu->address);
	file_sampler_read(&gpu->sampler, &sample);
	read_counters(gpu, &sample, gpu->read_ns ? now_ns - gpu->read_ns : 0, ret);
	gpu->read_ns = now_ns;
	ret->busy_percent = busy_of(gpu, sample.busy_percent);
	sample_write_tick(&sample, arena, ret);
	ret->vram_used_bytes = kept_u64(&gpu->vram_used);
	/* Words of sensors that failed: those of the tick are static. */
	arena_release(&gpu->sampler.arena);
}

/* Where its driver has no figure of its own use, that of its clients. */
static void fill_by_clients(struct sample_files *own, struct files_gpu *gpu, struct tick_gpu *ret)
{
	struct gpu_sample sample = { .no_throttle = { .state = VAL_UNSET } };

	if (gpu->sampler.source != USE_BY_CLIENTS)
		return;
	ret->busy_percent = drm_busy(own, gpu);
	if (f64_or(ret->busy_percent, 0) < AT_WORK_PERCENT)
		return;
	file_sampler_read_link(&gpu->sampler, &sample);
	ret->link_width = sample.link_width;
	ret->link_speed_mtps = sample.link_speed_mtps;
}

static void fill_rest(struct tick *ret, const struct files_gpu *gpu)
{
	static const char *const all[] = { "gpus", NULL };
	static const char *const links[] = { "gpus.link_width", "gpus.link_speed_mtps", NULL };
	static const char *const others[] = {
		"gpus.busy_percent", "gpus.memory_busy_percent", "gpus.energy_mj", "gpus.link_bytes_per_s",
		"gpus.peer_sent_bytes", "gpus.peer_received_bytes", NULL
	};
	struct merge_scope scope = { .paths = all, .key = gpu->address };

	if (gpu->unread.state != VAL_UNSET) {
		tick_fill_unset(ret, &scope, gpu->unread.state, gpu->unread.why);
		return;
	}
	scope.paths = links;
	tick_fill_unset(ret, &scope, VAL_ABSENT, NOT_AT_WORK_NOW);
	scope.paths = others;
	tick_fill_unset(ret, &scope, VAL_UNSUPPORTED, NOT_ITS);
}

/* Gone from the bus; or asleep, and then nothing of it is read that might wake it. */
static struct val_head why_unread(struct sample_files *own, const struct files_gpu *gpu)
{
	struct val_head why;

	if (root_exists(own->env->root, PCI_DEVICES "/%s", gpu->address))
		return (struct val_head){ .state = VAL_LOST, .why = "it left the bus" };
	return file_sampler_is_asleep(&gpu->sampler, &why) ? why : (struct val_head){ .state = VAL_UNSET };
}

static void read_files(void *from, struct tick *ret)
{
	struct sample_files *own = from;

	own->now_ns = clock_now_ns();
	for (size_t i = 0; i < own->nr_gpus; i++)
		list_element(&ret->arena, ret, gpus, tick_gpu, own->gpus[i].address);
	for (size_t i = 0; i < own->nr_gpus; i++) {
		struct files_gpu *gpu = &own->gpus[i];

		sample_step(own->env, "read runtime_status", gpu->address);
		gpu->unread = why_unread(own, gpu);
		if (gpu->unread.state == VAL_UNSET)
			read_gpu(own, gpu, &ret->arena, list_find(ret, gpus, tick_gpu, gpu->address));
	}
	kfd_read(own, ret);
	drm_read(own, ret);
	for (size_t i = 0; i < own->nr_gpus; i++) {
		struct files_gpu *gpu = &own->gpus[i];

		if (gpu->unread.state == VAL_UNSET)
			fill_by_clients(own, gpu, list_find(ret, gpus, tick_gpu, gpu->address));
		fill_rest(ret, gpu);
	}
	own->drm.read_ns = own->now_ns;
}

static const char *const provides[] = { "gpus", NULL };

const struct sample_source sample_files = {
	.name = "sample-files",
	.help = "GPUs of AMD and Intel by the files of their drivers: use, power, clocks, traffic, throttling, processes",
	.touches = TOUCHES_FILES,
	.provides = provides,
	.open_ms = 15000,
	.reads_gpu = is_read_here,
	.environment = environment,
	.open = open_files,
	.read = read_files,
	.close = close_files,
};
