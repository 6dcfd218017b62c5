// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sample_nvml_use.c - how busy an NVIDIA GPU is, and what else is of this moment. The driver keeps samples of the last
 * seconds, several in each: one call gets all since the last, where its newest figure alone would alias.
 */
#include "base/compat.h"
#include "probe/sample/sample_nvml.h"

#include "base/alloc.h"

enum {
	MOST_SAMPLES = 1 << 16,		/* of a ring: more is no answer */
	MOST_MW = 5000000,		/* of one card */
	LOOKS_UNTIL_ALL = 4,		/* quiet ones in a row, before all that the driver has is asked for */
};
#define PARTS_UNMEASURABLE "utilization is not measurable per MIG instance on this GPU without DCGM"
#define PARTS_TELL "not of a GPU that is divided (MIG): its instances tell"

/* ---- stamps */

uint64_t nvml_stamps_after(const struct nvml_stamps *stamps)
{
	return stamps->quiet % LOOKS_UNTIL_ALL == LOOKS_UNTIL_ALL - 1 ? 0 : stamps->last_us;
}

uint64_t nvml_stamps_take(struct nvml_stamps *stamps, uint64_t newest_us, uint64_t interval_us)
{
	uint64_t last_us = stamps->last_us;

	if (!newest_us || newest_us == last_us) {
		stamps->quiet++;
		return UINT64_MAX;
	}
	*stamps = (struct nvml_stamps){ .last_us = newest_us };
	if (last_us && newest_us > last_us)
		return last_us;
	return newest_us > interval_us ? newest_us - interval_us : 0;
}

/* ---- the driver's samples */

struct ring_sum { size_t nr; double sum, least, most; };

static const struct { int type; uint64_t most; } rings[NR_RINGS] = {
	[RING_POWER] = { NVML_SAMPLES_POWER, MOST_MW },
	[RING_USE] = { NVML_SAMPLES_USE, 100 },
	[RING_MEMORY_USE] = { NVML_SAMPLES_MEMORY_USE, 100 },
};

void *nvml_room(struct sample_nvml *own, size_t nr, size_t element_bytes)
{
	if (nr * element_bytes > own->room_bytes) {
		own->room_bytes = nr * element_bytes;
		own->room = xrealloc(own->room, own->room_bytes);
	}
	if (nr)
		memset(own->room, 0, nr * element_bytes);
	return own->room;
}

/* Is it worth asking again after that error? */
static int keep_off(int error)
{
	enum val_state state = nvml_missing_value(error).state;

	return error && (state == VAL_UNSUPPORTED || state == VAL_DENIED || state == VAL_LOST) ? error : 0;
}

static int find_room(struct nvml_session *session, int type, unsigned *ret)
{
	unsigned nr = 0;
	int value_type = 0,
	    error = nvml_call(session, nvmlDeviceGetSamples, session->device, type, 0, &value_type, &nr, NULL);

	if (error)
		return error;
	*ret = nr < MOST_SAMPLES ? nr : MOST_SAMPLES;
	return nr ? 0 : NVML_ERROR_NOT_FOUND;
}

static void add_samples(struct nvml_gpu_watch *gpu, enum nvml_ring_kind kind, uint64_t interval_us, int type,
			const struct nvml_sample *samples, unsigned nr, struct ring_sum *ret)
{
	uint64_t newest_us = 0, after_us;

	for (unsigned i = 0; i < nr; i++)
		newest_us = samples[i].timestamp_us > newest_us ? samples[i].timestamp_us : newest_us;
	after_us = nvml_stamps_take(&gpu->rings[kind].stamps, newest_us, interval_us);
	for (unsigned i = 0; i < nr; i++) {
		const struct nvml_field field = { .type = type, .value = samples[i].value };
		struct val_u64 value = nvml_field_u64(&gpu->session, &field);
		double number = (double)u64_or(value, 0);

		if (samples[i].timestamp_us <= after_us || u64_or(value, UINT64_MAX) > rings[kind].most)
			continue;
		ret->sum += number;
		ret->least = !ret->nr || number < ret->least ? number : ret->least;
		ret->most = number > ret->most ? number : ret->most;
		ret->nr++;
	}
}

static int read_ring(struct sample_nvml *own, struct nvml_gpu_watch *gpu, enum nvml_ring_kind kind,
		     struct ring_sum *ret)
{
	struct nvml_session *session = &gpu->session;
	struct nvml_ring *ring = &gpu->rings[kind];
	struct nvml_sample *samples;
	int error = ring->off, type = 0;
	unsigned nr;

	*ret = (struct ring_sum){ .nr = 0 };
	if (!error && !ring->room)
		error = find_room(session, rings[kind].type, &ring->room);
	if (!error) {
		samples = nvml_room(own, ring->room, sizeof(*samples));
		nr = ring->room;
		error = nvml_call(session, nvmlDeviceGetSamples, session->device, rings[kind].type,
				  nvml_stamps_after(&ring->stamps), &type, &nr, samples);
		nr = nr < ring->room ? nr : ring->room;
		if (!error || error == NVML_ERROR_NOT_FOUND)
			add_samples(gpu, kind, own->env->interval_ns / 1000, type, samples, error ? 0 : nr, ret);
	}
	ring->off = keep_off(error);
	return error;
}

/* ---- as figures */

static void fill_use(const struct nvml_gpu_watch *gpu, const struct ring_sum *sum, int error,
		     const struct gpu_sample *now, struct tick_gpu *ret)
{
	struct val_head no = error && error != NVML_ERROR_NOT_FOUND ? nvml_missing_value(error) :
		(struct val_head){ .state = VAL_ABSENT, .why = NVML_NOTHING_NEW };

	ret->busy_percent = now->busy_percent;
	ret->busy_min_percent = ret->busy_max_percent = no_f64(no.state, no.why);
	if (sum->nr) {
		ret->busy_percent = val_f64(sum->sum / (double)sum->nr);
		ret->busy_min_percent = val_f64(sum->least);
		ret->busy_max_percent = val_f64(sum->most);
	} else if (gpu->is_divided && ret->busy_percent.state == VAL_UNSUPPORTED) {
		ret->busy_percent.why = gpu->gpm.off ? PARTS_UNMEASURABLE : PARTS_TELL;
		ret->busy_min_percent = ret->busy_max_percent = ret->busy_percent;
	}
}

/* Not asked again where it is not supported. */
static void read_amounts(struct nvml_gpu_watch *gpu, struct tick_gpu *ret)
{
	struct nvml_session *session = &gpu->session;
	struct nvml_memory_v2 memory = { 0 };
	uint64_t energy_mj = 0;
	int newest, error = gpu->memory_off;

	if (!error)
		error = nvml_call_memory(session, &newest, &memory);
	gpu->memory_off = keep_off(error);
	ret->vram_used_bytes = nvml_u64(session, error, memory.used);
	error = gpu->energy_off;
	if (!error)
		error = nvml_call(session, nvmlDeviceGetTotalEnergyConsumption, session->device, &energy_mj);
	gpu->energy_off = keep_off(error);
	ret->energy_mj = nvml_u64(session, error, energy_mj);
}

void nvml_read_figures(struct sample_nvml *own, struct nvml_gpu_watch *gpu, struct tick_gpu *ret)
{
	struct ring_sum sums[NR_RINGS];
	int errors[NR_RINGS];
	struct gpu_sample now;

	for (enum nvml_ring_kind kind = 0; kind < NR_RINGS; kind++)
		errors[kind] = read_ring(own, gpu, kind, &sums[kind]);
	gpu->sampler.left_out = (sums[RING_USE].nr && sums[RING_MEMORY_USE].nr ? 1U << NVML_USE : 0) |
				(sums[RING_POWER].nr ? 1U << NVML_POWER : 0);
	nvml_sample(&gpu->sampler, &now);
	fill_use(gpu, &sums[RING_USE], errors[RING_USE], &now, ret);
	sample_write_tick(&now, &own->sink.facts.arena, ret);
	if (sums[RING_MEMORY_USE].nr)
		ret->memory_busy_percent = val_f64(sums[RING_MEMORY_USE].sum / (double)sums[RING_MEMORY_USE].nr);
	if (sums[RING_POWER].nr)
		ret->power_mw = val_u64((uint64_t)(sums[RING_POWER].sum / (double)sums[RING_POWER].nr + 0.5));
	read_amounts(gpu, ret);
}
