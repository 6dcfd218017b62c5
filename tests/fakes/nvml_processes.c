// SPDX-License-Identifier: GPL-2.0-or-later
/* nvml_processes.c - who runs on a GPU. See nvml.c. */
#include "nvml_answer.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct process {
	u32 pid;
	u64 memory;
	u32 gpu_instance, compute_instance;
	u64 protected;
};

enum { RECORD_V1 = 16, RECORD_V2 = 24 };

static bool is_of(const cJSON *process, const char *kind, const struct gpu *gpu)
{
	const cJSON *of = member(process, "kind"), *instance = member(process, "gi");

	if (strcmp(of ? of->valuestring : "compute", kind))
		return false;
	return !gpu->whole || (instance && instance->valueint == member(gpu->said, "gi")->valueint);
}

static void fill_process(const cJSON *said, struct process *process)
{
	long long value;

	memset(process, 0, sizeof(*process));
	process->pid = (u32)member(said, "pid")->valuedouble;
	process->memory = tell(said, "memory_bytes", NOT_SUPPORTED, &value) ? UINT64_MAX : (u64)value;
	process->gpu_instance = tell(said, "gi", NOT_SUPPORTED, &value) ? UINT32_MAX : (u32)value;
	process->compute_instance = tell(said, "ci", NOT_SUPPORTED, &value) ? UINT32_MAX : (u32)value;
}

static int processes_of(const char *call, device_t device, const char *kind, u32 *count, void *out, size_t bytes)
{
	DETAIL("%u", *count);
	const struct gpu *gpu;
	const cJSON *list, *process;
	u32 found = 0, room = *count;
	int error = enter_any(call, device, "", &gpu);

	if (error)
		return error;
	list = member(gpu->whole ? gpu->whole->said : gpu->said, "processes");
	if (list && !cJSON_IsArray(list))
		return error_code(list->valuestring);
	cJSON_ArrayForEach(process, list)
	{
		struct process filled;

		if (!is_of(process, kind, gpu))
			continue;
		fill_process(process, &filled);
		if (found++ < room && out)
			memcpy((char *)out + (found - 1) * bytes, &filled, bytes);
	}
	*count = found;
	return found > room || (found && !out) ? NVML_INSUFFICIENT_SIZE : NVML_SUCCESS;
}

/* Drivers 535.43 to 535.86 filled 32 bytes a process under this name. */
static size_t record_bytes(void)
{
	long long bytes = RECORD_V2;

	return tell(machine.said, "process_record_bytes", RECORD_V2, &bytes) ? RECORD_V2 : (size_t)bytes;
}

#define PROCESSES(name, kind, bytes)                                                                                   \
	API(name, device_t device, u32 *count, void *out)                                                              \
	{                                                                                                              \
		return processes_of(__func__, device, kind, count, out, bytes);                                        \
	}
PROCESSES(nvmlDeviceGetComputeRunningProcesses_v3, "compute", record_bytes())
PROCESSES(nvmlDeviceGetComputeRunningProcesses_v2, "compute", RECORD_V2)
PROCESSES(nvmlDeviceGetComputeRunningProcesses, "compute", RECORD_V1)
PROCESSES(nvmlDeviceGetGraphicsRunningProcesses_v3, "graphics", record_bytes())
PROCESSES(nvmlDeviceGetGraphicsRunningProcesses_v2, "graphics", RECORD_V2)
PROCESSES(nvmlDeviceGetGraphicsRunningProcesses, "graphics", RECORD_V1)
PROCESSES(nvmlDeviceGetMPSComputeRunningProcesses_v3, "mps", record_bytes())

struct process_list {
	u32 version, mode, count;
	struct process *processes;
};

API(nvmlDeviceGetRunningProcessDetailList, device_t device, struct process_list *list)
{
	static const char *const kinds[] = {"compute", "graphics", "mps"};

	if (list->version != VERSION(sizeof(*list), 1))
		return misuse(__func__, "version", NVML_ARGUMENT_VERSION_MISMATCH);
	if (list->mode > 2)
		return misuse(__func__, "mode", NVML_INVALID_ARGUMENT);
	return processes_of(__func__, device, kinds[list->mode], &list->count, list->processes, sizeof(struct process));
}

_Static_assert(sizeof(struct process) == 32, "nvmlProcessDetail_v1_t");
_Static_assert(sizeof(struct process_list) == 24, "nvmlProcessDetailList_v1_t");
