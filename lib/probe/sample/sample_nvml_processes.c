// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sample_nvml_processes.c - which processes are on an NVIDIA GPU, and what part of its time each used. The driver knows
 * them by the numbers they have on the host, and gives junk at times: only those of its own lists count.
 */
#include "base/compat.h"
#include "probe/sample/sample_nvml.h"

#include "base/alloc.h"
#include "probe/sample/sample_pids.h"

enum { FIRST_ROWS = 64, MOST_ROWS = 4096, MOST_TOLD = 256 };
#define QUIET_NS UINT64_C(1000000000)

/* ---- the lists */

static struct nvml_listed *find_listed(const struct nvml_gpu_watch *gpu, unsigned pid)
{
	for (size_t i = 0; i < gpu->nr_listed; i++)
		if (gpu->listed[i].pid == pid)
			return &gpu->listed[i];
	return NULL;
}

static struct nvml_listed *add_listed(struct nvml_gpu_watch *gpu, unsigned pid)
{
	if (gpu->nr_listed == gpu->room_listed) {
		gpu->room_listed = gpu->room_listed ? 2 * gpu->room_listed : 16;
		gpu->listed = xrealloc(gpu->listed, gpu->room_listed * sizeof(*gpu->listed));
	}
	gpu->listed[gpu->nr_listed] = (struct nvml_listed){
		.pid = pid, .memory_bytes = no_u64(VAL_UNSUPPORTED, "not reported by the driver"),
	};
	return &gpu->listed[gpu->nr_listed++];
}

/*
 * One in two lists has the same memory in both; one in several instances of a divided GPU has its memory in parts, one
 * after the other in a list.
 */
static void add_list(struct nvml_gpu_watch *gpu, const struct nvml_process_list *list)
{
	size_t nr_before = gpu->nr_listed;

	for (unsigned i = 0; i < list->nr; i++) {
		struct nvml_process_v2 process = nvml_process_at(list, i);
		struct nvml_listed *listed = find_listed(gpu, process.pid);
		uint64_t had;

		if (listed && (size_t)(listed - gpu->listed) < nr_before)
			continue;
		listed = listed ? listed : add_listed(gpu, process.pid);
		had = u64_or(listed->memory_bytes, 0);
		if (process.used_bytes != UINT64_MAX)
			listed->memory_bytes = val_u64(had + process.used_bytes);
	}
}

static void list_processes(struct sample_nvml *own, struct nvml_gpu_watch *gpu)
{
	gpu->nr_listed = 0;
	gpu->listed_ns = own->now_ns;
	gpu->unlisted = (struct val_head){ .state = VAL_OK };
	for (enum nvml_list which = 0; which < NR_NVML_LISTS; which++) {
		struct nvml_process_list list;

		nvml_get_processes(&gpu->session, which, own->has_odd_lists, 0, &list);
		/* Older drivers have no list of MPS clients: those are among the others. */
		if (list.error && (which != NVML_LIST_MPS || nvml_missing_value(list.error).state != VAL_UNSUPPORTED))
			gpu->unlisted = nvml_missing_value(list.error);
		else if (!list.error && nvml_processes_are_garbage(&list))
			gpu->unlisted =
				(struct val_head){ .state = VAL_ERROR,
						   .why = "its list of processes has numbers that none can have" };
		else if (!list.error)
			add_list(gpu, &list);
		free(list.records);
	}
}

/* ---- what they used */

struct rows {
	const char *first;
	unsigned nr;
	size_t stride;
};

static const struct nvml_process_use *row_at(const struct rows *rows, unsigned i)
{
	return (const struct nvml_process_use *)(const void *)(rows->first + i * rows->stride);
}

static int ask_rows(struct sample_nvml *own, struct nvml_session *session, uint64_t after_us, unsigned room,
		    struct rows *ret)
{
	struct nvml_processes_use newer = { .version = NVML_VERSION_WORD(newer, 1),
					    .nr = room,
					    .last_seen_us = after_us };
	struct nvml_process_use *older = nvml_room(own, room, sizeof(*newer.rows));
	unsigned nr = room;
	int error = nvml_call(session, nvmlDeviceGetProcessUtilization, session->device, older, &nr, after_us);

	*ret = (struct rows){ .first = own->room, .nr = nr, .stride = sizeof(*older) };
	if (error != NVML_ERROR_FUNCTION_NOT_FOUND && error != NVML_ERROR_DEPRECATED)
		return error;
	newer.rows = own->room;
	error = nvml_call(session, nvmlDeviceGetProcessesUtilizationInfo, session->device, &newer);
	*ret = (struct rows){ .first = own->room, .nr = newer.nr, .stride = sizeof(*newer.rows) };
	return error;
}

static int get_rows(struct sample_nvml *own, struct nvml_session *session, uint64_t after_us, struct rows *ret)
{
	unsigned room = FIRST_ROWS;
	int error = ask_rows(own, session, after_us, room, ret);

	if (error == NVML_ERROR_INSUFFICIENT_SIZE && ret->nr > room && ret->nr <= MOST_ROWS) {
		room = ret->nr + FIRST_ROWS;
		error = ask_rows(own, session, after_us, room, ret);
	}
	if (error || ret->nr > room)
		ret->nr = 0;
	return error;
}

static bool is_believed(const struct nvml_gpu_watch *gpu, const struct nvml_process_use *row)
{
	return row->sm <= 100 && row->memory <= 100 && row->encoder <= 100 && row->decoder <= 100 &&
	       find_listed(gpu, row->pid);
}

/*
 * Of an answer without a newer row: is no row no use? The driver makes them a few times a second, so that a short tick
 * has none of a GPU at work either. It is where the GPU's own samples are newer and tell of no use, or after a second.
 */
static bool is_no_use(const struct sample_nvml *own, const struct nvml_gpu_watch *gpu, const struct tick_gpu *told)
{
	if (gpu->process_stamps.quiet * own->env->interval_ns > QUIET_NS)
		return true;
	return is_known(told->busy_max_percent) && f64_or(told->busy_max_percent, 100) <= 0;
}

/* What one has of whom no newer row tells. */
static struct val_f64 use_without_row(const struct sample_nvml *own, const struct nvml_gpu_watch *gpu,
				      const struct tick_gpu *told, int error, bool has_newer)
{
	struct val_head no = nvml_missing_value(error);

	if (error && error != NVML_ERROR_NOT_FOUND)
		return no_f64(no.state, no.why);
	return has_newer || is_no_use(own, gpu, told) ? val_f64(0) : no_f64(VAL_ABSENT, NVML_NOTHING_NEW);
}

/* Only those that used something have a row: where somebody has one, no row is no use. */
static void fill_use(struct sample_nvml *own, struct nvml_gpu_watch *gpu, struct tick_gpu *ret)
{
	struct rows rows;
	uint64_t newest_us = 0, after_us;
	int error = get_rows(own, &gpu->session, nvml_stamps_after(&gpu->process_stamps), &rows);

	for (unsigned i = 0; i < rows.nr; i++)
		if (is_believed(gpu, row_at(&rows, i)) && row_at(&rows, i)->timestamp_us > newest_us)
			newest_us = row_at(&rows, i)->timestamp_us;
	after_us = nvml_stamps_take(&gpu->process_stamps, newest_us, own->env->interval_ns / 1000);
	for (size_t i = 0; i < ret->nr_clients; i++)
		ret->clients[i].busy_percent = use_without_row(own, gpu, ret, error, after_us != UINT64_MAX);
	for (unsigned i = 0; i < rows.nr; i++) {
		const struct nvml_process_use *row = row_at(&rows, i);
		struct tick_client *client;
		char key[16];

		snprintf(key, sizeof(key), "%u", row->pid);
		client = row->timestamp_us > after_us && is_believed(gpu, row)
			? list_find(ret, clients, tick_client, key)
			: NULL;
		if (client && f64_or(client->busy_percent, 0) < row->sm)
			client->busy_percent = val_f64(row->sm);
	}
}

void nvml_read_processes(struct sample_nvml *own, struct nvml_gpu_watch *gpu, struct tick_gpu *ret)
{
	char key[16];

	if (!own->sees_all) {
		ret->processes = no_u64(VAL_UNSUPPORTED, SAMPLE_PID_NAMESPACE);
		return;
	}
	if (!gpu->listed_ns || own->now_ns - gpu->listed_ns >= NVML_LISTS_NS)
		list_processes(own, gpu);
	ret->processes = gpu->unlisted.state == VAL_OK ? val_u64(gpu->nr_listed) :
							 no_u64(gpu->unlisted.state, gpu->unlisted.why);
	for (size_t i = 0; i < gpu->nr_listed && i < MOST_TOLD; i++) {
		struct tick_client *client;

		snprintf(key, sizeof(key), "%u", gpu->listed[i].pid);
		client = list_element(&own->sink.facts.arena, ret, clients, tick_client, key);
		client->memory_bytes = gpu->listed[i].memory_bytes;
	}
	if (ret->nr_clients)
		fill_use(own, gpu, ret);
}
