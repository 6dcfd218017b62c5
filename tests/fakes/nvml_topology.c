// SPDX-License-Identifier: GPL-2.0-or-later
/* nvml_topology.c - what lies between GPUs, and the CPUs and memory near them. See nvml.c. */
#include "nvml_answer.h"

#include <stdio.h>
#include <string.h>

NUMBER(nvmlDeviceGetNumaNodeId, "numa_node", NOT_SUPPORTED)

static int enter_two(const char *call, device_t first, device_t second, const struct gpu **one,
		     const struct gpu **other)
{
	int error = enter_gpu(call, first, "", one);

	return error ? error : enter_gpu(call, second, "", other);
}

API(nvmlDeviceGetTopologyCommonAncestor, device_t first, device_t second, u32 *level)
{
	const struct gpu *one, *other;
	long long value;
	int error = enter_two(__func__, first, second, &one, &other);

	if (!error)
		error = tell(machine.said, "topology", 30, &value);
	if (!error)
		*level = (u32)value;
	return error;
}

API(nvmlDeviceGetTopologyNearestGpus, device_t device, u32 level, u32 *count, device_t *list)
{
	DETAIL("%u", level);
	const struct gpu *gpu;
	u32 found = 0, room = *count;
	int error = enter_gpu(__func__, device, detail, &gpu);

	for (u32 i = 0; !error && i < machine.gpu_count; i++)
		if (&machine.gpus[i] != gpu && found++ < room && list)
			list[found - 1] = &machine.gpus[i];
	if (!error)
		*count = found;
	return !error && list && found > room ? NVML_INSUFFICIENT_SIZE : error;
}

API(nvmlDeviceGetP2PStatus, device_t first, device_t second, u32 capability, u32 *status)
{
	const struct gpu *one, *other;
	long long value;
	int error = enter_two(__func__, first, second, &one, &other);

	if (!error && capability > 4)
		error = misuse(__func__, "capability", NVML_INVALID_ARGUMENT);
	if (!error)
		error = tell(one->said, "p2p_status", 0, &value);
	if (!error)
		*status = (u32)value;
	return error;
}

API(nvmlDeviceOnSameBoard, device_t first, device_t second, int *is_same)
{
	const struct gpu *one, *other;
	int error = enter_two(__func__, first, second, &one, &other);

	if (!error)
		*is_same = member(one->said, "board_id") && member(other->said, "board_id") &&
			   cJSON_Compare(member(one->said, "board_id"), member(other->said, "board_id"), true);
	return error;
}

/* "0-31,64-95" as bits of words. */
static int affinity(const char *call, device_t device, const char *key, u32 words, unsigned long *set)
{
	enum { BITS = 8 * sizeof(unsigned long) };
	const struct gpu *gpu;
	const char *text;
	int error = enter_gpu(call, device, "", &gpu), used;

	if (!error)
		error = tell_text(gpu->said, key, NULL, &text);
	if (error)
		return error;
	memset(set, 0, words * sizeof(*set));
	for (u32 first, last; sscanf(text, "%u%n", &first, &used) == 1; text += *text == ',') {
		text += used;
		last = first;
		if (sscanf(text, "-%u%n", &last, &used) == 1)
			text += used;
		for (u32 bit = first; bit <= last && bit / BITS < words; bit++)
			set[bit / BITS] |= 1UL << bit % BITS;
	}
	return NVML_SUCCESS;
}

API(nvmlDeviceGetCpuAffinity, device_t device, u32 words, unsigned long *set)
{
	return affinity(__func__, device, "local_cpus", words, set);
}

API(nvmlDeviceGetCpuAffinityWithinScope, device_t device, u32 words, unsigned long *set, u32 scope)
{
	return scope > 1 ? misuse(__func__, "scope", NVML_INVALID_ARGUMENT)
			 : affinity(__func__, device, "local_cpus", words, set);
}

API(nvmlDeviceGetMemoryAffinity, device_t device, u32 words, unsigned long *set, u32 scope)
{
	return scope > 1 ? misuse(__func__, "scope", NVML_INVALID_ARGUMENT)
			 : affinity(__func__, device, "local_nodes", words, set);
}
