// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nvml_clients.c - who works on a GPU, by the driver's lists, and the
 * instances (MIG) it is divided into.
 */
#include "base/compat.h"
#include "probe/nvidia/nvml.h"

#include "base/text.h"

enum {
	MOST_INSTANCES = 16,
	MOST_TOLD = 1024,		/* of one list: a frame may have a MiB, a snapshot's list 4096 elements */
};

static struct val_bool is_alive(struct probe_env *env, bool sees_processes, unsigned pid)
{
	if (!sees_processes)
		return no_bool(VAL_UNSUPPORTED, "not all processes of the host are visible");
	return val_bool(!root_exists(env->root, "/proc/%u", pid));
}

/* For a second look at the memory in use. */
static void account(struct nvml_first_look *first, const struct gpu_client *client)
{
	uint64_t bytes = u64_or(client->memory_bytes, 0);

	first->is_complete &= is_known(client->memory_bytes);
	if (bool_or(client->alive, true)) {
		first->nr_living++;
		first->living_bytes += bytes;
	} else {
		first->dead_bytes += bytes;
	}
}

static void add_client(struct nvml_session *session, struct probe_env *env, bool sees_processes, const char *kind,
		       const struct nvml_process_v2 *process)
{
	struct arena *arena = &session->sink->facts.arena;
	struct gpu *gpu = nvml_facts(session);
	struct gpu_client *client;
	const char *instance = NULL, *key = arena_printf(arena, "%u:%s", process->pid, kind);

	if (process->gpu_instance != NVML_ALL_ONES_32 && process->compute_instance != NVML_ALL_ONES_32)
		instance = arena_printf(arena, "%u/%u", process->gpu_instance, process->compute_instance);
	if (instance)
		key = arena_printf(arena, "%s:%s", key, instance);
	client = list_element(arena, gpu, clients, gpu_client, key);
	client->pid = val_u64(process->pid);
	client->kind = val_str(kind);
	client->memory_bytes = process->used_bytes == UINT64_MAX ?
		no_u64(VAL_UNSUPPORTED, "not reported by the driver") : val_u64(process->used_bytes);
	client->instance = instance ? val_str(instance) : no_str(VAL_ABSENT, "it is in none");
	client->alive = is_alive(env, sees_processes, process->pid);
}

/* False: more than fit. */
static bool add_clients(struct nvml_session *session, struct probe_env *env, bool sees_processes, const char *kind,
			const struct nvml_process_list *list)
{
	for (unsigned i = 0; i < list->nr && i < MOST_TOLD; i++) {
		struct nvml_process_v2 process = nvml_process_at(list, i);

		add_client(session, env, sees_processes, kind, &process);
	}
	return list->nr <= MOST_TOLD;
}

void nvml_read_clients(struct nvml_session *session, struct probe_env *env, bool sees_processes)
{
	struct nvml_first_look *first = &session->first_look;
	bool is_odd = nvml_has_odd_lists(session);
	struct val_u64 clients = val_u64(0);
	uint64_t nr = 0;

	first->is_complete = true;
	for (enum nvml_list which = 0; which < NR_NVML_LISTS; which++) {
		struct nvml_process_list list;

		nvml_get_processes(session, which, is_odd, PROBE_AGAIN_NS, &list);
		if (list.error) {
			/* Older drivers have no list of MPS clients: those are among the others. */
			bool may_lack =
				which == NVML_LIST_MPS && nvml_missing_value(list.error).state == VAL_UNSUPPORTED;

			clients = may_lack ? clients : nvml_u64(session, list.error, 0);
		} else if (nvml_processes_are_garbage(&list)) {
			clients = is_odd ? no_u64(VAL_UNSUPPORTED, "unknown format of this driver's process list") :
					   no_u64(VAL_ERROR, "its list of processes has numbers that none can have");
		} else if (!add_clients(session, env, sees_processes, list.kind, &list)) {
			clients = no_u64(VAL_SKIPPED, "incomplete: thousands of entries");
		}
		free(list.records);
		nr += nvml_facts(session)->nr_clients;
		for (size_t p = 0; p < nvml_facts(session)->nr_clients; p++)
			account(first, &nvml_facts(session)->clients[p]);
		sink_flush(session->sink);
	}
	nvml_facts(session)->nvml.clients = is_known(clients) ? val_u64(nr) : clients;
	first->is_complete &= is_known(clients);
	sink_flush(session->sink);
}

/* ---- instances */

/* "NVIDIA A100-SXM4-40GB MIG 1g.5gb": what follows MIG. */
static struct val_str profile_of(const struct nvml_session *session, struct val_str name)
{
	const char *mig = strstr(str_or(name, ""), "MIG ");

	if (!is_known(name))
		return name;
	return mig ? val_str(arena_strdup(&session->sink->facts.arena, mig + strlen("MIG "))) : name;
}

static void read_instance(struct nvml_session *session, nvml_device device)
{
	struct arena *arena = &session->sink->facts.arena;
	struct nvml_memory memory = { .total = 0 };
	unsigned gpu_instance = 0, compute_instance = 0;
	char text[NVML_TEXT_BYTES] = "";
	struct gpu_instance *ret;
	int error;

	if (nvml_call(session, nvmlDeviceGetGpuInstanceId, device, &gpu_instance) ||
	    nvml_call(session, nvmlDeviceGetComputeInstanceId, device, &compute_instance))
		return;
	ret = list_element(arena, nvml_facts(session), instances, gpu_instance,
			   arena_printf(arena, "%u/%u", gpu_instance, compute_instance));
	error = nvml_call(session, nvmlDeviceGetUUID, device, text, sizeof(text));
	ret->uuid = nvml_text(session, error, text, sizeof(text));
	error = nvml_call(session, nvmlDeviceGetName, device, text, sizeof(text));
	ret->profile = profile_of(session, nvml_text(session, error, text, sizeof(text)));
	error = nvml_call(session, nvmlDeviceGetMemoryInfo, device, &memory);
	ret->vram_total_bytes = nvml_u64(session, error, memory.total);
	ret->vram_used_bytes = nvml_u64(session, error, memory.used);
}

void nvml_read_instances(struct nvml_session *session)
{
	unsigned places = 0, nr = 0;
	int error = nvml_call(session, nvmlDeviceGetMaxMigDeviceCount, session->device, &places);

	/* Not every place is taken: NOT_FOUND is a hole. */
	for (unsigned i = 0; !error && i < places && i < MOST_INSTANCES; i++) {
		nvml_device device = NULL;

		if (nvml_call(session, nvmlDeviceGetMigDeviceHandleByIndex, session->device, i, &device) || !device)
			continue;
		read_instance(session, device);
		nr++;
	}
	nvml_facts(session)->nvml.mig_instances =
		nvml_u64(session, session->is_lost ? NVML_ERROR_GPU_IS_LOST : error, nr);
	sink_flush(session->sink);
}
