// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nvml_clients.c - who works on a GPU, by the driver's lists, and the
 * instances (MIG) it is divided into.
 *
 * The lists have three forms. The second and the third are alike by nvml.h;
 * drivers 535.43 to 535.98 wrote another one in answer to the third.
 */
#include "base/compat.h"
#include "probe/nvidia/nvml.h"

#include "base/alloc.h"
#include "base/text.h"

enum {
	FIRST_ROOM = 64,		/* processes */
	MOST_TRIES = 4,			/* a list may grow between two calls */
	MOST_PROCESSES = 4096,
	HIGHEST_PID = 1 << 22,		/* PID_MAX_LIMIT of Linux */
	MOST_INSTANCES = 16,
	MOST_TOLD = 1024,		/* of one list: a frame may have a MiB, a snapshot's list 4096 elements */
};

bool nvml_process_lists_are_odd(const char *driver_version)
{
	unsigned branch = 0, minor = 0;

	return sscanf(driver_version, "%u.%u", &branch, &minor) == 2 && branch == 535 && minor >= 43 && minor <= 98;
}

/* A list as it came: nr records of `stride` bytes, of version 1 or 2. */
struct process_list {
	int error;
	bool is_v1;
	unsigned nr, room;
	void *records;
};

typedef int (*list_call)(nvml_device device, unsigned *nr, void *records);

/* The forms of one list, the newest first. */
struct list_calls {
	const char *kind;
	struct { list_call call; const char *name; } form[3];
};

/* Lists fail for a moment on GPUs that are well; one that is too small is asked for again at once. */
static bool may_pass(int error)
{
	return error && error != NVML_ERROR_INSUFFICIENT_SIZE && nvml_missing_value(error).state == VAL_ERROR;
}

static void get_list(struct nvml_session *session, const struct list_calls *calls, bool is_odd, struct process_list *ret)
{
	/* Version 3 of a driver that fills it in another form is left out where there is a version 2. */
	size_t first = is_odd && calls->form[1].call ? 1 : 0;
	unsigned room = FIRST_ROOM;

	*ret = (struct process_list){ .error = NVML_ERROR_FUNCTION_NOT_FOUND };
	while (first < ARRAY_SIZE(calls->form) && !calls->form[first].call)
		first++;
	if (first == ARRAY_SIZE(calls->form) || session->is_lost) {
		ret->error = nvml_skipped_error(session);
		return;
	}
	ret->is_v1 = first == 2;
	for (int tries = 0; tries < MOST_TRIES; tries++) {
		free(ret->records);
		ret->records = xcalloc(room, NVML_LARGEST_PROCESS_BYTES);
		ret->nr = ret->room = room;
		sink_step(session->sink, calls->form[first].name);
		ret->error = calls->form[first].call(session->device, &ret->nr, ret->records);
		if (!tries && may_pass(ret->error)) {
			sink_sleep_ns(session->sink, PROBE_AGAIN_NS);
			continue;
		}
		nvml_note(session, calls->form[first].name, ret->error);
		if (ret->error != NVML_ERROR_INSUFFICIENT_SIZE)
			break;
		room = (ret->nr > room && ret->nr < MOST_PROCESSES ? ret->nr : room) + FIRST_ROOM;
	}
}

static struct nvml_process_v2 process_at(const struct process_list *list, unsigned i)
{
	const struct nvml_process_v1 *older = list->records;
	const struct nvml_process_v2 *newer = list->records;

	if (!list->is_v1)
		return newer[i];
	return (struct nvml_process_v2){
		.pid = older[i].pid, .used_bytes = older[i].used_bytes,
		.gpu_instance = NVML_ALL_ONES_32, .compute_instance = NVML_ALL_ONES_32,
	};
}

/* More of them than there was room for, or a number no process can have: they are not what they were taken for. */
static bool is_garbage(const struct process_list *list)
{
	if (list->nr > list->room)
		return true;
	for (unsigned i = 0; i < list->nr; i++)
		if (process_at(list, i).pid > HIGHEST_PID)
			return true;
	return false;
}

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
			const struct process_list *list)
{
	for (unsigned i = 0; i < list->nr && i < MOST_TOLD; i++) {
		struct nvml_process_v2 process = process_at(list, i);

		add_client(session, env, sees_processes, kind, &process);
	}
	return list->nr <= MOST_TOLD;
}

#define LIST_FORM(nvml, call_) { .call = (nvml)->call_, .name = #call_ }
#define LIST(nvml, kind_, call_)                                                                          \
	{ .kind = (kind_), .form = { LIST_FORM(nvml, call_##_v3), LIST_FORM(nvml, call_##_v2),            \
				     LIST_FORM(nvml, call_) } }

static bool is_odd_driver(struct nvml_session *session)
{
	char version[NVML_TEXT_BYTES] = "";

	return !nvml_call(session, nvmlSystemGetDriverVersion, version, sizeof(version) - 1) &&
	       nvml_process_lists_are_odd(version);
}

void nvml_read_clients(struct nvml_session *session, struct probe_env *env, bool sees_processes)
{
	const struct list_calls lists[] = {
		LIST(session->nvml, "compute", nvmlDeviceGetComputeRunningProcesses),
		LIST(session->nvml, "graphics", nvmlDeviceGetGraphicsRunningProcesses),
		LIST(session->nvml, "mps", nvmlDeviceGetMPSComputeRunningProcesses),
	};
	struct nvml_first_look *first = &session->first_look;
	bool is_odd = is_odd_driver(session);
	struct val_u64 clients = val_u64(0);
	uint64_t nr = 0;

	first->is_complete = true;
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		struct process_list list;

		get_list(session, &lists[i], is_odd, &list);
		if (list.error) {
			/* Older drivers have no list of MPS clients: those are among the others. */
			bool may_lack = i == 2 && nvml_missing_value(list.error).state == VAL_UNSUPPORTED;

			clients = may_lack ? clients : nvml_u64(session, list.error, 0);
		} else if (is_garbage(&list)) {
			clients = is_odd ? no_u64(VAL_UNSUPPORTED, "unknown format of this driver's process list") :
					   no_u64(VAL_ERROR, "its list of processes has numbers that none can have");
		} else if (!add_clients(session, env, sees_processes, lists[i].kind, &list)) {
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
	nvml_facts(session)->nvml.mig_instances = nvml_u64(session, session->is_lost ? NVML_ERROR_GPU_IS_LOST : error, nr);
	sink_flush(session->sink);
}
