// SPDX-License-Identifier: GPL-2.0-or-later
/* bench_plan_host.c - what the host gives to a measurement: memory, and CPUs near the device or far from it. */
#include "base/compat.h"
#include "bench/bench_plan.h"

#include "base/text.h"
#include "probe/system/host_room.h"
#include "snapshot/gpus.h"

static uint64_t smaller_known(uint64_t a, uint64_t b)
{
	if (!a || !b)
		return a ? a : b;
	return a < b ? a : b;
}

/* ---- memory */

static uint64_t left_of(struct val_u64 total, struct val_u64 used)
{
	if (!is_known(total) || !is_known(used))
		return 0;
	return u64_or(total, 0) > u64_or(used, 0) ? u64_or(total, 0) - u64_or(used, 0) : 1;
}

static uint64_t device_free_bytes(const struct gpu *gpu)
{
	uint64_t reserved, nvml;

	if (!gpu)
		return 0;
	reserved = u64_or(gpu->nvml.vram_reserved_bytes, 0);
	nvml = left_of(gpu->nvml.vram_total_bytes, gpu->nvml.vram_used_bytes);
	/* What the driver keeps for itself is not counted as used. */
	if (nvml)
		nvml = nvml > reserved ? nvml - reserved : 1;
	return smaller_known(nvml, left_of(gpu->amdgpu.vram_total_bytes, gpu->amdgpu.vram_used_bytes));
}

/* ---- CPUs */

/* Has the list a CPU that this run may use? Where the control group does not tell, the worker finds out. */
static bool is_usable(const struct snapshot *snapshot, const char *cpus)
{
	bool any = false;

	if (!*cpus || strlen(cpus) >= BENCH_CPUS_BYTES)
		return false;
	if (!is_known(snapshot->cgroup.cpus))
		return true;
	return !cpulist_overlap(cpus, str_or(snapshot->cgroup.cpus, ""), &any) && any;
}

static bool take_node(const struct numa_node *from, struct bench_node *ret)
{
	uint64_t number;

	if (parse_u64(str_or(from->key, ""), &number) || number > INT16_MAX)
		return false;
	ret->node = (unsigned)number;
	snprintf(ret->cpus, sizeof(ret->cpus), "%s", str_or(from->cpus, ""));
	return true;
}

static size_t usable_nodes(const struct snapshot *snapshot, struct bench_node ret[BENCH_MAX_NODES])
{
	size_t nr = 0;

	for (size_t i = 0; i < snapshot->nr_numa_nodes && nr < BENCH_MAX_NODES; i++)
		if (is_usable(snapshot, str_or(snapshot->numa_nodes[i].cpus, "")))
			nr += take_node(&snapshot->numa_nodes[i], &ret[nr]);
	return nr;
}

static size_t nodes_with_cpus(const struct snapshot *snapshot)
{
	size_t nr = 0;

	for (size_t i = 0; i < snapshot->nr_numa_nodes; i++)
		nr += *str_or(snapshot->numa_nodes[i].cpus, "") != '\0';
	return nr;
}

/* The device's node; where this run may use no CPU of it, the first one that has some: then at least it is known. */
static const struct bench_node *nearest(const struct gpu *gpu, const struct bench_node *nodes, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (u64_or(gpu->pci.numa_node, UINT64_MAX) == nodes[i].node)
			return &nodes[i];
	return nr ? &nodes[0] : NULL;
}

void bench_plan_host(const struct snapshot *snapshot, const struct ocl_device *device, struct bench_plan *plan)
{
	const struct gpu *gpu = ocl_device_gpu(snapshot, device);
	const struct bench_node *node = NULL;
	size_t nr = usable_nodes(snapshot, plan->nodes);

	plan->host_free_bytes = host_room_free(&snapshot->cgroup, u64_or(snapshot->memory.available_bytes, 0));
	plan->free_bytes = device_free_bytes(gpu);
	/* The threads of a driver for CPUs are all CPUs: it is nowhere. */
	if (gpu && is_known(gpu->pci.numa_node) && nodes_with_cpus(snapshot) > 1)
		node = nearest(gpu, plan->nodes, nr);
	if (node) {
		plan->numa_node = (int)node->node;
		memcpy(plan->cpus, node->cpus, sizeof(plan->cpus));
	}
	if (nr > 1 && plan->transfer && (bool_or(snapshot->request.per_numa_node, false) || (gpu && plan->fine)))
		plan->nr_nodes = nr;
}
