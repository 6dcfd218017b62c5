// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "bench/bench_plan.h"

#include "base/text.h"
#include "probe/system/host_room.h"
#include "snapshot/gpus.h"
#include "sys/worker.h"

enum {
	QUICK_MS = 450,
	STANDARD_MS = 4000,
	/* Of the ten seconds that the level may take: the rest is opening the device, and a slow host's. */
	STANDARD_WHOLE_MS = 8500,
	DEFAULT_SHARE_PERCENT = 90,
	DEFAULT_SUSTAIN_MS = 120000,
	MAX_NODE = 1 << 16,
	/*
	 * A kernel with known answers runs for this share of the sustained load at most, which on two cores is enough
	 * for a billion words. ANSWER_MS: what a slow host needs beside.
	 */
	ANSWER_PERCENT = 37,
	ANSWER_MS = 20000,
	MEMORY_TEST_MS = 600000,	/* what the largest memories of today take, with room to spare */
};

#define VARIABLE "GPUDIAG_BENCH_"
/* No device has as much: what is larger is no size. */
#define MAX_SIZE_BYTES 0x1p50

static bool is_asked(const struct request *request, const char *test)
{
	return !request->tests.nr || strs_has(&request->tests, test);
}

static void add_sizes(const struct request *request, struct bench_plan *ret)
{
	for (size_t i = 0; i < request->sizes_bytes.nr && ret->nr_sizes < BENCH_MAX_SIZES; i++)
		if (request->sizes_bytes.v[i] >= 1.0 && request->sizes_bytes.v[i] <= MAX_SIZE_BYTES)
			ret->sizes_bytes[ret->nr_sizes++] = (uint64_t)request->sizes_bytes.v[i];
}

void bench_plan_of(const struct snapshot *snapshot, const struct ocl_device *device, struct bench_plan *ret)
{
	const struct request *request = &snapshot->request;
	bool is_bench = request->tests.nr > 0, deep = str_is(request->level, "deep");

	*ret = (struct bench_plan){
		.transfer = is_asked(request, "transfer"),
		.memory = is_asked(request, "memory"),
		.compute = is_asked(request, "kernel"),
		.latency = is_asked(request, "latency"),
		.answer = !is_bench,
		.deep = deep,
		.all_precisions = is_bench,
		.both_ways = is_bench,
		.fine = !str_is(request->level, "quick"),
		.numa_node = -1,
	};
	ret->measure_ms = (unsigned)u64_or(request->measure_ms, ret->fine ? STANDARD_MS : QUICK_MS);
	ret->whole_ms = ret->fine && !is_known(request->measure_ms) ? STANDARD_WHOLE_MS : 0;
	ret->target = ret->fine ? 0.01 : 0.025;
	add_sizes(request, ret);
	if (deep && !is_bench) {
		ret->memory_share_percent =
			(unsigned)u64_or(request->memory_share_percent, DEFAULT_SHARE_PERCENT);
		ret->sustain_ms = (unsigned)u64_or(request->sustain_ms, DEFAULT_SUSTAIN_MS);
		ret->answer_ms = (unsigned)(ret->sustain_ms * (uint64_t)ANSWER_PERCENT / 100);
	}
	bench_plan_host(snapshot, device, ret);
}

unsigned bench_plan_ms(const struct bench_plan *plan)
{
	return 4 * plan->measure_ms + (plan->deep ? ANSWER_MS + 2 * plan->answer_ms : 0) + plan->sustain_ms +
	       (plan->memory_share_percent ? MEMORY_TEST_MS : 0);
}

/* ---- the environment: "answer,compute,…", numbers, lists */

static const struct flag { const char *name; size_t offset; } flags[] = {
#define FLAG(name) { #name, offsetof(struct bench_plan, name) }
	FLAG(transfer), FLAG(memory), FLAG(compute), FLAG(latency), FLAG(answer), FLAG(all_precisions),
	FLAG(both_ways), FLAG(fine), FLAG(deep),
#undef FLAG
};

void bench_plan_to_environment(const struct bench_plan *plan, struct arena *arena, struct strs *ret)
{
	STRBUF_AUTO words = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		if (*(const bool *)((const char *)plan + flags[i].offset))
			strbuf_addf(&words, "%s%s", words.len ? "," : "", flags[i].name);
	strs_add(arena, ret, arena_printf(arena, VARIABLE "WHAT=%s", words.buf));
	strs_add(arena, ret,
		 arena_printf(arena, VARIABLE "NUMBERS=%u,%u,%u,%u,%u,%u,%llu", plan->measure_ms, plan->whole_ms,
			      (unsigned)(plan->target * 10000.0), plan->memory_share_percent, plan->sustain_ms,
			      plan->answer_ms, (unsigned long long)plan->free_bytes));
	strbuf_setlen(&words, 0);
	for (size_t i = 0; i < plan->nr_sizes; i++)
		strbuf_addf(&words, "%s%llu", i ? "," : "", (unsigned long long)plan->sizes_bytes[i]);
	strs_add(arena, ret, arena_printf(arena, VARIABLE "SIZES=%s", words.buf));
	strs_add(arena, ret, arena_printf(arena, VARIABLE "CPUS=%s", plan->cpus));
	strs_add(arena, ret, arena_printf(arena, VARIABLE "HOST=%llu,%d", (unsigned long long)plan->host_free_bytes,
					  plan->numa_node + 1));
	strbuf_setlen(&words, 0);
	for (size_t i = 0; i < plan->nr_nodes; i++)
		strbuf_addf(&words, "%s%u:%s", i ? " " : "", plan->nodes[i].node, plan->nodes[i].cpus);
	strs_add(arena, ret, arena_printf(arena, VARIABLE "NODES=%s", words.buf));
}

/* The next of a list, split at any of the separators, into buf; false at its end. */
static bool next_word(const char **rest, const char *separators, char *buf, size_t size)
{
	size_t len;

	*rest += strspn(*rest, separators);
	len = strcspn(*rest, separators);
	if (!len)
		return false;
	snprintf(buf, size, "%.*s", (int)len, *rest);
	*rest += len;
	return true;
}

static void take_flags(const char *rest, struct bench_plan *ret)
{
	char word[32];

	while (next_word(&rest, ",", word, sizeof(word)))
		for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
			if (!strcmp(word, flags[i].name))
				*(bool *)((char *)ret + flags[i].offset) = true;
}

static uint64_t next_number(const char **rest)
{
	char word[32];
	uint64_t number;

	return next_word(rest, ",", word, sizeof(word)) && !parse_u64(word, &number) ? number : 0;
}

static void take_nodes(const char *rest, struct bench_plan *ret)
{
	char word[BENCH_CPUS_BYTES + 16];

	while (ret->nr_nodes < BENCH_MAX_NODES && next_word(&rest, " ", word, sizeof(word))) {
		struct bench_node *node = &ret->nodes[ret->nr_nodes];
		char *colon = strchr(word, ':');
		uint64_t number;

		if (!colon)
			continue;
		*colon = '\0';
		if (parse_u64(word, &number))
			continue;
		node->node = (unsigned)number;
		snprintf(node->cpus, sizeof(node->cpus), "%s", colon + 1);
		ret->nr_nodes++;
	}
}

void bench_plan_from_environment(struct bench_plan *ret)
{
	const char *numbers = worker_told(VARIABLE "NUMBERS"), *sizes = worker_told(VARIABLE "SIZES");
	const char *host = worker_told(VARIABLE "HOST");
	uint64_t ms, node;

	*ret = (struct bench_plan){ .nr_sizes = 0 };
	take_flags(worker_told(VARIABLE "WHAT"), ret);
	ms = next_number(&numbers);
	ret->measure_ms = ms && ms <= BENCH_MAX_MEASURE_MS ? (unsigned)ms : QUICK_MS;
	ms = next_number(&numbers);
	ret->whole_ms = ms <= BENCH_MAX_MEASURE_MS ? (unsigned)ms : 0;
	ret->target = (double)next_number(&numbers) / 10000.0;
	ret->memory_share_percent = (unsigned)next_number(&numbers);
	ret->sustain_ms = (unsigned)next_number(&numbers);
	ret->answer_ms = (unsigned)next_number(&numbers);
	ret->free_bytes = next_number(&numbers);
	for (uint64_t size = next_number(&sizes); size && ret->nr_sizes < BENCH_MAX_SIZES; size = next_number(&sizes))
		ret->sizes_bytes[ret->nr_sizes++] = size;
	snprintf(ret->cpus, sizeof(ret->cpus), "%s", worker_told(VARIABLE "CPUS"));
	ret->host_free_bytes = next_number(&host);
	node = next_number(&host);
	ret->numa_node = node && node <= MAX_NODE ? (int)node - 1 : -1;
	take_nodes(worker_told(VARIABLE "NODES"), ret);
}

/* ---- what the host gives to a measurement: memory, and CPUs near the device or far from it */

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
