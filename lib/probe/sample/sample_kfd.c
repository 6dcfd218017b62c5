// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sample_kfd.c - processes that compute on AMD's GPUs, by the compute driver's files (Linux 7.2 amdkfd/kfd_process.c).
 * A process that has opened the driver has files of every GPU: those of a GPU it has no memory on are passed over.
 */
#include "base/compat.h"
#include "probe/sample/sample_files.h"

#include "probe/pci/pci_function.h"
#include "probe/read.h"
#include "probe/sample/sample_pids.h"

enum { MOST_PROCESSES = 256, PATH_BYTES = 96 };
#define US_NS UINT64_C(1000)

/* ---- which nodes are whose */

static void look_at_node(struct sample_files *own, struct arena *arena, const char *node)
{
	PROC_TEXT_AUTO properties = PROC_TEXT_INIT;
	struct pci_address address;
	char path[PATH_BYTES];
	uint64_t id;

	snprintf(path, sizeof(path), KFD_NODES "/%.16s/properties", node);
	sample_step(own->env, path, "");
	proc_text_read(&own->probe, &properties, 0, path);
	id = u64_or(read_u64(&own->probe, arena, KFD_NODES "/%.16s/gpu_id", node), 0);
	for (size_t i = 0; i < own->nr_gpus && id && properties.state == VAL_OK; i++) {
		struct files_gpu *gpu = &own->gpus[i];

		if (!parse_pci_address(gpu->address, &address) && kfd_node_is_at(&properties, arena, &address) &&
		    gpu->nr_parts < KFD_MAX_PARTS)
			gpu->parts[gpu->nr_parts++] = id;
	}
}

void kfd_open(struct sample_files *own)
{
	struct name_list nodes = { 0 };
	struct arena arena = { .blocks = NULL };

	own->has_kfd = !root_list(own->env->root, &nodes, KFD_NODES);
	for (size_t i = 0; i < nodes.nr && own->has_kfd; i++)
		look_at_node(own, &arena, nodes.names[i]);
	name_list_release(&nodes);
	arena_release(&arena);
}

/* ---- a process on a GPU */

/* A file of it for each part, "vram_%llu" or "stats_%llu/evicted_ms", added up. */
struct of_parts { const char *folder, *file; uint64_t times; };

static struct val_u64 sum_of(struct sample_files *own, const struct files_gpu *gpu, const char *pid,
			     const struct of_parts *of)
{
	struct val_u64 sum = no_u64(VAL_ABSENT, "none on this GPU");
	STRBUF_AUTO text = STRBUF_INIT;

	for (size_t i = 0; i < gpu->nr_parts; i++) {
		uint64_t number;
		int error = root_read(own->env->root, &text, KFD_PROCESSES "/%.20s/%s_%llu%s", pid, of->folder,
				      (unsigned long long)gpu->parts[i], of->file);

		if (error == -ENOENT)
			continue;
		if (error)
			return no_u64(state_of_errno(error), name_of_errno(error));
		if (parse_u64(text.buf, &number))
			return no_u64(VAL_ERROR, "reads no number");
		sum = val_u64(u64_or(sum, 0) + number * of->times);
	}
	return sum;
}

static bool has_queues(struct sample_files *own, const char *pid)
{
	struct name_list queues = { 0 };
	bool has = !root_list(own->env->root, &queues, KFD_PROCESSES "/%.20s/queues", pid) && queues.nr;

	name_list_release(&queues);
	return has;
}

static void read_process(struct sample_files *own, const struct files_gpu *gpu, const char *pid, bool may_be_idle,
			 struct arena *arena, struct tick_gpu *tick)
{
	static const struct of_parts vram = { "vram", "", 1 }, sdma = { "sdma", "", US_NS },
				     evicted = { "stats", "/evicted_ms", 1 }, units = { "stats", "/cu_occupancy", 1 },
				     faults = { "counters", "/faults", 1 }, ins = { "counters", "/page_in", 1 },
				     outs = { "counters", "/page_out", 1 };
	struct val_u64 memory = sum_of(own, gpu, pid, &vram);
	struct tick_client *client;

	if (memory.state == VAL_ABSENT || (!u64_or(memory, 1) && may_be_idle))
		return;
	client = list_element(arena, tick, clients, tick_client, pid);
	client->memory_bytes = memory;
	client->copy_ns = sum_of(own, gpu, pid, &sdma);
	client->evicted_ms = sum_of(own, gpu, pid, &evicted);
	client->compute_units = sum_of(own, gpu, pid, &units);
	client->faults = sum_of(own, gpu, pid, &faults);
	client->page_ins = sum_of(own, gpu, pid, &ins);
	client->page_outs = sum_of(own, gpu, pid, &outs);
}

/* None has parts: KFD drives none of them, and fdinfo tells all there is. */
static bool drives_any(const struct sample_files *own)
{
	for (size_t i = 0; i < own->nr_gpus; i++)
		if (own->gpus[i].nr_parts)
			return true;
	return false;
}

static void fill_count(struct sample_files *own, const struct files_gpu *gpu, int error, struct tick_gpu *ret)
{
	if (gpu->unread.state != VAL_UNSET || !gpu->nr_parts)
		return;
	if (!own->has_host_pids)
		ret->processes = no_u64(VAL_UNSUPPORTED, SAMPLE_PID_NAMESPACE);
	else if (error)
		ret->processes = no_u64(state_of_errno(error), name_of_errno(error));
}

void kfd_read(struct sample_files *own, struct tick *ret)
{
	struct name_list pids = { 0 };
	int error = 0;

	if (!drives_any(own))
		return;
	sample_step(own->env, "read " KFD_PROCESSES, "");
	if (own->has_host_pids)
		error = root_list(own->env->root, &pids, KFD_PROCESSES);
	for (size_t i = 0; i < pids.nr && i < MOST_PROCESSES; i++) {
		bool may_be_idle = !has_queues(own, pids.names[i]);

		for (size_t at = 0; at < own->nr_gpus; at++) {
			struct files_gpu *gpu = &own->gpus[at];

			if (gpu->unread.state != VAL_UNSET || !gpu->nr_parts)
				continue;
			sample_step(own->env, "read " KFD_PROCESSES, gpu->address);
			read_process(own, gpu, pids.names[i], may_be_idle, &ret->arena,
				     list_find(ret, gpus, tick_gpu, gpu->address));
		}
	}
	for (size_t at = 0; at < own->nr_gpus; at++)
		fill_count(own, &own->gpus[at], error, list_find(ret, gpus, tick_gpu, own->gpus[at].address));
	name_list_release(&pids);
}
