// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nvml.c - a libnvidia-ml.so.1 without a GPU: what it answers stands in a file. Here are the calls of the library
 * itself; those of a GPU are in nvml_*.c, by subject.
 *
 * It reads nvml.json of the folder it was loaded from, or the file that GPUDIAG_FAKE_NVML names, which wins:
 *
 *	{ "driver_version": "550.54.14", "nvml_version": "12.550.54.14", "cuda_version": 12040,
 *	  "driver_branch": "r550_00", "confidential_computing": false, "excluded": ["0000:86:00.0"],
 *	  "init": "DRIVER_NOT_LOADED", "call_us": 0, "process_record_bytes": 24, "fabric_version": 3, "topology": 30,
 *	  "faults": [{"call": "nvmlDeviceGetPowerUsage", "gpu": "0000:3b:00.0", "detail": "1 0", "nth": 2, "do": "hang"}],
 *	  "gpus": [{"pci": "0000:3b:00.0", "name": "NVIDIA H100 80GB HBM3", …}] }
 *
 * Keys of a GPU bear the names of lib/snapshot/nvml.def where a value is there too, in the same unit; enumerations are
 * the numbers of nvml.h. What is absent has the default of a healthy card, below, or is not supported. A value may be
 * null (not supported), the name of an error ("NO_PERMISSION"; of texts {"error": "NO_PERMISSION"}), {"base": N,
 * "per_s": R}, which grows from when the library was loaded ("wraps": B: and is 0 again at B), or {"samples": [N, …]},
 * one a call, over and over.
 *
 *	handle_error	error that nvmlDeviceGetHandleBy… returns of this GPU
 *	error		error that every other call returns of it
 *	fields		{"230": 1}: field values by number; others are made of the keys that mean the same
 *	processes	[{"pid": 1, "kind": "compute"|"graphics"|"mps", "memory_bytes": N|null, "gi": 7, "ci": 0}]
 *	mig		{"max": 7, "instances": [{"gi": 7, "ci": 0, "uuid": "MIG-…", "name": …, "vram_total_bytes": …}]}
 *	nvlinks		[{"state": 1, "version": 4, "remote": "0000:…", "remote_kind": 2, "errors": [0, 0, 0, 0, 0],
 *			  "speed_mbps": 26562, "fields": {"206": 0}}]
 *	fabric		{"state": 3, "status": 0, "clique": 0, "cluster": "32 hex digits", "health_mask": 0, "summary": 1}
 *	banks		rows that are spare: banks with all, many, some, few, none
 *	pages_retired	[after single-bit errors, after double-bit errors]
 *	fans		[percent, …]
 *	pcie_counts_32_bits	true: fields 197 and 198 are of 32 bits
 *	violations_ns	{"1": N}: by policy, nvmlDeviceGetViolationStatus and fields 74 to 81
 *	samples		{"every_ms": 166, "nr": 120, "shift_ms": 0, "1": [[t_ms, value], …]}: nvmlDeviceGetSamples; of a type
 *			without a list the value of this moment, at each step since the last that was seen
 *	process_use	[{"pid": 1, "sm": 50, "mem": 1, "enc": 0, "dec": 0, "t_ms": 100}]; without t_ms of this moment
 *	gpm		{"2": 45.5}: metrics by number; absent: not supported. Of an instance in its own part
 *	gpm_writes_all	true: nvmlGpmMetricsGet writes its whole array, whatever it was asked for
 *
 * "script" is a list of what changes over time, in its order: [{"t_ms": 1000, "gpu": "0000:3b:00.0", "busy_percent":
 * 95, "pcie_sent_bytes": {"per_s": 2e10}}]: any keys of a GPU ("instance": 0: of its first instance), or without "gpu"
 * of the machine, as "faults". A counter without a base goes on from where it is. Time is that since the library was
 * loaded, or what GPUDIAG_FAKE_NVML_MS tells at that moment, if it was set then. A fault with "after_ms" waits till
 * then.
 *
 * Faults are of the first call that matches all they name, or of its nth in this process; deeds: error (with "code": a
 * name or a number), hang, spin, crash, exit. "NVML field 230" is a call of a fault too: the answer of that entry; so
 * are "load" and "unload", the library's constructor and destructor.
 * GPUDIAG_FAKE_NVML_LOG names a file: each call a line, "CALL ADDRESS DETAIL", in which "misuse:" tells what no caller
 * should do. Calls, layouts, codes and numbers: nvml.h of CUDA 11.1 to 13.3.
 */
#include "nvml_answer.h"

#include <stdio.h>
#include <string.h>

static int start(const char *call)
{
	long long ignored;
	int error;

	log_call(call, NULL, "");
	error = fault_of(call, NULL, "");
	if (!error)
		error = tell(machine.said, "init", 0, &ignored);
	machine.users += !error;
	return error;
}

API(nvmlInit_v2, void)
{
	return start(__func__);
}

API(nvmlInit, void)
{
	return start(__func__);
}

API(nvmlInitWithFlags, u32 flags)
{
	return flags > 7 ? misuse(__func__, "flags", NVML_INVALID_ARGUMENT) : start(__func__);
}

API(nvmlShutdown, void)
{
	int error = enter(__func__, NULL, "");

	machine.users -= !error;
	return error;
}

const char *nvmlErrorString(int code);
const char *nvmlErrorString(int code)
{
	const char *name = error_name(code);

	return name ? name : "Unknown error code";
}

static int system_text(const char *call, const char *key, const char *otherwise, char *out, u32 length)
{
	const char *text;
	int error = enter(call, NULL, "");

	if (!error)
		error = tell_text(machine.said, key, otherwise, &text);
	return error ? error : give_text(call, text, out, length);
}

API(nvmlSystemGetDriverVersion, char *version, u32 length)
{
	return system_text(__func__, "driver_version", "550.54.14", version, length);
}

API(nvmlSystemGetNVMLVersion, char *version, u32 length)
{
	return system_text(__func__, "nvml_version", "12.550.54.14", version, length);
}

static int cuda_version(const char *call, int *version)
{
	long long value;
	int error = enter(call, NULL, "");

	if (!error)
		error = tell(machine.said, "cuda_version", 12040, &value);
	if (!error)
		*version = (int)value;
	return error;
}

API(nvmlSystemGetCudaDriverVersion_v2, int *version)
{
	return cuda_version(__func__, version);
}

API(nvmlSystemGetCudaDriverVersion, int *version)
{
	return cuda_version(__func__, version);
}

struct branch {
	u32 version;
	char branch[80];
};

API(nvmlSystemGetDriverBranch, struct branch *branch, u32 length)
{
	if (branch->version != VERSION(sizeof(*branch), 1))
		return misuse(__func__, "version", NVML_ARGUMENT_VERSION_MISMATCH);
	return system_text(__func__, "driver_branch", "r550_00", branch->branch, length);
}

API(nvmlSystemGetProcessName, u32 pid, char *name, u32 length)
{
	DETAIL("%u", pid);
	int error = enter(__func__, NULL, detail);

	return error ? error : give_text(__func__, "python3", name, length);
}

struct conf_compute {
	u32 environment, feature, dev_tools;
};

API(nvmlSystemGetConfComputeState, struct conf_compute *state)
{
	long long value;
	int error = enter(__func__, NULL, "");

	if (!error)
		error = tell(machine.said, "confidential_computing", 0, &value);
	if (!error)
		*state = (struct conf_compute){.environment = value ? 2 : 0, .feature = (u32)value};
	return error;
}

API(nvmlGetExcludedDeviceCount, u32 *count)
{
	int error = enter(__func__, NULL, "");

	if (!error)
		*count = (u32)cJSON_GetArraySize(member(machine.said, "excluded"));
	return error;
}

struct excluded {
	struct pci_info pci;
	char uuid[80];
};

API(nvmlGetExcludedDeviceInfoByIndex, u32 index, struct excluded *info)
{
	DETAIL("%u", index);
	int error = enter(__func__, NULL, detail);
	const cJSON *address = cJSON_GetArrayItem(member(machine.said, "excluded"), (int)index);
	struct gpu gpu = {0};

	if (error)
		return error;
	if (!address || !parse_address(address->valuestring, &gpu.domain, &gpu.bus, &gpu.device))
		return NVML_INVALID_ARGUMENT;
	memset(info, 0, sizeof(*info));
	fill_pci(&gpu, &info->pci);
	snprintf(info->uuid, sizeof(info->uuid), "GPU-excluded-%u", index);
	return NVML_SUCCESS;
}

_Static_assert(sizeof(struct excluded) == 148, "nvmlExcludedDeviceInfo_t");
_Static_assert(sizeof(struct branch) == 84, "nvmlSystemDriverBranchInfo_v1_t");
