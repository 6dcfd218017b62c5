// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nvml_gpu.c - probe "nvml-gpu": one GPU by NVIDIA's management library.
 *
 * A worker for each GPU: one that hangs does not keep the others from being read,
 * and eight take no longer than one. First who it is, then what is wrong with
 * it, then the rest, each part sent on before the next is asked for; last it
 * is watched over the window.
 */
#include "base/compat.h"
#include "probe/nvidia/nvml.h"
#include "probe/probe_table.h"

#include "base/text.h"
#include "snapshot/gpus.h"
#include "snapshot/under_test.h"
#include "sys/clock.h"
#include "sys/worker.h"

#define VARIABLE "GPUDIAG_NVML_"

/* ---- in the parent */

static void targets(const struct snapshot *snapshot, struct arena *arena, struct strs *ret)
{
	for (size_t i = 0; i < snapshot->nr_gpus; i++)
		if (nvml_knows(snapshot, &snapshot->gpus[i]))
			strs_add(arena, ret, str_or(snapshot->gpus[i].key, ""));
}

static unsigned window_ms(const struct snapshot *snapshot)
{
	uint64_t ms = u64_or(snapshot->request.window_ms, 0);

	return ms < MAX_WATCH_MS ? (unsigned)ms : MAX_WATCH_MS;
}

/* Two others of its model, or more. */
static bool has_twins(const struct snapshot *snapshot, const struct gpu *gpu)
{
	size_t nr = 0;

	for (size_t i = 0; gpu && i < snapshot->nr_gpus; i++)
		nr += &snapshot->gpus[i] != gpu && nvml_knows(snapshot, &snapshot->gpus[i]) &&
		      str_is(snapshot->gpus[i].pci.device_id, str_or(gpu->pci.device_id, ""));
	return nr >= 2;
}

static void environment(const struct snapshot *snapshot, const char *target, struct arena *arena, struct strs *ret)
{
	const struct gpu *gpu = list_find(snapshot, gpus, gpu, target);

	nvml_environment(snapshot, target, arena, ret);
	strs_add(arena, ret, arena_printf(arena, VARIABLE "WINDOW_MS=%u", window_ms(snapshot)));
	strs_add(arena, ret, arena_printf(arena, VARIABLE "WAKE_MS=%u", probe_wake_ms(snapshot)));
	strs_add(arena, ret, bool_or(snapshot->host.sees_all_processes, false) ? VARIABLE "SEES_ALL=1" :
										 VARIABLE "SEES_ALL=");
	strs_add(arena, ret, has_twins(snapshot, gpu) ? VARIABLE "TWINS=1" : VARIABLE "TWINS=");
	strs_add(arena, ret, gpu && gpu_has_card_switch(gpu) ? VARIABLE "CARD_SWITCH=1" : VARIABLE "CARD_SWITCH=");
}

/* ---- in the worker */

static const char *const provides[] = {
	"gpus.nvml", "gpus.clients", "gpus.instances", "gpus.links", "gpus.throttle",
	"gpus.use.busy_percent", "gpus.use.busy_max_percent", "gpus.use.busy_p5_percent", "gpus.use.busy_p95_percent",
	"gpus.use.memory_busy_percent", "gpus.use.samples_busy", "gpus.use.link_speed_busy_mtps",
	"gpus.use.link_width_busy", "gpus.use.power_mw", "gpus.use.clock_busy_mhz",
	"gpus.use.temperature_max_c", NULL
};

/* Nothing more is known of it than why. */
static int end_unknown(struct sink *sink, const char *address, enum val_state state, const char *why)
{
	const struct merge_scope scope = { .paths = provides, .key = address };

	list_element(&sink->facts.arena, &sink->facts, gpus, gpu, address);
	snapshot_fill_unset(&sink->facts, &scope, state, why);
	return sink_end(sink, PROBE_PARTIAL, why);
}

/* Reported once: a graver error that comes later shows in the values that it makes fail. */
static void say_trouble(struct nvml_session *session)
{
	struct nvml_gpu *ret = &nvml_facts(session)->nvml;
	const char *name = nvml_error_name(session->worst_error);

	if (session->worst_error_said)
		return;
	session->worst_error_said = true;
	if (!session->worst_error || !name) {
		ret->trouble = no_str(VAL_ABSENT, "none");
		ret->trouble_call = no_str(VAL_ABSENT, "none");
		return;
	}
	ret->trouble = val_str(name + strlen("NVML_ERROR_"));
	ret->trouble_call = val_str(session->worst_error_call);
}

int nvml_get_handle(struct nvml_session *session, char why[NVML_WHY_BYTES])
{
	struct pci_address at;
	char bus_id[32];
	int error;

	if (parse_pci_address(session->address, &at))
		return NVML_ERROR_INVALID_ARGUMENT;
	snprintf(bus_id, sizeof(bus_id), "%08x:%02x:%02x.%x", at.domain, at.bus, at.device, at.function);
	error = nvml_call(session, nvmlDeviceGetHandleByPciBusId_v2, bus_id, &session->device);
	if (error)
		snprintf(why, NVML_WHY_BYTES, "nvmlDeviceGetHandleByPciBusId: %s",
			 nvml_error_name(error) ? nvml_error_name(error) : "an error that nvml.h does not name");
	return error;
}

bool nvml_is_another(struct nvml_session *session, char why[NVML_WHY_BYTES])
{
	struct nvml_pci_info pci = { .domain = 0 };
	struct pci_address at;

	if (nvml_call(session, nvmlDeviceGetPciInfo_v3, session->device, &pci) ||
	    parse_pci_address(session->address, &at) ||
	    (pci.domain == at.domain && pci.bus == at.bus && pci.device == at.device))
		return false;
	snprintf(why, NVML_WHY_BYTES, "nvmlDeviceGetHandleByPciBusId: it gave the GPU at %04x:%02x:%02x.0", pci.domain,
		 pci.bus, pci.device);
	return true;
}

static void read_gpu(struct nvml_session *session, struct probe_env *env)
{
	struct nvml_links links;
	uint64_t ms = 0;

	for (unsigned part = 1; part <= NVML_PARTS; part++) {
		nvml_read_part(session, part);
		/* A hang from here on shall not cost the worst there is. */
		if (session->worst_error == NVML_ERROR_RESET_REQUIRED || session->is_lost)
			say_trouble(session);
	}
	nvml_read_clients(session, env, *worker_told(VARIABLE "SEES_ALL"));
	nvml_read_instances(session);
	nvml_read_links(session, &links);
	nvml_retry_soon(session);
	/* One unknown error says little, and may be followed by a graver one. */
	if (session->worst_error && session->worst_error != NVML_ERROR_UNKNOWN)
		say_trouble(session);
	sink_flush(session->sink);
	if (parse_u64(worker_told(VARIABLE "WINDOW_MS"), &ms) || ms > MAX_WATCH_MS)
		ms = 0;
	nvml_watch(session, (unsigned)ms, *worker_told(VARIABLE "CARD_SWITCH"), &links);
	nvml_retry_late(session, *worker_told(VARIABLE "TWINS"), worker_child_deadline_ms());
	/* A recording's processes are all there are. */
	nvml_memory_recheck(session, env, *worker_told(VARIABLE "SEES_ALL") || !root_is_live(env->root),
			worker_child_deadline_ms());
	say_trouble(session);
}

/* Every library can open a GPU that its driver drives: one that it does not support or find has failed. */
static enum val_state state_without_handle(int error)
{
	enum val_state state = nvml_missing_value(error).state;

	return state == VAL_LOST || state == VAL_DENIED ? state : VAL_ERROR;
}

/* Its first calls are over. The driver may still be waking other GPUs, for the workers beside this one. */
static void say_it_is_awake(struct sink *sink)
{
	uint64_t ms = 0;

	if (parse_u64(worker_told(VARIABLE "WAKE_MS"), &ms) || ms > MAX_WATCH_MS)
		ms = 0;
	sink->quiet_ms = PROBE_LATER_CALLS_MS + (unsigned)ms;
}

static int run(struct probe_env *env, struct sink *sink)
{
	struct nvml_library library;
	struct nvml_session session = { .nvml = &library, .sink = sink, .address = env->target,
				    .first_look.began_ns = clock_now_ns() };
	char why[NVML_WHY_BYTES];
	enum probe_outcome outcome = nvml_open(env, sink, &library, NULL, why);
	int error;

	if (outcome == PROBE_PARTIAL)
		return end_unknown(sink, env->target, VAL_ERROR, why);
	if (outcome != PROBE_OK)
		return sink_end(sink, outcome, why);
	error = nvml_get_handle(&session, why);
	if (error) {
		say_trouble(&session);
		nvml_facts(&session)->nvml.handle = no_str(state_without_handle(error), nvml_missing_value(error).why);
		return end_unknown(sink, env->target, state_without_handle(error), why);
	}
	if (nvml_is_another(&session, why))
		return end_unknown(sink, env->target, VAL_ERROR, why);
	say_it_is_awake(sink);
	nvml_facts(&session)->nvml.handle = val_str("ok");
	read_gpu(&session, env);
	return sink_end(sink, PROBE_OK, NULL);
}

const struct probe probe_nvml_gpu = {
	.name = "nvml-gpu",
	.help = "each NVIDIA GPU by its management library: health, memory errors, links, power, clocks, users, window",
	.phase = PHASE_WINDOW,
	.touches = TOUCHES_LIBRARY,
	.live_only = true,
	.takes_driver_root = true,
	.deadline_ms = 15000,
	.kept_awake_deadline_ms = 15000,
	.provides = provides,
	.targets = targets,
	.environment = environment,
	.watches_ms = window_ms,
	.run = run,
};
