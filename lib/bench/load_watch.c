// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * load_watch.c - probe "load-watch": a GPU while our own load is on it.
 *
 * It runs beside the worker that puts the load on (collect.c) and ends with
 * that, by SIGTERM. It is a process of its own, so whatever happens to it
 * happens to neither the load nor the load's timing. The signal is not caught
 * but waited for, between two samples: a call that does not come back is what
 * the parent then finds it in.
 */
#include "base/compat.h"
#include "probe/probe_table.h"

#include <signal.h>
#include <time.h>

#include "probe/gpu/sampler.h"
#include "probe/nvidia/nvml.h"
#include "probe/pace.h"
#include "probe/pci/pci_function.h"
#include "probe/read.h"
#include "snapshot/gpus.h"
#include "sys/clock.h"

enum {
	OFTEN_MS = 100,
	OFTEN_FOR_MS = 20 * 1000,	/* a load of minutes is looked at less often then */
	SELDOM_MS = 1000,
	MOST_SAMPLES = 1500,		/* 200 and 21 minutes */
	COST_SHARE = 10,		/* a sample may take a tenth of the time between two */
};
#define MS_NS UINT64_C(1000000)
#define VARIABLE "GPUDIAG_LOAD_WATCH_"

/* ---- in the parent */

static const char *gpu_of(const struct snapshot *snapshot, const char *target)
{
	const struct ocl_device *device = list_find(snapshot, ocl_devices, ocl_device, target);
	const struct gpu *gpu = device ? ocl_device_gpu(snapshot, device) : NULL;

	return gpu ? str_or(gpu->key, NULL) : NULL;
}

/* The lower end of its slot's link, as probe "window" finds it; NULL where the bridges above were not all seen. */
static const char *slot_of(const struct gpu *gpu)
{
	if (!is_known(gpu->bridges) || u64_or(gpu->bridges, 0) != gpu->nr_hops)
		return NULL;
	if (!gpu_has_card_switch(gpu))
		return str_or(gpu->key, NULL);
	return gpu->nr_hops > 1 ? str_or(gpu->hops[1].address, NULL) : NULL;
}

static void environment(const struct snapshot *snapshot, const char *target, struct arena *arena, struct strs *ret)
{
	const struct gpu *gpu = list_find(snapshot, gpus, gpu, target);
	const char *slot = gpu ? slot_of(gpu) : NULL;

	nvml_environment(snapshot, target, arena, ret);
	strs_add(arena, ret, arena_printf(arena, VARIABLE "SLOT=%s", slot ? slot : ""));
	strs_add(arena, ret, gpu && gpu_has_card_switch(gpu) ? VARIABLE "CARD_SWITCH=1" :
							       VARIABLE "CARD_SWITCH=");
}

/* As long as the load may take. It is ended with the load, so this limit only matters if that fails. */
static unsigned watches_ms(const struct snapshot *snapshot)
{
	unsigned load_ms = probe_ocl_run.deadline_ms + probe_ocl_run.watches_ms(snapshot);

	return load_ms < MAX_WATCH_MS ? load_ms : MAX_WATCH_MS;
}

/* ---- in the worker */

/* By the environment, or by what stands for it where a person started it. */
static struct sampler_plan plan_of(const struct probe_env *env, const char *driver)
{
	const char *slot = getenv(VARIABLE "SLOT"), *card_switch = getenv(VARIABLE "CARD_SWITCH");

	return (struct sampler_plan){
		.address = env->target,
		.driver = driver,
		.slot = !slot ? env->target : *slot ? slot : NULL,
		.has_card_switch = card_switch && *card_switch,
	};
}

/* Waits until then: false; until SIGTERM: true. */
static bool told_to_end(const sigset_t *end, uint64_t until_ns)
{
	for (;;) {
		uint64_t now_ns = clock_now_ns(), left_ns = until_ns > now_ns ? until_ns - now_ns : 0;
		struct timespec wait = { .tv_sec = (time_t)(left_ns / (1000 * MS_NS)),
					 .tv_nsec = (long)(left_ns % (1000 * MS_NS)) };

		if (sigtimedwait(end, NULL, &wait) > 0)
			return true;
		if (clock_now_ns() >= until_ns)
			return false;
	}
}

/*
 * False: the GPU is gone. *last_ms: of the sample before. Of two in one millisecond, when one came late, each has its
 * own.
 */
static bool take_sample(const struct sampler *sampler, struct sink *sink, const char *address, uint64_t *last_ms,
			const char **why)
{
	struct arena *arena = &sink->facts.arena;
	uint64_t now_ms = clock_now_ns() / MS_NS, at_ms = now_ms > *last_ms ? now_ms : *last_ms + 1;
	struct gpu_sample sample;
	bool more = sampler->read(sampler->own, &sample, why);
	struct gpu *gpu = list_element(arena, &sink->facts, gpus, gpu, address);
	struct load_sample *ret = list_element(arena, gpu, load_samples, load_sample,
					       arena_printf(arena, "%012llu", (unsigned long long)at_ms));

	*last_ms = at_ms;
	ret->at_ms = val_u64(at_ms);
	sample_write(&sample, arena, ret);
	sink_flush(sink);
	return more;
}

/* Samples until SIGTERM: NULL; or until the GPU is gone: the reason. */
static const char *watch(const struct sampler *sampler, struct sink *sink, const char *address, const sigset_t *end)
{
	const uint64_t began_ns = clock_now_ns();
	uint64_t last_ms = 0;
	struct pace pace = { .every_ns = OFTEN_MS * MS_NS, .cost_share = COST_SHARE, .due_ns = began_ns };
	const char *why = NULL;
	size_t taken = 0;

	while (!told_to_end(end, pace.due_ns)) {
		pace_begin(&pace);
		if (clock_now_ns() - began_ns >= OFTEN_FOR_MS * MS_NS)
			pace.every_ns = SELDOM_MS * MS_NS;
		if (taken < MOST_SAMPLES && !(sampler->is_asleep && sampler->is_asleep(sampler->own))) {
			taken++;
			if (!take_sample(sampler, sink, address, &last_ms, &why))
				return why;
		}
		pace_end(&pace);
	}
	return NULL;
}

static int run(struct probe_env *env, struct sink *sink)
{
	struct sampler_plan plan;
	struct sampler sampler;
	char why[SAMPLER_WHY_BYTES] = "", driver[64];
	enum probe_outcome outcome;
	const char *lost = NULL;
	sigset_t end;

	/* First of all: a library's threads inherit it. */
	sigemptyset(&end);
	sigaddset(&end, SIGTERM);
	sigprocmask(SIG_BLOCK, &end, NULL);
	if (!env->target)
		return sink_end(sink, PROBE_UNAVAILABLE, "no GPU given");
	snprintf(driver, sizeof(driver), "%s",
		 str_or(read_link_name(env, &sink->facts.arena, PCI_DEVICES "/%s/driver", env->target), ""));
	plan = plan_of(env, driver);
	outcome = sampler_open(&sampler, env, sink, &plan, why);
	if (outcome == PROBE_OK)
		lost = watch(&sampler, sink, env->target, &end);
	sampler.close(sampler.own);
	if (outcome != PROBE_OK)
		return sink_end(sink, outcome, why);
	return sink_end(sink, lost ? PROBE_PARTIAL : PROBE_OK, lost);
}

static const char *const provides[] = { "gpus.load_samples", NULL };

const struct probe probe_load_watch = {
	.name = "load-watch",
	.help = "each GPU while it is under our load, ten times a second: use, link, clocks, power, heat, throttling",
	.phase = PHASE_LOAD,
	.touches = TOUCHES_LIBRARY,
	.live_only = true,
	.takes_driver_root = true,
	.ends_on_sigterm = true,
	.deadline_ms = 15000,
	.provides = provides,
	.beside = &probe_ocl_run,
	.target_beside = gpu_of,
	.environment = environment,
	.watches_ms = watches_ms,
	.run = run,
};
