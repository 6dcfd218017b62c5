// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nvml_process_list.c - the driver's lists of who works on a GPU.
 *
 * The lists have three forms. The second and the third are alike by nvml.h;
 * drivers 535.43 to 535.98 wrote another one in answer to the third.
 */
#include "base/compat.h"
#include "probe/nvidia/nvml.h"

#include "base/alloc.h"

enum {
	FIRST_ROOM = 64,		/* processes */
	MOST_TRIES = 4,			/* a list may grow between two calls */
	MOST_PROCESSES = 4096,
	HIGHEST_PID = 1 << 22,		/* PID_MAX_LIMIT of Linux */
};

bool nvml_process_lists_are_odd(const char *driver_version)
{
	unsigned branch = 0, minor = 0;

	return sscanf(driver_version, "%u.%u", &branch, &minor) == 2 && branch == 535 && minor >= 43 && minor <= 98;
}

bool nvml_has_odd_lists(struct nvml_session *session)
{
	char version[NVML_TEXT_BYTES] = "";

	return !nvml_call(session, nvmlSystemGetDriverVersion, version, sizeof(version) - 1) &&
	       nvml_process_lists_are_odd(version);
}

typedef int (*list_call)(nvml_device device, unsigned *nr, void *records);

/* The forms of one list, the newest first. */
struct list_calls {
	const char *kind;
	struct { list_call call; const char *name; } form[3];
};

#define LIST_FORM(nvml, call_) { .call = (nvml)->call_, .name = #call_ }
#define LIST(nvml, kind_, call_)                                                                          \
	(struct list_calls){ .kind = (kind_), .form = { LIST_FORM(nvml, call_##_v3), LIST_FORM(nvml, call_##_v2), \
							LIST_FORM(nvml, call_) } }

static struct list_calls calls_of(const struct nvml_library *nvml, enum nvml_list which)
{
	if (which == NVML_LIST_COMPUTE)
		return LIST(nvml, "compute", nvmlDeviceGetComputeRunningProcesses);
	if (which == NVML_LIST_GRAPHICS)
		return LIST(nvml, "graphics", nvmlDeviceGetGraphicsRunningProcesses);
	return LIST(nvml, "mps", nvmlDeviceGetMPSComputeRunningProcesses);
}

/* Lists fail for a moment on GPUs that are well; one that is too small is asked for again at once. */
static bool may_pass(int error)
{
	return error && error != NVML_ERROR_INSUFFICIENT_SIZE && nvml_missing_value(error).state == VAL_ERROR;
}

void nvml_get_processes(struct nvml_session *session, enum nvml_list which, bool is_odd, uint64_t again_ns,
			struct nvml_process_list *ret)
{
	const struct list_calls calls = calls_of(session->nvml, which);
	/* Version 3 of a driver that fills it in another form is left out where there is a version 2. */
	size_t first = is_odd && calls.form[1].call ? 1 : 0;
	unsigned room = FIRST_ROOM;

	*ret = (struct nvml_process_list){ .kind = calls.kind, .error = NVML_ERROR_FUNCTION_NOT_FOUND };
	while (first < ARRAY_SIZE(calls.form) && !calls.form[first].call)
		first++;
	if (first == ARRAY_SIZE(calls.form) || session->is_lost) {
		ret->error = nvml_skipped_error(session);
		return;
	}
	ret->is_v1 = first == 2;
	for (int tries = 0; tries < MOST_TRIES; tries++) {
		free(ret->records);
		ret->records = xcalloc(room, NVML_LARGEST_PROCESS_BYTES);
		ret->nr = ret->room = room;
		sink_step(session->sink, calls.form[first].name);
		ret->error = calls.form[first].call(session->device, &ret->nr, ret->records);
		if (again_ns && !tries && may_pass(ret->error)) {
			sink_sleep_ns(session->sink, again_ns);
			continue;
		}
		nvml_note(session, calls.form[first].name, ret->error);
		if (ret->error != NVML_ERROR_INSUFFICIENT_SIZE)
			break;
		room = (ret->nr > room && ret->nr < MOST_PROCESSES ? ret->nr : room) + FIRST_ROOM;
	}
}

struct nvml_process_v2 nvml_process_at(const struct nvml_process_list *list, unsigned i)
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

bool nvml_processes_are_garbage(const struct nvml_process_list *list)
{
	if (list->nr > list->room)
		return true;
	for (unsigned i = 0; i < list->nr; i++)
		if (nvml_process_at(list, i).pid > HIGHEST_PID)
			return true;
	return false;
}
