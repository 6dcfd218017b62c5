// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nvml_memory_recheck.c - a second look at how much of a GPU's memory is in use, where
 * the first found much that is no client's.
 *
 * A process that ends is off the driver's lists before its memory is given
 * back, which takes seconds. Memory that nobody has for longer stays so.
 */
#include "base/compat.h"
#include "probe/nvidia/nvml.h"

#include "probe/read.h"
#include "sys/clock.h"

#define MS_NS UINT64_C(1000000)
#define APART_NS (5000 * MS_NS)
#define SPARE_NS (1000 * MS_NS)			/* for the call, before the worker's time is up */
#define WORTH_BYTES (UINT64_C(2) << 30)		/* policy's default of vram.dead_bytes */

/* With a living client, memory of no client may be its: the driver counts managed memory (UVM) for no process. */
static uint64_t unheld_bytes(const struct nvml_first_look *first)
{
	uint64_t used = u64_or(first->used_bytes, 0);
	uint64_t unheld = used > first->living_bytes ? used - first->living_bytes : 0;

	return first->nr_living && first->dead_bytes < unheld ? first->dead_bytes : unheld;
}

/*
 * Memory of a module that the kernel gives out too is a NUMA node of its own, and in use by anybody. A node with CPUs
 * is main memory: that the GPU is near it says nothing of the GPU's own.
 */
static bool is_given_out(struct nvml_session *session, struct probe_env *env)
{
	unsigned node = 0;

	return !nvml_call(session, nvmlDeviceGetNumaNodeId, session->device, &node) &&
	       !is_known(read_str(env, &session->sink->facts.arena, "/sys/devices/system/node/node%u/cpulist", node));
}

static bool is_divided(struct nvml_session *session)
{
	unsigned now = 0, pending = 0;

	return !nvml_call(session, nvmlDeviceGetMigMode, session->device, &now, &pending) && now;
}

void nvml_memory_recheck(struct nvml_session *session, struct probe_env *env, bool sees_processes, uint64_t deadline_ms)
{
	const struct nvml_first_look *first = &session->first_look;
	struct val_u64 *ret = &nvml_facts(session)->nvml.vram_used_again_bytes;
	const uint64_t now_ns = clock_now_ns(), due_ns = first->at_ns + APART_NS;
	struct nvml_memory_v2 memory;
	int newest, error;

	if (session->is_lost)
		*ret = nvml_u64(session, NVML_ERROR_GPU_IS_LOST, 0);
	else if (!is_known(first->used_bytes) || !first->is_complete)
		*ret = no_u64(VAL_ABSENT, "owner of the memory not reported");
	else if (unheld_bytes(first) < WORTH_BYTES)
		*ret = no_u64(VAL_ABSENT, "little of it is no client's");
	else if (!sees_processes)
		*ret = no_u64(VAL_UNSUPPORTED, "not all processes of the host are visible");
	else if (is_given_out(session, env) || is_divided(session))
		*ret = no_u64(VAL_ABSENT, "owner reported by its instances or the kernel");
	else if (!nvml_has_time(session, (now_ns > due_ns ? now_ns : due_ns) + SPARE_NS, deadline_ms))
		*ret = no_u64(VAL_ABSENT, "no time left for a second reading");
	if (ret->state != VAL_UNSET)
		return;
	/* What is known so far is not to wait. */
	sink_flush(session->sink);
	if (due_ns > now_ns)
		sink_sleep_ns(session->sink, due_ns - now_ns);
	error = nvml_call_memory(session, &newest, &memory);
	nvml_facts(session)->nvml.vram_used_again_bytes = nvml_u64(session, error, memory.used);
}
