// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sample_nvml_gpm.c - what the hardware of newer GPUs counts of its own work (GPM, since Hopper), whole or in instances
 * (MIG): between two samples, 100 ms apart or more.
 */
#include "base/compat.h"
#include "probe/sample/sample_nvml.h"

#include "sys/clock.h"

#define APART_NS UINT64_C(100000000)
#define MIB 1048576.0
#define MOST_BYTES_PER_S 1e12		/* over PCIe: more is no answer */
/* at which work cannot be 0: DCGM has seen so after an Xid 31 (its issue 303) */
#define BUSY_PERCENT 90.0

static const struct { unsigned id; size_t offset; double times, most; } metrics[] = {
	{ NVML_GPM_GRAPHICS, offsetof(struct nvml_gpm_figures, graphics), 1, 100 },
	{ NVML_GPM_SM, offsetof(struct nvml_gpm_figures, sm), 1, 100 },
	{ NVML_GPM_OCCUPANCY, offsetof(struct nvml_gpm_figures, occupancy), 1, 100 },
	{ NVML_GPM_TENSOR, offsetof(struct nvml_gpm_figures, tensor), 1, 100 },
	{ NVML_GPM_MEMORY, offsetof(struct nvml_gpm_figures, memory), 1, 100 },
	{ NVML_GPM_CONTEXT_SWITCHES, offsetof(struct nvml_gpm_figures, context_switches), 1, 100 },
	{ NVML_GPM_PCIE_SENT, offsetof(struct nvml_gpm_figures, sent_bytes_per_s), MIB, MOST_BYTES_PER_S },
	{ NVML_GPM_PCIE_RECEIVED, offsetof(struct nvml_gpm_figures, received_bytes_per_s), MIB, MOST_BYTES_PER_S },
};

static struct val_f64 *figure(struct nvml_gpm_figures *figures, size_t i)
{
	return (struct val_f64 *)(void *)((char *)figures + metrics[i].offset);
}

static void set_all(struct nvml_gpm_figures *ret, struct val_head no)
{
	for (size_t i = 0; i < ARRAY_SIZE(metrics); i++)
		*figure(ret, i) = no_f64(no.state, no.why);
}

void nvml_gpm_compare(struct nvml_session *session, nvml_gpm_sample from, nvml_gpm_sample to,
		      struct nvml_gpm_metrics *room, struct nvml_gpm_figures *ret)
{
	int error;

	room->version = NVML_GPM_VERSION;
	room->nr = ARRAY_SIZE(metrics);
	room->from = from;
	room->to = to;
	for (size_t i = 0; i < ARRAY_SIZE(metrics); i++)
		room->metrics[i] = (struct nvml_gpm_metric){ .id = metrics[i].id, .result = NVML_ERROR_NO_DATA };
	error = nvml_call(session, nvmlGpmMetricsGet, room);
	if (error) {
		set_all(ret, nvml_missing_value(error));
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(metrics); i++) {
		const struct nvml_gpm_metric *metric = &room->metrics[i];
		double value = metrics[i].times * metric->value;

		if (metric->result)
			*figure(ret, i) = no_f64(nvml_missing_value(metric->result).state,
						nvml_missing_value(metric->result).why);
		else if (value >= 0 && value <= metrics[i].most)	/* false of what is no number */
			*figure(ret, i) = val_f64(value);
		else
			*figure(ret, i) = no_f64(VAL_ERROR, "reads no share");
	}
}

/* ---- samples */

static int alloc_samples(struct nvml_session *session, struct nvml_gpm *gpm)
{
	int error = 0;

	for (unsigned i = 0; i < GPM_SAMPLES && !error; i++)
		if (!gpm->samples[i])
			error = nvml_call(session, nvmlGpmSampleAlloc, &gpm->samples[i]);
	return error;
}

static void free_samples(struct nvml_session *session, struct nvml_gpm *gpm)
{
	for (unsigned i = 0; i < GPM_SAMPLES; i++)
		if (gpm->samples[i] && session->nvml->nvmlGpmSampleFree)
			session->nvml->nvmlGpmSampleFree(gpm->samples[i]);
	*gpm = (struct nvml_gpm){ .off = gpm->off };
}

/* The one before that is 100 ms older than the newest: a tick that came late leaves the next one short. -1: none. */
static int find_before(const struct nvml_gpm *gpm)
{
	unsigned newest = (gpm->nr - 1) % GPM_SAMPLES;

	for (unsigned back = 1; back < GPM_SAMPLES && back < gpm->nr; back++) {
		unsigned at = (gpm->nr - 1 - back) % GPM_SAMPLES;

		if (gpm->taken_ns[newest] - gpm->taken_ns[at] >= APART_NS)
			return (int)at;
	}
	return -1;
}

/* of: of the whole GPU, or of that instance of it. */
static void read_one(struct sample_nvml *own, struct nvml_session *session, struct nvml_gpm *gpm,
		     const struct nvml_instance *of, struct nvml_gpm_figures *ret)
{
	int error = gpm->off ? gpm->off : alloc_samples(session, gpm), before;
	unsigned at = gpm->nr % GPM_SAMPLES;

	if (!error && of && session->nvml->nvmlGpmMigSampleGet)
		error = nvml_call(session, nvmlGpmMigSampleGet, session->device, of->gpu_instance, gpm->samples[at]);
	else if (!error)
		error = nvml_call(session, nvmlGpmSampleGet, of ? of->device : session->device, gpm->samples[at]);
	if (error) {
		if (nvml_missing_value(error).state != VAL_ERROR)
			gpm->off = error;
		gpm->nr = 0;
		set_all(ret, nvml_missing_value(error));
		return;
	}
	gpm->taken_ns[at] = clock_now_ns();
	gpm->nr++;
	before = find_before(gpm);
	if (before < 0)
		set_all(ret, (struct val_head){ .state = VAL_ABSENT, .why = "no sample that is 100 ms old" });
	else
		nvml_gpm_compare(session, gpm->samples[before], gpm->samples[at], own->metrics, ret);
}

void nvml_gpm_close(struct sample_nvml *own, struct nvml_gpu_watch *gpu)
{
	own->asking = gpu->address;
	free_samples(&gpu->session, &gpu->gpm);
	for (unsigned i = 0; i < gpu->nr_instances; i++)
		free_samples(&gpu->session, &gpu->instances[i].gpm);
}

/* ---- instances */

static unsigned list_instances(struct nvml_session *session, struct nvml_instance ret[NVML_MOST_INSTANCES])
{
	unsigned places = 0, nr = 0;

	if (nvml_call(session, nvmlDeviceGetMaxMigDeviceCount, session->device, &places))
		return 0;
	/* Not every place is taken: NOT_FOUND is a hole. */
	for (unsigned i = 0; i < places && nr < NVML_MOST_INSTANCES; i++) {
		struct nvml_instance *instance = &ret[nr];

		*instance = (struct nvml_instance){ .gpu_instance = 0 };
		if (nvml_call(session, nvmlDeviceGetMigDeviceHandleByIndex, session->device, i, &instance->device))
			continue;
		nr += !nvml_call(session, nvmlDeviceGetGpuInstanceId, instance->device, &instance->gpu_instance) &&
		      !nvml_call(session, nvmlDeviceGetComputeInstanceId, instance->device,
				 &instance->compute_instance);
	}
	return nr;
}

static bool are_the_same(const struct nvml_gpu_watch *gpu, const struct nvml_instance *now, unsigned nr)
{
	for (unsigned i = 0; i < nr && nr == gpu->nr_instances; i++)
		if (now[i].gpu_instance != gpu->instances[i].gpu_instance ||
		    now[i].device != gpu->instances[i].device ||
		    now[i].compute_instance != gpu->instances[i].compute_instance)
			return false;
	return nr == gpu->nr_instances;
}

/* What is refused of a GPU that is divided. */
static void ask_for_use_again(struct nvml_gpu_watch *gpu)
{
	gpu->sampler.off[NVML_USE] = 0;
	for (unsigned kind = 0; kind < NR_RINGS; kind++)
		gpu->rings[kind].off = 0;
}

void nvml_look_at_instances(struct sample_nvml *own, struct nvml_gpu_watch *gpu)
{
	struct nvml_instance now[NVML_MOST_INSTANCES];
	unsigned current = 0, pending = 0, nr = 0;
	bool was_divided = gpu->is_divided;

	if (gpu->instances_ns && own->now_ns - gpu->instances_ns < NVML_INSTANCES_NS)
		return;
	gpu->instances_ns = own->now_ns;
	gpu->is_divided =
		!nvml_call(&gpu->session, nvmlDeviceGetMigMode, gpu->session.device, &current, &pending) && current;
	if (gpu->is_divided != was_divided)
		ask_for_use_again(gpu);
	if (gpu->is_divided)
		nr = list_instances(&gpu->session, now);
	if (are_the_same(gpu, now, nr))
		return;
	for (unsigned i = 0; i < gpu->nr_instances; i++)
		free_samples(&gpu->session, &gpu->instances[i].gpm);
	memcpy(gpu->instances, now, nr * sizeof(*now));
	gpu->nr_instances = nr;
	for (unsigned i = 0; i < nr; i++)
		gpu->instances[i].gpm.off = gpu->gpm.off;
}

/* ---- into the tick */

static void fill_instance(struct nvml_session *session, const struct nvml_instance *instance, struct tick_instance *ret)
{
	struct nvml_memory memory = { .total = 0 };
	int error = nvml_call(session, nvmlDeviceGetMemoryInfo, instance->device, &memory);

	ret->vram_used_bytes = nvml_u64(session, error, memory.used);
}

/* Its element, made where it is missing; elements move as others are made. */
static struct tick_instance *told_of(struct sample_nvml *own, struct tick_gpu *gpu,
				     const struct nvml_instance *instance)
{
	char key[32];

	snprintf(key, sizeof(key), "%u/%u", instance->gpu_instance, instance->compute_instance);
	return list_element(&own->sink.facts.arena, gpu, instances, tick_instance, key);
}

/* Memory of all of them before what GPM may spoil. */
static void read_instances(struct sample_nvml *own, struct nvml_gpu_watch *gpu, struct tick_gpu *ret)
{
	for (unsigned i = 0; i < gpu->nr_instances; i++)
		fill_instance(&gpu->session, &gpu->instances[i], told_of(own, ret, &gpu->instances[i]));
	for (unsigned i = 0; i < gpu->nr_instances; i++) {
		struct tick_instance *told = told_of(own, ret, &gpu->instances[i]);
		struct nvml_gpm_figures figures;

		read_one(own, &gpu->session, &gpu->instances[i].gpm, &gpu->instances[i], &figures);
		told->sm_active_percent = figures.sm;
		told->sm_occupancy_percent = figures.occupancy;
		told->tensor_active_percent = figures.tensor;
		told->memory_active_percent = figures.memory;
	}
}

void nvml_read_gpm(struct sample_nvml *own, struct nvml_gpu_watch *gpu, struct tick_gpu *ret)
{
	struct nvml_gpm_figures figures;

	if (gpu->is_divided)
		read_instances(own, gpu, ret);
	read_one(own, &gpu->session, &gpu->gpm, NULL, &figures);
	if (is_known(figures.graphics) && f64_or(figures.graphics, 1) <= 0 &&
	    f64_or(ret->busy_percent, 0) >= BUSY_PERCENT)
		set_all(&figures, (struct val_head){ .state = VAL_ERROR, .why = "reads 0 of a GPU that is busy" });
	ret->sm_active_percent = figures.sm;
	ret->sm_occupancy_percent = figures.occupancy;
	ret->tensor_active_percent = figures.tensor;
	ret->memory_active_percent = figures.memory;
	ret->context_switch_percent = figures.context_switches;
	if (!is_known(ret->link_sent_bytes))
		ret->link_sent_bytes_per_s = figures.sent_bytes_per_s;
	if (!is_known(ret->link_received_bytes))
		ret->link_received_bytes_per_s = figures.received_bytes_per_s;
}
