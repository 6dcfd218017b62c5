// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nvml.c - a libnvidia-ml.so.1 without a GPU: what it answers stands in a file.
 *
 * It reads nvml.json of the folder it was loaded from, or the file that GPUDIAG_FAKE_NVML names, which wins:
 *
 *	{ "driver_version": "550.54.14", "nvml_version": "12.550.54.14", "cuda_version": 12040, "driver_branch":
 *"r550_00", "confidential_computing": false, "excluded": ["0000:86:00.0"], "init": "DRIVER_NOT_LOADED", "call_us": 0,
 *	  "process_record_bytes": 24, "fabric_version": 3, "topology": 30,
 *	  "faults": [{"call": "nvmlDeviceGetPowerUsage", "gpu": "0000:3b:00.0", "detail": "1 0", "nth": 2, "do":
 *"hang"}], "gpus": [{"pci": "0000:3b:00.0", "name": "NVIDIA H100 80GB HBM3", …}] }
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
 *	fabric		{"state": 3, "status": 0, "clique": 0, "cluster": "32 hex digits", "health_mask": 0, "summary":
 *1} banks		rows that are spare: banks with all, many, some, few, none
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
 * "script" is a list of what changes over time, in its order: [{"t_ms": 1000, "gpu": "0000:3b:00.0", "busy_percent": 95,
 * "pcie_sent_bytes": {"per_s": 2e10}}]: any keys of a GPU ("instance": 0: of its first instance), or without "gpu" of the
 * machine, as "faults". A counter without a base goes on from where it is. Time is that since the library was loaded, or
 * what GPUDIAG_FAKE_NVML_MS tells at that moment, if it was set then. A fault with "after_ms" waits till then.
 *
 * Faults are of the first call that matches all they name, or of its nth in this process; deeds: error (with "code": a
 * name or a number), hang, spin, crash, exit. "NVML field 230" is a call of a fault too: the answer of that entry; so are
 * "load" and "unload", the library's constructor and destructor.
 * GPUDIAG_FAKE_NVML_LOG names a file: each call a line, "CALL ADDRESS DETAIL", in which "misuse:" tells what no caller
 * should do. Calls, layouts, codes and numbers: nvml.h of CUDA 11.1 to 13.3.
 */
#include "nvml_machine.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef unsigned int u32;
typedef unsigned long long u64;
typedef void *device_t;

#define NOT_SUPPORTED	      OTHERWISE(NVML_NOT_SUPPORTED)
#define VERSION(size, number) ((u32)(size) | (u32)(number) << 24)

#define API(name, ...)                                                                                                 \
	int name(__VA_ARGS__);                                                                                         \
	int name(__VA_ARGS__)

static const cJSON *item(const cJSON *said, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(said, key);
}

static void wait_us(double us)
{
	const struct timespec length = {.tv_sec = (time_t)(us / 1e6),
					.tv_nsec = (long)((us - 1e6 * (long)(us / 1e6)) * 1e3)};

	nanosleep(&length, NULL);
}

/* Every call but those that begin and end: error, or 0. */
static int enter(const char *call, const struct gpu *gpu, const char *detail)
{
	const cJSON *us = item(machine.said, "call_us");

	log_call(call, gpu, detail);
	if (us && us->valuedouble > 0)
		wait_us(us->valuedouble);
	follow_script();
	if (machine.users <= 0)
		return misuse(call, "before nvmlInit", NVML_UNINITIALIZED);
	return fault_of(call, gpu, detail);
}

/* A call of a handle, whole GPUs and instances alike. */
static int enter_any(const char *call, device_t device, const char *detail, const struct gpu **gpu)
{
	const struct gpu *given = device;
	long long ignored;
	int error;

	*gpu = NULL;
	for (u32 i = 0; i < machine.gpu_count && !*gpu; i++)
		if (given == &machine.gpus[i])
			*gpu = given;
	for (u32 i = 0; i < machine.instance_count && !*gpu; i++)
		if (given == &machine.instances[i])
			*gpu = given;
	error = enter(call, *gpu, detail);
	if (error)
		return error;
	if (!*gpu)
		return misuse(call, "no handle", NVML_INVALID_ARGUMENT);
	return tell((*gpu)->whole ? (*gpu)->whole->said : (*gpu)->said, "error", 0, &ignored);
}

/* One of whole GPUs alone. */
static int enter_gpu(const char *call, device_t device, const char *detail, const struct gpu **gpu)
{
	int error = enter_any(call, device, detail, gpu);

	return !error && (*gpu)->whole ? misuse(call, "handle of an instance", NVML_INVALID_ARGUMENT) : error;
}

static int give_text(const char *call, const char *text, char *out, u32 length)
{
	if (!out)
		return misuse(call, "NULL", NVML_INVALID_ARGUMENT);
	if (strlen(text) >= length)
		return misuse(call, "too short a buffer", NVML_INSUFFICIENT_SIZE);
	strcpy(out, text);
	return NVML_SUCCESS;
}

static int ask(const char *call, device_t device, const char *detail, const char *key, long long otherwise,
	       long long *value)
{
	const struct gpu *gpu;
	int error = enter_gpu(call, device, detail, &gpu);

	return error ? error : tell(gpu->said, key, otherwise, value);
}

static int ask_u32(const char *call, device_t device, const char *detail, const char *key, long long otherwise,
		   u32 *out)
{
	long long value;
	int error = ask(call, device, detail, key, otherwise, &value);

	if (!error && !out)
		return misuse(call, "NULL", NVML_INVALID_ARGUMENT);
	if (!error)
		*out = (u32)value;
	return error;
}

static int ask_u64(const char *call, device_t device, const char *detail, const char *key, long long otherwise,
		   u64 *out)
{
	long long value;
	int error = ask(call, device, detail, key, otherwise, &value);

	if (!error)
		*out = (u64)value;
	return error;
}

static int ask_text(const char *call, device_t device, const char *key, const char *otherwise, char *out, u32 length)
{
	const struct gpu *gpu;
	const char *text;
	int error = enter_any(call, device, "", &gpu);

	if (!error)
		error = tell_text(gpu->said, key, otherwise, &text);
	return error ? error : give_text(call, text, out, length);
}

#define DETAIL(...)                                                                                                    \
	char detail[48];                                                                                               \
	snprintf(detail, sizeof(detail), __VA_ARGS__)

/* ---- init, system, error text */

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

struct pci_info {
	char legacy[16];
	u32 domain, bus, device, ids, subsystem;
	char address[32];
};

static void fill_pci(const struct gpu *gpu, struct pci_info *pci)
{
	const cJSON *ids = item(gpu->said, "pci_device_id"), *subsystem = item(gpu->said, "pci_subsystem_id");

	*pci = (struct pci_info){
		.domain = gpu->domain,
		.bus = gpu->bus,
		.device = gpu->device,
		.ids = ids ? (u32)strtoul(ids->valuestring, NULL, 16) : 0x233010de,
		.subsystem = subsystem ? (u32)strtoul(subsystem->valuestring, NULL, 16) : 0x16c110de,
	};
	snprintf(pci->legacy, sizeof(pci->legacy), "%04X:%02X:%02X.0", gpu->domain & 0xffff, gpu->bus & 0xff,
		 gpu->device & 0xff);
	snprintf(pci->address, sizeof(pci->address), "%08X:%02X:%02X.0", gpu->domain, gpu->bus, gpu->device);
}

API(nvmlGetExcludedDeviceCount, u32 *count)
{
	int error = enter(__func__, NULL, "");

	if (!error)
		*count = (u32)cJSON_GetArraySize(item(machine.said, "excluded"));
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
	const cJSON *address = cJSON_GetArrayItem(item(machine.said, "excluded"), (int)index);
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

/* ---- enumeration and identity */

static int count_gpus(const char *call, u32 *count)
{
	int error = enter(call, NULL, "");

	if (!error)
		*count = machine.gpu_count;
	return error;
}

API(nvmlDeviceGetCount_v2, u32 *count)
{
	return count_gpus(__func__, count);
}

API(nvmlDeviceGetCount, u32 *count)
{
	return count_gpus(__func__, count);
}

static int open_gpu(const char *call, struct gpu *gpu, const char *detail, int absent, device_t *device)
{
	int error = enter(call, gpu, detail);
	long long ignored;

	if (!error && !gpu)
		error = absent;
	if (!error)
		error = tell(gpu->said, "handle_error", 0, &ignored);
	if (!error)
		*device = gpu;
	return error;
}

static int open_by_index(const char *call, u32 index, device_t *device)
{
	DETAIL("%u", index);
	return open_gpu(call, index < machine.gpu_count ? &machine.gpus[index] : NULL, detail, NVML_INVALID_ARGUMENT,
			device);
}

API(nvmlDeviceGetHandleByIndex_v2, u32 index, device_t *device)
{
	return open_by_index(__func__, index, device);
}

API(nvmlDeviceGetHandleByIndex, u32 index, device_t *device)
{
	return open_by_index(__func__, index, device);
}

static int open_by_address(const char *call, const char *address, device_t *device)
{
	u32 domain, bus, slot;
	bool is_address = parse_address(address, &domain, &bus, &slot);
	struct gpu *found = NULL;

	for (u32 i = 0; is_address && i < machine.gpu_count; i++)
		if (machine.gpus[i].domain == domain && machine.gpus[i].bus == bus && machine.gpus[i].device == slot)
			found = &machine.gpus[i];
	return open_gpu(call, found, "", is_address ? NVML_NOT_FOUND : misuse(call, "address", NVML_INVALID_ARGUMENT),
			device);
}

API(nvmlDeviceGetHandleByPciBusId_v2, const char *address, device_t *device)
{
	return open_by_address(__func__, address, device);
}

API(nvmlDeviceGetHandleByPciBusId, const char *address, device_t *device)
{
	return open_by_address(__func__, address, device);
}

static struct gpu *by_text(const char *key, const char *wanted)
{
	const char *text;

	for (u32 i = 0; i < machine.gpu_count; i++)
		if (!tell_text(machine.gpus[i].said, key, NULL, &text) && !strcmp(text, wanted))
			return &machine.gpus[i];
	return NULL;
}

API(nvmlDeviceGetHandleByUUID, const char *uuid, device_t *device)
{
	return open_gpu(__func__, by_text("uuid", uuid), "", NVML_NOT_FOUND, device);
}

API(nvmlDeviceGetHandleBySerial, const char *serial, device_t *device)
{
	return open_gpu(__func__, by_text("serial", serial), "", NVML_NOT_FOUND, device);
}

struct uuid {
	u32 version, type;
	char text[44];
};

API(nvmlDeviceGetHandleByUUIDV, const struct uuid *uuid, device_t *device)
{
	if (uuid->version != VERSION(sizeof(*uuid), 1))
		return misuse(__func__, "version", NVML_ARGUMENT_VERSION_MISMATCH);
	return open_gpu(__func__, by_text("uuid", uuid->text), "", NVML_NOT_FOUND, device);
}

#define TEXT(name, key, otherwise)                                                                                     \
	API(name, device_t device, char *out, u32 length)                                                              \
	{                                                                                                              \
		return ask_text(__func__, device, key, otherwise, out, length);                                        \
	}
TEXT(nvmlDeviceGetName, "name", "NVIDIA H100 80GB HBM3")
TEXT(nvmlDeviceGetUUID, "uuid", "GPU-00000000-0000-0000-0000-000000000000")
TEXT(nvmlDeviceGetSerial, "serial", NULL)
TEXT(nvmlDeviceGetBoardPartNumber, "part_number", NULL)
TEXT(nvmlDeviceGetVbiosVersion, "vbios", "96.00.74.00.01")
TEXT(nvmlDeviceGetInforomImageVersion, "inforom", NULL)

#define NUMBER(name, key, otherwise)                                                                                   \
	API(name, device_t device, u32 *out)                                                                           \
	{                                                                                                              \
		return ask_u32(__func__, device, "", key, otherwise, out);                                             \
	}
#define NUMBER_OF(name, key, otherwise)                                                                                \
	API(name, device_t device, u32 *out)                                                                           \
	{                                                                                                              \
		const struct gpu *gpu = device;                                                                        \
		return ask_u32(__func__, device, "", key, gpu ? (long long)(otherwise) : 0, out);                      \
	}
#define LARGE(name, key, otherwise)                                                                                    \
	API(name, device_t device, u64 *out)                                                                           \
	{                                                                                                              \
		return ask_u64(__func__, device, "", key, otherwise, out);                                             \
	}
NUMBER_OF(nvmlDeviceGetIndex, "index", gpu->index)
NUMBER_OF(nvmlDeviceGetMinorNumber, "minor", gpu->index)
NUMBER_OF(nvmlDeviceGetBoardId, "board_id", gpu->domain << 16 | gpu->bus << 8 | gpu->device)
NUMBER(nvmlDeviceGetBrand, "brand", 0)
NUMBER(nvmlDeviceGetArchitecture, "architecture", 9)
NUMBER(nvmlDeviceGetNumGpuCores, "cores", 16896)
NUMBER(nvmlDeviceGetModuleId, "module_id", NOT_SUPPORTED)

API(nvmlDeviceGetCudaComputeCapability, device_t device, int *major, int *minor)
{
	const struct gpu *gpu;
	const char *text;
	int error = enter_gpu(__func__, device, "", &gpu);

	if (!error)
		error = tell_text(gpu->said, "compute_capability", "9.0", &text);
	if (!error && sscanf(text, "%d.%d", major, minor) != 2)
		error = NVML_UNKNOWN;
	return error;
}

struct platform_info {
	u32 version;
	unsigned char guid[16], chassis[16], slot, tray, host, peer, module;
};

API(nvmlDeviceGetPlatformInfo, device_t device, struct platform_info *info)
{
	long long slot;
	int error;

	if (info->version != VERSION(44, 2))
		return misuse(__func__, "version", NVML_ARGUMENT_VERSION_MISMATCH);
	error = ask(__func__, device, "", "platform_slot", NOT_SUPPORTED, &slot);
	if (!error)
		*info = (struct platform_info){.version = VERSION(44, 2), .slot = (unsigned char)slot};
	return error;
}

struct versioned_u32 {
	u32 version, value;
};

struct versioned_u64 {
	u32 version;
	u64 value;
};

API(nvmlDeviceGetPdi, device_t device, struct versioned_u64 *pdi)
{
	if (pdi->version != VERSION(16, 1))
		return misuse(__func__, "version", NVML_ARGUMENT_VERSION_MISMATCH);
	return ask_u64(__func__, device, "", "pdi", 0x1122334455667788LL, &pdi->value);
}

/* ---- PCIe */

static int pci_info(const char *call, device_t device, void *out, size_t bytes)
{
	const struct gpu *gpu;
	struct pci_info pci;
	int error = enter_gpu(call, device, "", &gpu);

	if (!error) {
		fill_pci(gpu, &pci);
		memcpy(out, &pci, bytes);
	}
	return error;
}

API(nvmlDeviceGetPciInfo_v3, device_t device, struct pci_info *pci)
{
	return pci_info(__func__, device, pci, sizeof(*pci));
}

API(nvmlDeviceGetPciInfo_v2, device_t device, struct pci_info *pci)
{
	return pci_info(__func__, device, pci, offsetof(struct pci_info, address));
}

API(nvmlDeviceGetPciInfo, device_t device, struct pci_info *pci)
{
	return pci_info(__func__, device, pci, offsetof(struct pci_info, subsystem));
}

struct pci_info_ext {
	u32 version, domain, bus, device, ids, subsystem, class_code, subclass;
	char address[32];
};

API(nvmlDeviceGetPciInfoExt, device_t device, struct pci_info_ext *out)
{
	struct pci_info pci;
	int error;

	if (out->version != VERSION(64, 1))
		return misuse(__func__, "version", NVML_ARGUMENT_VERSION_MISMATCH);
	error = pci_info(__func__, device, &pci, sizeof(pci));
	if (error)
		return error;
	*out = (struct pci_info_ext){out->version, pci.domain, pci.bus, pci.device, pci.ids, pci.subsystem, 3, 2, ""};
	memcpy(out->address, pci.address, sizeof(out->address));
	return NVML_SUCCESS;
}

NUMBER(nvmlDeviceGetCurrPcieLinkGeneration, "link_generation", 5)
NUMBER(nvmlDeviceGetCurrPcieLinkWidth, "link_width", 16)
NUMBER(nvmlDeviceGetMaxPcieLinkGeneration, "link_generation_max", 5)
NUMBER(nvmlDeviceGetMaxPcieLinkWidth, "link_width_max", 16)
NUMBER(nvmlDeviceGetGpuMaxPcieLinkGeneration, "link_generation_able", 5)
NUMBER(nvmlDeviceGetPcieLinkMaxSpeed, "link_generation_max", 5)
NUMBER(nvmlDeviceGetPcieSpeed, "link_speed_mbps", 32000)
NUMBER(nvmlDeviceGetPcieReplayCounter, "pcie_replays", 0)
NUMBER(nvmlDeviceGetBusType, "bus_type", 2)
NUMBER(nvmlDeviceGetIrqNum, "irq", 128)

API(nvmlDeviceGetPcieThroughput, device_t device, u32 counter, u32 *out)
{
	DETAIL("%u", counter);
	if (counter > 1)
		return misuse(__func__, "counter", NVML_INVALID_ARGUMENT);
	return ask_u32(__func__, device, detail, counter ? "pcie_received_kbps" : "pcie_sent_kbps", 0, out);
}

/* ---- temperature, power, clocks */

API(nvmlDeviceGetTemperature, device_t device, u32 sensor, u32 *out)
{
	DETAIL("%u", sensor);
	if (sensor)
		return misuse(__func__, "sensor", NVML_INVALID_ARGUMENT);
	return ask_u32(__func__, device, detail, "temperature_c", 34, out);
}

struct temperature {
	u32 version, sensor;
	int degrees;
};

API(nvmlDeviceGetTemperatureV, device_t device, struct temperature *out)
{
	long long value;
	int error;

	if (out->version != VERSION(sizeof(*out), 1))
		return misuse(__func__, "version", NVML_ARGUMENT_VERSION_MISMATCH);
	if (out->sensor)
		return misuse(__func__, "sensor", NVML_INVALID_ARGUMENT);
	error = ask(__func__, device, "", "temperature_c", 34, &value);
	if (!error)
		out->degrees = (int)value;
	return error;
}

API(nvmlDeviceGetMarginTemperature, device_t device, struct versioned_u32 *out)
{
	if (out->version != VERSION(8, 1))
		return misuse(__func__, "version", NVML_ARGUMENT_VERSION_MISMATCH);
	return ask_u32(__func__, device, "", "temperature_margin_c", NOT_SUPPORTED, &out->value);
}

API(nvmlDeviceGetTemperatureThreshold, device_t device, u32 type, u32 *out)
{
	static const char *const keys[] = {"temperature_shutdown_c", "temperature_slowdown_c",
					   "memory_temperature_max_c", "temperature_max_c"};
	DETAIL("%u", type);
	if (type > 7)
		return misuse(__func__, "type", NVML_INVALID_ARGUMENT);
	return ask_u32(__func__, device, detail, type < 4 ? keys[type] : "temperature_acoustic_c", NOT_SUPPORTED, out);
}

struct thermal_settings {
	u32 count;
	struct {
		int controller;
		u32 lowest, highest, current;
		int target;
	} sensors[3];
};

API(nvmlDeviceGetThermalSettings, device_t device, u32 sensor, struct thermal_settings *out)
{
	DETAIL("%u", sensor);
	long long value;
	int error = ask(__func__, device, detail, "temperature_c", 34, &value);

	if (!error)
		*out = (struct thermal_settings){1, {{1, 0, 127, (u32)value, 1}}};
	return error;
}

LARGE(nvmlDeviceGetTotalEnergyConsumption, "energy_mj", 918273645)
NUMBER(nvmlDeviceGetPowerUsage, "power_mw", 68000)
NUMBER(nvmlDeviceGetPowerManagementMode, "power_management", 1)
NUMBER(nvmlDeviceGetPowerManagementLimit, "power_requested_mw", 700000)
NUMBER(nvmlDeviceGetPowerManagementDefaultLimit, "power_default_mw", 700000)
NUMBER(nvmlDeviceGetEnforcedPowerLimit, "power_limit_mw", 700000)

API(nvmlDeviceGetPowerManagementLimitConstraints, device_t device, u32 *lowest, u32 *highest)
{
	const struct gpu *gpu;
	long long low, high;
	int error = enter_gpu(__func__, device, "", &gpu);

	if (!error)
		error = tell(gpu->said, "power_min_mw", 200000, &low);
	if (!error)
		error = tell(gpu->said, "power_max_mw", 700000, &high);
	if (!error) {
		*lowest = (u32)low;
		*highest = (u32)high;
	}
	return error;
}

/* By clock type: graphics, SM, memory, video. */
static int clock_of(const char *call, device_t device, u32 type, const char *detail, const char *const keys[4],
		    u32 *out)
{
	static const u32 usual[] = {1980, 1980, 2619, 1545};

	if (type > 3)
		return misuse(call, "clock type", NVML_INVALID_ARGUMENT);
	return ask_u32(call, device, detail, keys[type], usual[type], out);
}

static const char *const clocks_now[] = {"clock_mhz", "clock_mhz", "memory_clock_mhz", "video_clock_mhz"};
static const char *const clocks_max[] = {"clock_max_mhz", "clock_max_mhz", "memory_clock_max_mhz",
					 "video_clock_max_mhz"};
static const char *const clocks_target[] = {"clock_application_mhz", "clock_application_mhz", "memory_clock_max_mhz",
					    "video_clock_max_mhz"};
static const char *const clocks_default[] = {"clock_application_default_mhz", "clock_application_default_mhz",
					     "memory_clock_max_mhz", "video_clock_max_mhz"};
static const char *const clocks_boost[] = {"clock_boost_max_mhz", "clock_boost_max_mhz", "memory_clock_max_mhz",
					   "video_clock_max_mhz"};

API(nvmlDeviceGetClockInfo, device_t device, u32 type, u32 *out)
{
	DETAIL("%u", type);
	return clock_of(__func__, device, type, detail, clocks_now, out);
}

API(nvmlDeviceGetMaxClockInfo, device_t device, u32 type, u32 *out)
{
	DETAIL("%u", type);
	return clock_of(__func__, device, type, detail, clocks_max, out);
}

API(nvmlDeviceGetClock, device_t device, u32 type, u32 id, u32 *out)
{
	static const char *const *const keys[] = {clocks_now, clocks_target, clocks_default, clocks_boost};
	DETAIL("%u %u", type, id);
	if (id > 3)
		return misuse(__func__, "clock id", NVML_INVALID_ARGUMENT);
	return clock_of(__func__, device, type, detail, keys[id], out);
}

API(nvmlDeviceGetMaxCustomerBoostClock, device_t device, u32 type, u32 *out)
{
	DETAIL("%u", type);
	return clock_of(__func__, device, type, detail, clocks_boost, out);
}

API(nvmlDeviceGetApplicationsClock, device_t device, u32 type, u32 *out)
{
	DETAIL("%u", type);
	return clock_of(__func__, device, type, detail, clocks_target, out);
}

NUMBER(nvmlDeviceGetPerformanceState, "performance_state", 0)
LARGE(nvmlDeviceGetCurrentClocksEventReasons, "clock_reasons", 1)
LARGE(nvmlDeviceGetCurrentClocksThrottleReasons, "clock_reasons", 1)
LARGE(nvmlDeviceGetSupportedClocksEventReasons, "clock_reasons_supported", 0x1ff)
LARGE(nvmlDeviceGetSupportedClocksThrottleReasons, "clock_reasons_supported", 0x1ff)

static int violation(const struct gpu *gpu, u32 policy, long long *ns)
{
	const cJSON *list = item(gpu->said, "violations_ns");
	char key[8];

	snprintf(key, sizeof(key), "%u", policy);
	if (list && !cJSON_IsObject(list))
		return tell_item(list, 0, ns);
	return tell(list, key, 0, ns);
}

struct violation_time {
	u64 reference_us, ns;
};

API(nvmlDeviceGetViolationStatus, device_t device, u32 policy, struct violation_time *out)
{
	DETAIL("%u", policy);
	const struct gpu *gpu;
	long long ns;
	int error = enter_gpu(__func__, device, detail, &gpu);

	if (!error)
		error = violation(gpu, policy, &ns);
	if (!error)
		*out = (struct violation_time){(u64)(seconds_now() * 1e6), (u64)ns};
	return error;
}

struct clock_monitor {
	u32 fault, count, list[64];
};

API(nvmlDeviceGetClkMonStatus, device_t device, struct clock_monitor *out)
{
	long long fault;
	int error = ask(__func__, device, "", "clock_monitor_fault", 0, &fault);

	if (!error)
		*out = (struct clock_monitor){.fault = (u32)fault};
	return error;
}

API(nvmlDeviceGetNumFans, device_t device, u32 *count)
{
	const struct gpu *gpu;
	int error = enter_gpu(__func__, device, "", &gpu);

	if (!error && !cJSON_IsArray(item(gpu->said, "fans")))
		error = NVML_NOT_SUPPORTED;
	if (!error)
		*count = (u32)cJSON_GetArraySize(item(gpu->said, "fans"));
	return error;
}

static int fan_speed(const char *call, device_t device, u32 fan, u32 *speed)
{
	DETAIL("%u", fan);
	const struct gpu *gpu;
	long long value;
	int error = enter_gpu(call, device, detail, &gpu);

	if (!error)
		error = tell_item(cJSON_GetArrayItem(item(gpu->said, "fans"), (int)fan), NOT_SUPPORTED, &value);
	if (!error)
		*speed = (u32)value;
	return error;
}

API(nvmlDeviceGetFanSpeed_v2, device_t device, u32 fan, u32 *speed)
{
	return fan_speed(__func__, device, fan, speed);
}

/* ---- memory, use, processes */

struct memory {
	u64 total, reserved, free, used;
};

static int memory_of(const char *call, device_t device, struct memory *memory)
{
	const struct gpu *gpu;
	long long total, reserved, used;
	int error = enter_any(call, device, "", &gpu);

	if (!error)
		error = tell(gpu->said, "vram_total_bytes", 85520809984, &total);
	if (!error)
		error = tell(gpu->said, "vram_reserved_bytes", 665845760, &reserved);
	if (!error)
		error = tell(gpu->said, "vram_used_bytes", 4194304, &used);
	if (!error)
		*memory = (struct memory){(u64)total, (u64)reserved, (u64)(total - reserved - used), (u64)used};
	return error;
}

struct memory_v2 {
	u32 version;
	struct memory memory;
};

API(nvmlDeviceGetMemoryInfo_v2, device_t device, struct memory_v2 *out)
{
	if (out->version != VERSION(sizeof(*out), 2))
		return misuse(__func__, "version", NVML_ARGUMENT_VERSION_MISMATCH);
	return memory_of(__func__, device, &out->memory);
}

struct amounts {
	u64 total, free, used;
};

API(nvmlDeviceGetMemoryInfo, device_t device, struct amounts *out)
{
	struct memory memory;
	int error = memory_of(__func__, device, &memory);

	if (!error)
		*out = (struct amounts){memory.total, memory.free, memory.used + memory.reserved};
	return error;
}

API(nvmlDeviceGetBAR1MemoryInfo, device_t device, struct amounts *out)
{
	const struct gpu *gpu;
	long long total, used;
	int error = enter_gpu(__func__, device, "", &gpu);

	if (!error)
		error = tell(gpu->said, "bar1_total_bytes", 137438953472, &total);
	if (!error)
		error = tell(gpu->said, "bar1_used_bytes", 1048576, &used);
	if (!error)
		*out = (struct amounts){(u64)total, (u64)(total - used), (u64)used};
	return error;
}

NUMBER(nvmlDeviceGetMemoryBusWidth, "memory_bus_bits", 5120)

struct utilization {
	u32 gpu, memory;
};

/* A GPU that is divided (MIG) tells nothing of its use. */
static int refused_in_parts(const struct gpu *gpu)
{
	long long divided = 0;

	return !tell(gpu->said, "mig_enabled", 0, &divided) && divided ? NVML_NOT_SUPPORTED : NVML_SUCCESS;
}

API(nvmlDeviceGetUtilizationRates, device_t device, struct utilization *out)
{
	const struct gpu *gpu;
	long long busy, memory;
	int error = enter_gpu(__func__, device, "", &gpu);

	if (!error)
		error = refused_in_parts(gpu);
	if (!error)
		error = tell(gpu->said, "busy_percent", 0, &busy);
	if (!error)
		error = tell(gpu->said, "memory_busy_percent", 0, &memory);
	if (!error)
		*out = (struct utilization){(u32)busy, (u32)memory};
	return error;
}

struct process {
	u32 pid;
	u64 memory;
	u32 gpu_instance, compute_instance;
	u64 protected;
};

enum { RECORD_V1 = 16, RECORD_V2 = 24 };

static bool is_of(const cJSON *process, const char *kind, const struct gpu *gpu)
{
	const cJSON *of = item(process, "kind"), *instance = item(process, "gi");

	if (strcmp(of ? of->valuestring : "compute", kind))
		return false;
	return !gpu->whole || (instance && instance->valueint == item(gpu->said, "gi")->valueint);
}

static void fill_process(const cJSON *said, struct process *process)
{
	long long value;

	memset(process, 0, sizeof(*process));
	process->pid = (u32)item(said, "pid")->valuedouble;
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
	list = item(gpu->whole ? gpu->whole->said : gpu->said, "processes");
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

/* ---- samples, and what processes used, since a moment */

enum { LOADED_AT_S = 1700000000, SAMPLE_EVERY_MS = 166, SAMPLES_KEPT = 120 };

/* A time of the machine as its driver stamps it: microseconds since 1970. */
static u64 stamp_of(const struct gpu *gpu, double ms)
{
	long long shift_ms = 0;

	tell(item(gpu->said, "samples"), "shift_ms", 0, &shift_ms);
	return (u64)LOADED_AT_S * 1000000 + (u64)(long long)((ms + (double)shift_ms) * 1e3);
}

struct sample {
	u64 stamp_us;
	union {
		double f64;
		u64 u64;
	} value;
};

/* Those after that moment, as many as there is room for. */
struct wanted {
	u64 after_us;
	u32 room, found;
	struct sample *out;
};

static void put_sample(struct wanted *wanted, u64 stamp_us, long long value)
{
	if (stamp_us <= wanted->after_us || wanted->found >= wanted->room)
		return;
	wanted->out[wanted->found].stamp_us = stamp_us;
	wanted->out[wanted->found++].value.u64 = (u64)value;
}

static int samples_of(const struct gpu *gpu, const char *type, const char *key, long long otherwise,
		      struct wanted *wanted)
{
	const cJSON *said = item(gpu->said, "samples"), *list = item(said, type), *one;
	long long every = SAMPLE_EVERY_MS, kept = SAMPLES_KEPT, value = 0, last;
	double now_ms = 1e3 * machine_s();
	int error = 0;

	tell(said, "every_ms", SAMPLE_EVERY_MS, &every);
	tell(said, "nr", SAMPLES_KEPT, &kept);
	cJSON_ArrayForEach(one, list)
	{
		double at_ms = cJSON_GetArrayItem(one, 0)->valuedouble;

		if (at_ms <= now_ms)
			put_sample(wanted, stamp_of(gpu, at_ms), (long long)cJSON_GetArrayItem(one, 1)->valuedouble);
	}
	last = (long long)now_ms / every;
	for (long long i = last < kept ? 0 : last - kept + 1; !list && !error && i <= last; i++) {
		u64 stamp_us = stamp_of(gpu, (double)(i * every));

		error = stamp_us > wanted->after_us ? tell(gpu->said, key, otherwise, &value) : 0;
		if (!error)
			put_sample(wanted, stamp_us, value);
	}
	return error;
}

API(nvmlDeviceGetSamples, device_t device, u32 type, u64 last_seen_us, int *value_type, u32 *count, struct sample *out)
{
	static const char *const keys[] = {"power_mw", "busy_percent", "memory_busy_percent"};
	DETAIL("%u %s", type, out ? "" : "size");
	struct wanted wanted = {.after_us = last_seen_us, .out = out};
	const struct gpu *gpu;
	long long kept = SAMPLES_KEPT;
	char number[12];
	int error = enter_gpu(__func__, device, detail, &gpu);

	_Static_assert(sizeof(struct sample) == 16, "as nvml.h lays it out");
	if (!error && (!count || !value_type || (out && !*count)))
		error = misuse(__func__, "count", NVML_INVALID_ARGUMENT);
	if (!error && (type > 2 || (type && refused_in_parts(gpu))))
		error = NVML_NOT_SUPPORTED;
	if (error)
		return error;
	snprintf(number, sizeof(number), "%u", type);
	*value_type = 1; /* unsigned int */
	if (!out) {
		tell(item(gpu->said, "samples"), "nr", SAMPLES_KEPT, &kept);
		*count = (u32)kept;
		return NVML_SUCCESS;
	}
	wanted.room = *count;
	error = samples_of(gpu, number, keys[type], type ? 0 : 68000, &wanted);
	*count = wanted.found;
	return error ? error : wanted.found ? NVML_SUCCESS : NVML_NOT_FOUND;
}

struct process_use {
	u32 pid;
	u64 stamp_us;
	u32 used[4]; /* SM, memory, encoder, decoder */
};

struct process_use_v1 {
	struct process_use use;
	u32 jpeg, optical_flow;
};

/* Of those since that moment; each `bytes` long. */
static int process_use_of(const char *call, device_t device, u64 after_us, u32 *count, void *out, size_t bytes)
{
	static const char *const keys[] = {"sm", "mem", "enc", "dec"};
	const struct gpu *gpu;
	u32 found = 0, room = *count;
	const cJSON *one;
	int error = enter_gpu(call, device, out ? "" : "size", &gpu);

	if (!error)
		error = refused_in_parts(gpu);
	if (!error && cJSON_IsString(item(gpu->said, "process_use")))
		error = error_code(item(gpu->said, "process_use")->valuestring);
	if (error)
		return error;
	cJSON_ArrayForEach(one, item(gpu->said, "process_use"))
	{
		struct process_use_v1 row = {.use.pid = (u32)item(one, "pid")->valuedouble};
		const cJSON *at = item(one, "t_ms");
		long long value = 0;

		row.use.stamp_us = stamp_of(gpu, at ? at->valuedouble : 1e3 * machine_s());
		for (int i = 0; i < 4; i++)
			row.use.used[i] = tell(one, keys[i], 0, &value) ? 0 : (u32)value;
		if (row.use.stamp_us > after_us && found++ < room && out)
			memcpy((char *)out + (found - 1) * bytes, &row, bytes);
	}
	*count = found;
	return !found ? NVML_NOT_FOUND : !out || found > room ? NVML_INSUFFICIENT_SIZE : NVML_SUCCESS;
}

API(nvmlDeviceGetProcessUtilization, device_t device, struct process_use *out, u32 *count, u64 last_seen_us)
{
	_Static_assert(sizeof(struct process_use) == 32, "as nvml.h lays it out");
	return process_use_of(__func__, device, last_seen_us, count, out, sizeof(*out));
}

struct processes_use {
	u32 version, count;
	u64 last_seen_us;
	struct process_use_v1 *rows;
};

API(nvmlDeviceGetProcessesUtilizationInfo, device_t device, struct processes_use *info)
{
	_Static_assert(sizeof(struct process_use_v1) == 40, "as nvml.h lays it out");
	if (info->version != VERSION(sizeof(*info), 1))
		return misuse(__func__, "version", NVML_ARGUMENT_VERSION_MISMATCH);
	return process_use_of(__func__, device, info->last_seen_us, &info->count, info->rows, sizeof(*info->rows));
}

/* ---- counters of GPM */

struct gpm_support {
	u32 version, is_supported;
};

enum { GPM_APART_MS = 100, GPM_MOST = 333 };

API(nvmlGpmQueryDeviceSupport, device_t device, struct gpm_support *support)
{
	const struct gpu *gpu;
	int error = enter_gpu(__func__, device, "", &gpu);

	if (!error && support->version != 1)
		return misuse(__func__, "version", NVML_ARGUMENT_VERSION_MISMATCH);
	if (!error && cJSON_IsString(item(gpu->said, "gpm")))
		error = error_code(item(gpu->said, "gpm")->valuestring);
	if (!error)
		support->is_supported = cJSON_IsObject(item(gpu->said, "gpm"));
	return error;
}

/* When it was taken and of whom; what it counted is told as the two are compared. */
struct gpm_sample {
	const struct gpu *of;
	double at_s;
};

API(nvmlGpmSampleAlloc, void **sample)
{
	int error = enter(__func__, NULL, "");

	if (!error)
		*sample = calloc(1, sizeof(struct gpm_sample));
	return error;
}

API(nvmlGpmSampleFree, void *sample)
{
	int error = enter(__func__, NULL, "");

	if (!error)
		free(sample);
	return error;
}

static int take_gpm(const struct gpu *gpu, struct gpm_sample *sample)
{
	if (!cJSON_IsObject(item(gpu->said, "gpm")))
		return NVML_NOT_SUPPORTED;
	*sample = (struct gpm_sample){gpu, machine_s()};
	return NVML_SUCCESS;
}

API(nvmlGpmSampleGet, device_t device, void *sample)
{
	const struct gpu *gpu;
	int error = enter_any(__func__, device, "", &gpu);

	return error ? error : take_gpm(gpu, sample);
}

API(nvmlGpmMigSampleGet, device_t device, u32 instance, void *sample)
{
	DETAIL("%u", instance);
	const struct gpu *gpu;
	int error = enter_gpu(__func__, device, detail, &gpu);

	for (u32 i = 0; !error && i < gpu->instance_count; i++)
		if (item(gpu->instances[i].said, "gi")->valueint == (int)instance)
			return take_gpm(&gpu->instances[i], sample);
	return error ? error : misuse(__func__, "no such instance", NVML_INVALID_ARGUMENT);
}

struct gpm_metric {
	u32 id;
	int error;
	double value;
	const char *names[3];
};

struct gpm_metrics {
	u32 version, count;
	const struct gpm_sample *from, *to;
	struct gpm_metric metrics[GPM_MOST];
};

API(nvmlGpmMetricsGet, struct gpm_metrics *metrics)
{
	int error = enter(__func__, metrics->to ? metrics->to->of : NULL, "");

	_Static_assert(sizeof(struct gpm_metrics) == 13344, "as nvml.h of CUDA 13.2 lays it out");
	if (error)
		return error;
	if (metrics->version != 1)
		return misuse(__func__, "version", NVML_ARGUMENT_VERSION_MISMATCH);
	if (!metrics->from || !metrics->to || !metrics->from->of || metrics->from->of != metrics->to->of)
		return misuse(__func__, "samples", NVML_INVALID_ARGUMENT);
	if (metrics->to->at_s - metrics->from->at_s < GPM_APART_MS / 1e3 - 1e-6)
		return misuse(__func__, "samples too close to each other", NVML_INVALID_ARGUMENT);
	for (u32 i = 0; i < metrics->count && i < GPM_MOST; i++) {
		struct gpm_metric *metric = &metrics->metrics[i];
		char number[12];

		snprintf(number, sizeof(number), "%u", metric->id);
		metric->error = tell_fraction(item(metrics->to->of->said, "gpm"), number, &metric->value);
	}
	if (item(metrics->to->of->said, "gpm_writes_all"))
		memset(metrics->metrics + metrics->count, 0xa5,
		       sizeof(metrics->metrics) - metrics->count * sizeof(*metrics->metrics));
	return NVML_SUCCESS;
}

/* ---- ECC, retired pages, remapped rows, repair */

/* Of a GPU whose ECC is off or that has none there are no counts. */
static int enter_ecc(const char *call, device_t device, const char *detail, const struct gpu **gpu)
{
	long long enabled = 0;
	int error = enter_gpu(call, device, detail, gpu);

	if (!error)
		error = tell((*gpu)->said, "ecc_enabled", 1, &enabled);
	return !error && !enabled ? NVML_NOT_SUPPORTED : error;
}

API(nvmlDeviceGetEccMode, device_t device, u32 *current, u32 *pending)
{
	const struct gpu *gpu;
	long long now, then;
	int error = enter_gpu(__func__, device, "", &gpu);

	if (!error)
		error = tell(gpu->said, "ecc_enabled", 1, &now);
	if (!error)
		error = tell(gpu->said, "ecc_pending", now, &then);
	if (!error) {
		*current = (u32)now;
		*pending = (u32)then;
	}
	return error;
}

NUMBER(nvmlDeviceGetDefaultEccMode, "ecc_default", 1)

static int total_errors(const struct gpu *gpu, u32 type, u32 counter, long long *count)
{
	static const char *const keys[2][2] = {{"ecc_corrected", "ecc_corrected_lifetime"},
					       {"ecc_uncorrected", "ecc_uncorrected_lifetime"}};

	return tell(gpu->said, keys[type][counter], 0, count);
}

API(nvmlDeviceGetTotalEccErrors, device_t device, u32 type, u32 counter, u64 *count)
{
	DETAIL("%u %u", type, counter);
	const struct gpu *gpu;
	long long value;
	int error;

	if (type > 1 || counter > 1)
		return misuse(__func__, "type", NVML_INVALID_ARGUMENT);
	error = enter_ecc(__func__, device, detail, &gpu);
	if (!error)
		error = total_errors(gpu, type, counter, &value);
	if (!error)
		*count = (u64)value;
	return error;
}

/* In main memory and on the chip; the other places are of older GPUs. */
static int located_errors(const struct gpu *gpu, u32 type, u32 counter, u32 location, long long *count)
{
	static const char *const keys[2][2][2] = {
		{{"dram_corrected", "dram_corrected_lifetime"}, {"dram_uncorrected", "dram_uncorrected_lifetime"}},
		{{"sram_corrected", "sram_corrected_lifetime"}, {"sram_uncorrected", "sram_uncorrected_lifetime"}}};
	long long total = 0;

	if (location != 2 && location != 7)
		return NVML_NOT_SUPPORTED;
	total_errors(gpu, type, counter, &total);
	return tell(gpu->said, keys[location == 7][type][counter], location == 2 ? total : 0, count);
}

API(nvmlDeviceGetMemoryErrorCounter, device_t device, u32 type, u32 counter, u32 location, u64 *count)
{
	DETAIL("%u %u %u", type, counter, location);
	const struct gpu *gpu;
	long long value;
	int error;

	if (type > 1 || counter > 1 || location > 7)
		return misuse(__func__, "type", NVML_INVALID_ARGUMENT);
	error = enter_ecc(__func__, device, detail, &gpu);
	if (!error)
		error = located_errors(gpu, type, counter, location, &value);
	if (!error)
		*count = (u64)value;
	return error;
}

struct ecc_counts {
	u64 l1, l2, memory, registers;
};

API(nvmlDeviceGetDetailedEccErrors, device_t device, u32 type, u32 counter, struct ecc_counts *counts)
{
	u64 value;
	int error = nvmlDeviceGetTotalEccErrors(device, type, counter, &value);

	if (!error)
		*counts = (struct ecc_counts){.memory = value};
	return error;
}

struct sram_status {
	u32 version;
	u64 uncorrected_parity, uncorrected_secded, corrected, now_uncorrected_parity, now_uncorrected_secded,
		now_corrected;
	u64 places[5];
	u32 exceeded;
};

API(nvmlDeviceGetSramEccErrorStatus, device_t device, struct sram_status *out)
{
	const struct gpu *gpu;
	long long ever, now, exceeded;
	int error;

	if (out->version != VERSION(sizeof(*out), 1))
		return misuse(__func__, "version", NVML_ARGUMENT_VERSION_MISMATCH);
	error = enter_ecc(__func__, device, "", &gpu);
	if (!error)
		error = tell(gpu->said, "sram_threshold_exceeded", 0, &exceeded);
	if (!error)
		error = tell(gpu->said, "sram_uncorrected_lifetime", 0, &ever);
	if (!error)
		error = tell(gpu->said, "sram_uncorrected", 0, &now);
	if (!error)
		*out = (struct sram_status){.version = out->version,
					    .uncorrected_parity = (u64)ever,
					    .now_uncorrected_parity = (u64)now,
					    .places = {(u64)ever},
					    .exceeded = (u32)exceeded};
	return error;
}

/* 16 pages in a column, a second apart. */
static int retired_pages(const char *call, device_t device, u32 cause, u32 *count, u64 *addresses, u64 *times)
{
	DETAIL("%u", cause);
	const struct gpu *gpu;
	long long pages;
	u32 room = *count;
	int error = enter_gpu(call, device, detail, &gpu);

	if (!error && cause > 1)
		error = misuse(call, "cause", NVML_INVALID_ARGUMENT);
	if (!error)
		error = tell_item(cJSON_GetArrayItem(item(gpu->said, "pages_retired"), (int)cause), NOT_SUPPORTED,
				  &pages);
	if (error)
		return error;
	for (u32 i = 0; i < (u32)pages && i < room && addresses; i++) {
		addresses[i] = 0x1000ULL * (i + 1);
		if (times)
			times[i] = 1700000000ULL * 1000000 + i * 1000000ULL;
	}
	*count = (u32)pages;
	return pages > room || (pages && !addresses && room) ? NVML_INSUFFICIENT_SIZE : NVML_SUCCESS;
}

API(nvmlDeviceGetRetiredPages_v2, device_t device, u32 cause, u32 *count, u64 *addresses, u64 *times)
{
	return retired_pages(__func__, device, cause, count, addresses, times);
}

API(nvmlDeviceGetRetiredPages, device_t device, u32 cause, u32 *count, u64 *addresses)
{
	return retired_pages(__func__, device, cause, count, addresses, NULL);
}

NUMBER(nvmlDeviceGetRetiredPagesPendingStatus, "retirement_pending", NOT_SUPPORTED)

struct rows {
	u32 corrected, uncorrected, pending, failed;
};

static int rows_of(const char *call, device_t device, struct rows *rows)
{
	static const char *const keys[] = {"rows_remapped_corrected", "rows_remapped_uncorrected", "remap_pending",
					   "remap_failed"};
	const struct gpu *gpu;
	long long values[4] = {0};
	int error = enter_gpu(call, device, "", &gpu);

	for (int i = 0; i < 4 && !error; i++)
		error = tell(gpu->said, keys[i], 0, &values[i]);
	*rows = (struct rows){(u32)values[0], (u32)values[1], (u32)values[2], (u32)values[3]};
	return error;
}

API(nvmlDeviceGetRemappedRows, device_t device, u32 *corrected, u32 *uncorrected, u32 *pending, u32 *failed)
{
	struct rows rows;
	int error = rows_of(__func__, device, &rows);

	if (!error) {
		*corrected = rows.corrected;
		*uncorrected = rows.uncorrected;
		*pending = rows.pending;
		*failed = rows.failed;
	}
	return error;
}

struct rows_v2 {
	u32 corrected, corrected_inactive, uncorrected, uncorrected_inactive, pending, failed;
};

API(nvmlDeviceGetRemappedRows_v2, device_t device, struct rows_v2 *out)
{
	struct rows rows;
	int error = rows_of(__func__, device, &rows);

	if (!error)
		*out = (struct rows_v2){rows.corrected, 0, rows.uncorrected, 0, rows.pending, rows.failed};
	return error;
}

API(nvmlDeviceGetRowRemapperHistogram, device_t device, u32 *banks)
{
	const struct gpu *gpu;
	long long value, usual[] = {2560, 0, 0, 0, 0};
	int error = enter_gpu(__func__, device, "", &gpu);
	const cJSON *said = error ? NULL : item(gpu->said, "banks");

	if (!error && said && !cJSON_IsArray(said))
		error = tell_item(said, 0, &value);
	for (int i = 0; i < 5 && !error; i++) {
		error = tell_item(cJSON_GetArrayItem(said, i), usual[i], &value);
		banks[i] = (u32)value;
	}
	return error;
}

struct repair {
	u32 version, channel, tpc;
};

API(nvmlDeviceGetRepairStatus, device_t device, struct repair *out)
{
	const struct gpu *gpu;
	long long channel, tpc;
	int error;

	if (out->version != VERSION(sizeof(*out), 1))
		return misuse(__func__, "version", NVML_ARGUMENT_VERSION_MISMATCH);
	error = enter_gpu(__func__, device, "", &gpu);
	if (!error)
		error = tell(gpu->said, "channel_repair_pending", 0, &channel);
	if (!error)
		error = tell(gpu->said, "tpc_repair_pending", 0, &tpc);
	if (!error)
		*out = (struct repair){out->version, (u32)channel, (u32)tpc};
	return error;
}

NUMBER(nvmlDeviceGetUnrepairableMemoryFlag_v1, "memory_unrepairable", 0)

/* ---- modes and firmware */

NUMBER(nvmlDeviceGetPersistenceMode, "persistence", 1)
NUMBER(nvmlDeviceGetComputeMode, "compute_mode", 0)
NUMBER(nvmlDeviceGetVirtualizationMode, "virtualization", 0)
NUMBER(nvmlDeviceGetInforomConfigurationChecksum, "inforom_checksum", 0x12345678)

/* It takes no length: callers give 64 bytes, all of which are written. */
API(nvmlDeviceGetGspFirmwareVersion, device_t device, char *version)
{
	enum { BYTES = 64 };
	char text[BYTES] = "";
	int error = ask_text(__func__, device, "gsp_firmware", NULL, text, sizeof(text));

	if (!error)
		memcpy(version, text, BYTES);
	return error;
}

API(nvmlDeviceGetGspFirmwareMode, device_t device, u32 *is_enabled, u32 *by_default)
{
	int error = ask_u32(__func__, device, "", "gsp_enabled", 1, is_enabled);

	if (!error)
		*by_default = 1;
	return error;
}

API(nvmlDeviceGetInforomVersion, device_t device, u32 object, char *version, u32 length)
{
	static const char *const keys[] = {"inforom_oem", "inforom_ecc", "inforom_power", "inforom_den"};

	if (object > 3)
		return misuse(__func__, "object", NVML_INVALID_ARGUMENT);
	return ask_text(__func__, device, keys[object], NULL, version, length);
}

API(nvmlDeviceValidateInforom, device_t device)
{
	long long is_valid = 0;
	int error = ask(__func__, device, "", "inforom_valid", 1, &is_valid);

	return !error && !is_valid ? NVML_CORRUPTED_INFOROM : error;
}

API(nvmlDeviceGetAddressingMode, device_t device, struct versioned_u32 *out)
{
	if (out->version != VERSION(8, 1))
		return misuse(__func__, "version", NVML_ARGUMENT_VERSION_MISMATCH);
	return ask_u32(__func__, device, "", "addressing_mode", NOT_SUPPORTED, &out->value);
}

/* ---- MIG */

API(nvmlDeviceGetMigMode, device_t device, u32 *current, u32 *pending)
{
	const struct gpu *gpu;
	long long now, then;
	int error = enter_gpu(__func__, device, "", &gpu);

	if (!error)
		error = tell(gpu->said, "mig_enabled", NOT_SUPPORTED, &now);
	if (!error)
		error = tell(gpu->said, "mig_pending", now, &then);
	if (!error) {
		*current = (u32)now;
		*pending = (u32)then;
	}
	return error;
}

API(nvmlDeviceGetMaxMigDeviceCount, device_t device, u32 *count)
{
	const struct gpu *gpu;
	long long most;
	int error = enter_gpu(__func__, device, "", &gpu);

	if (!error)
		error = tell(item(gpu->said, "mig"), "max", 0, &most);
	if (!error)
		*count = (u32)most;
	return error;
}

API(nvmlDeviceGetMigDeviceHandleByIndex, device_t device, u32 index, device_t *instance)
{
	DETAIL("%u", index);
	const struct gpu *gpu;
	long long most;
	int error = enter_gpu(__func__, device, detail, &gpu);

	if (!error)
		error = tell(item(gpu->said, "mig"), "max", 0, &most);
	if (!error && index >= (u32)most)
		error = NVML_INVALID_ARGUMENT;
	if (!error && index >= gpu->instance_count)
		error = NVML_NOT_FOUND;
	if (!error)
		*instance = &gpu->instances[index];
	return error;
}

API(nvmlDeviceIsMigDeviceHandle, device_t device, u32 *is_instance)
{
	const struct gpu *gpu;
	int error = enter_any(__func__, device, "", &gpu);

	if (!error)
		*is_instance = !!gpu->whole;
	return error;
}

API(nvmlDeviceGetDeviceHandleFromMigDeviceHandle, device_t device, device_t *whole)
{
	const struct gpu *gpu;
	int error = enter_any(__func__, device, "", &gpu);

	if (!error && !gpu->whole)
		error = NVML_INVALID_ARGUMENT;
	if (!error)
		*whole = gpu->whole;
	return error;
}

static int instance_number(const char *call, device_t device, const char *key, u32 *out)
{
	const struct gpu *gpu;
	long long value;
	int error = enter_any(call, device, "", &gpu);

	if (!error && !gpu->whole)
		error = misuse(call, "no instance", NVML_INVALID_ARGUMENT);
	if (!error)
		error = tell(gpu->said, key, 0, &value);
	if (!error)
		*out = (u32)value;
	return error;
}

API(nvmlDeviceGetGpuInstanceId, device_t device, u32 *id)
{
	return instance_number(__func__, device, "gi", id);
}

API(nvmlDeviceGetComputeInstanceId, device_t device, u32 *id)
{
	return instance_number(__func__, device, "ci", id);
}

struct attributes {
	u32 processors, copy, decoders, encoders, jpeg, ofa, gpu_slices, compute_slices;
	u64 memory_mib;
};

API(nvmlDeviceGetAttributes_v2, device_t device, struct attributes *out)
{
	const struct gpu *gpu;
	long long processors, gpu_slices, compute_slices, memory = 0;
	int error = enter_any(__func__, device, "", &gpu);

	if (!error && !gpu->whole)
		error = NVML_NOT_SUPPORTED;
	if (!error)
		error = tell(gpu->said, "processors", 14, &processors);
	if (!error)
		error = tell(gpu->said, "gpu_slices", 1, &gpu_slices);
	if (!error)
		error = tell(gpu->said, "compute_slices", 1, &compute_slices);
	if (!error)
		error = tell(gpu->said, "vram_total_bytes", 0, &memory);
	if (!error)
		*out = (struct attributes){.processors = (u32)processors,
					   .copy = 1,
					   .gpu_slices = (u32)gpu_slices,
					   .compute_slices = (u32)compute_slices,
					   .memory_mib = (u64)memory >> 20};
	return error;
}

/* ---- NVLink, fabric, topology, affinity */

static int enter_link(const char *call, device_t device, u32 link, const char *detail, const cJSON **said)
{
	const struct gpu *gpu;
	int error = enter_gpu(call, device, detail, &gpu), count;

	if (error)
		return error;
	count = cJSON_GetArraySize(item(gpu->said, "nvlinks"));
	if (!count)
		return NVML_NOT_SUPPORTED;
	*said = cJSON_GetArrayItem(item(gpu->said, "nvlinks"), (int)link);
	return *said ? NVML_SUCCESS : NVML_INVALID_ARGUMENT;
}

static int link_number(const char *call, device_t device, u32 link, const char *key, long long otherwise, u32 *out)
{
	DETAIL("%u", link);
	const cJSON *said;
	long long value;
	int error = enter_link(call, device, link, detail, &said);

	if (!error)
		error = tell(said, key, otherwise, &value);
	if (!error)
		*out = (u32)value;
	return error;
}

API(nvmlDeviceGetNvLinkState, device_t device, u32 link, u32 *is_active)
{
	int error = link_number(__func__, device, link, "state", 1, is_active);

	if (!error && *is_active == 2)	/* asleep, which only the field tells */
		*is_active = 0;
	return error;
}

API(nvmlDeviceGetNvLinkVersion, device_t device, u32 link, u32 *version)
{
	return link_number(__func__, device, link, "version", 4, version);
}

API(nvmlDeviceGetNvLinkRemoteDeviceType, device_t device, u32 link, u32 *kind)
{
	return link_number(__func__, device, link, "remote_kind", 2, kind);
}

API(nvmlDeviceGetNvLinkCapability, device_t device, u32 link, u32 capability, u32 *result)
{
	if (capability > 6)
		return misuse(__func__, "capability", NVML_INVALID_ARGUMENT);
	return link_number(__func__, device, link, "capability", 1, result);
}

API(nvmlDeviceGetNvLinkRemotePciInfo_v2, device_t device, u32 link, struct pci_info *pci)
{
	DETAIL("%u", link);
	const cJSON *said;
	struct gpu remote = {0};
	const char *address;
	int error = enter_link(__func__, device, link, detail, &said);

	if (!error)
		error = tell_text(said, "remote", NULL, &address);
	if (!error && !parse_address(address, &remote.domain, &remote.bus, &remote.device))
		error = NVML_UNKNOWN;
	if (!error)
		fill_pci(&remote, pci);
	return error;
}

API(nvmlDeviceGetNvLinkErrorCounter, device_t device, u32 link, u32 counter, u64 *out)
{
	DETAIL("%u %u", link, counter);
	const cJSON *said;
	long long value;
	int error;

	if (counter > 4)
		return misuse(__func__, "counter", NVML_INVALID_ARGUMENT);
	error = enter_link(__func__, device, link, detail, &said);
	if (!error && item(said, "errors") && !cJSON_IsArray(item(said, "errors")))
		error = tell(said, "errors", 0, &value);
	else if (!error)
		error = tell_item(cJSON_GetArrayItem(item(said, "errors"), (int)counter), 0, &value);
	if (!error)
		*out = (u64)value;
	return error;
}

API(nvmlDeviceGetNvLinkInfo, device_t device, struct versioned_u32 *out)
{
	if (out->version != VERSION(8, 1) && out->version != VERSION(1612, 2))
		return misuse(__func__, "version", NVML_ARGUMENT_VERSION_MISMATCH);
	return ask_u32(__func__, device, "", "nvlink_encrypted", 0, &out->value);
}

struct fabric {
	unsigned char cluster[16];
	int status;
	u32 clique;
	unsigned char state;
	u32 health;
	unsigned char summary;
};

static int fabric_of(const char *call, device_t device, struct fabric *out)
{
	static const char *const keys[] = {"state", "status", "clique", "health_mask", "summary"};
	long long values[5] = {0};
	const struct gpu *gpu;
	const char *cluster = "";
	const cJSON *said;
	int error = enter_gpu(call, device, "", &gpu);

	if (error)
		return error;
	said = item(gpu->said, "fabric");
	if (!cJSON_IsObject(said))
		return tell_item(said, NOT_SUPPORTED, &values[0]);
	for (int i = 0; i < 5 && !error; i++)
		error = tell(said, keys[i], 0, &values[i]);
	*out = (struct fabric){{0},
			       (int)values[1],
			       (u32)values[2],
			       (unsigned char)values[0],
			       (u32)values[3],
			       (unsigned char)values[4]};
	tell_text(said, "cluster", "", &cluster);
	for (size_t i = 0; i < sizeof(out->cluster) && strlen(cluster) >= 2 * i + 2; i++)
		sscanf(cluster + 2 * i, "%2hhx", &out->cluster[i]);
	return error;
}

struct fabric_v1 {
	unsigned char cluster[16];
	int status;
	u32 clique;
	unsigned char state;
};

API(nvmlDeviceGetGpuFabricInfo, device_t device, struct fabric_v1 *out)
{
	struct fabric fabric;
	int error = fabric_of(__func__, device, &fabric);

	if (!error) {
		memcpy(out->cluster, fabric.cluster, sizeof(out->cluster));
		out->status = fabric.status;
		out->clique = fabric.clique;
		out->state = fabric.state;
	}
	return error;
}

struct fabric_v3 {
	u32 version;
	struct fabric fabric;
};

API(nvmlDeviceGetGpuFabricInfoV, device_t device, struct fabric_v3 *out)
{
	enum { BYTES_V2 = 36, BYTES_V3 = 40 };
	struct fabric fabric;
	long long newest;
	int error;

	_Static_assert(sizeof(struct fabric_v3) == BYTES_V3, "as nvml.h lays it out");
	error = tell(machine.said, "fabric_version", 3, &newest);
	if (error)
		return error;
	if (out->version != VERSION(BYTES_V2, 2) && (newest < 3 || out->version != VERSION(BYTES_V3, 3))) {
		log_call(__func__, NULL, "another version");
		return NVML_ARGUMENT_VERSION_MISMATCH;
	}
	error = fabric_of(__func__, device, &fabric);
	if (!error)
		memcpy(&out->fabric, &fabric, (out->version & 0xffffff) - sizeof(out->version));
	return error;
}

NUMBER(nvmlDeviceGetC2cModeInfoV, "c2c", NOT_SUPPORTED)
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
		*is_same = item(one->said, "board_id") && item(other->said, "board_id") &&
			   cJSON_Compare(item(one->said, "board_id"), item(other->said, "board_id"), true);
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

/* ---- field values */

struct field_value {
	u32 field, scope;
	long long timestamp_us, latency_us;
	int type, error;
	union {
		double f64;
		u32 u32;
		u64 u64;
		long long s64;
		int s32;
		unsigned short u16;
	} value;
};

enum value_type { F64, U32, ULONG, U64, S64, S32, U16 };

enum of { OF_GPU, OF_LINK, OF_LINKS, OF_POLICY };

/* Fields that are other values too; those of a link have its number as the scope, those of all links all ones. */
static const struct {
	u32 field;
	enum value_type type;
	enum of of;
	const char *key;
	long long otherwise;
} fields[] = {
	{1, U32, OF_GPU, "ecc_enabled", 1},
	{2, U32, OF_GPU, "ecc_pending", 1},
	{3, U64, OF_GPU, "ecc_corrected", 0},
	{4, U64, OF_GPU, "ecc_uncorrected", 0},
	{5, U64, OF_GPU, "ecc_corrected_lifetime", 0},
	{6, U64, OF_GPU, "ecc_uncorrected_lifetime", 0},
	{74, U64, OF_POLICY, "0", 0},
	{75, U64, OF_POLICY, "1", 0},
	{76, U64, OF_POLICY, "2", 0},
	{77, U64, OF_POLICY, "3", 0},
	{78, U64, OF_POLICY, "4", 0},
	{79, U64, OF_POLICY, "5", 0},
	{80, U64, OF_POLICY, "10", 0},
	{81, U64, OF_POLICY, "11", 0},
	{82, U32, OF_GPU, "memory_temperature_c", 41},
	{83, U64, OF_GPU, "energy_mj", 918273645},
	{94, U32, OF_GPU, "pcie_replays", 0},
	{138, U64, OF_LINK, "sent_kib", NOT_SUPPORTED},
	{139, U64, OF_LINK, "received_kib", NOT_SUPPORTED},
	{142, U32, OF_GPU, "rows_remapped_corrected", 0},
	{143, U32, OF_GPU, "rows_remapped_uncorrected", 0},
	{144, U32, OF_GPU, "remap_pending", 0},
	{145, U32, OF_GPU, "remap_failed", 0},
	{164, U32, OF_LINK, "speed_mbps", 26562},
	{165, U32, OF_LINK, "state", 1},
	{166, U32, OF_LINK, "version", 4},
	{169, U32, OF_GPU, "pcie_recoveries", 0},
	{170, U32, OF_GPU, "c2c_links", NOT_SUPPORTED},
	{173, U32, OF_GPU, "pcie_correctable", 0},
	{179, U32, OF_GPU, "pcie_nonfatal", 0},
	{180, U32, OF_GPU, "pcie_fatal", 0},
	{185, U32, OF_GPU, "power_mw", 68000},
	{186, U32, OF_GPU, "power_mw", 68000},
	{193, S32, OF_GPU, "margin_shutdown_c", NOT_SUPPORTED},
	{194, S32, OF_GPU, "margin_slowdown_c", NOT_SUPPORTED},
	{195, S32, OF_GPU, "margin_memory_max_c", NOT_SUPPORTED},
	{196, S32, OF_GPU, "margin_max_c", NOT_SUPPORTED},
	{197, U64, OF_GPU, "pcie_sent_bytes", NOT_SUPPORTED},
	{198, U64, OF_GPU, "pcie_received_bytes", NOT_SUPPORTED},
	{202, U64, OF_LINKS, "links_sent_bytes", NOT_SUPPORTED},
	{204, U64, OF_LINKS, "links_received_bytes", NOT_SUPPORTED},
	{206, U64, OF_LINK, "malformed", NOT_SUPPORTED},
	{207, U64, OF_LINK, "overruns", NOT_SUPPORTED},
	{208, U64, OF_LINK, "receive_errors", NOT_SUPPORTED},
	{209, U64, OF_LINK, "remote_errors", NOT_SUPPORTED},
	{210, U64, OF_LINK, "general_errors", NOT_SUPPORTED},
	{211, U64, OF_LINK, "integrity_errors", NOT_SUPPORTED},
	{213, U64, OF_LINK, "recoveries", NOT_SUPPORTED},
	{214, U64, OF_LINK, "failed_recoveries", NOT_SUPPORTED},
	{230, U32, OF_GPU, "recovery_action", 0},
	{251, U64, OF_GPU, "throttled_ns", NOT_SUPPORTED},
	{252, U64, OF_GPU, "hw_throttled_ns", NOT_SUPPORTED},
	{253, U64, OF_GPU, "braked_ns", NOT_SUPPORTED},
	{269, U64, OF_GPU, "throttled_ns", NOT_SUPPORTED},
	{270, U64, OF_GPU, "hw_throttled_ns", NOT_SUPPORTED},
	{271, U64, OF_GPU, "braked_ns", NOT_SUPPORTED},
};

/* Fields that came with a branch of the driver, or had another number in some. */
static const struct {
	u32 first, last;
	int since, until;
} field_branches[] = {
	{197, 198, 555, 9999},
	{251, 253, 575, 589},
	{269, 271, 590, 9999},
};

static bool has_field(u32 field)
{
	const char *version = "";
	int branch;

	tell_text(machine.said, "driver_version", "550.54.14", &version);
	branch = atoi(version);
	for (size_t i = 0; i < sizeof(field_branches) / sizeof(*field_branches); i++)
		if (field >= field_branches[i].first && field <= field_branches[i].last)
			return branch >= field_branches[i].since && branch <= field_branches[i].until;
	return true;
}

static void put_value(struct field_value *entry, enum value_type type, long long value)
{
	entry->type = (int)type;
	entry->value.u64 = 0;
	if (type == F64)
		entry->value.f64 = (double)value;
	else if (type == U32 || type == S32)
		entry->value.u32 = (u32)value;
	else
		entry->value.s64 = value;
}

static bool is_narrow(const struct gpu *gpu, u32 field)
{
	return (field == 197 || field == 198) && cJSON_IsTrue(item(gpu->said, "pcie_counts_32_bits"));
}

static int known_field(const struct gpu *gpu, struct field_value *entry)
{
	long long value = 0;
	int error = NVML_NOT_SUPPORTED;

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		const cJSON *links = item(gpu->said, "nvlinks");
		const cJSON *link = cJSON_GetArrayItem(links, (int)entry->scope);

		if (fields[i].field != entry->field || !has_field(entry->field))
			continue;
		if (fields[i].of == OF_POLICY)
			error = violation(gpu, (u32)atoi(fields[i].key), &value);
		else if (fields[i].of == OF_LINKS && entry->scope != UINT32_MAX)
			error = NVML_INVALID_ARGUMENT;
		else if (fields[i].of == OF_GPU || fields[i].of == OF_LINKS)
			error = tell(gpu->said, fields[i].key, fields[i].otherwise, &value);
		else if (link)
			error = tell(link, fields[i].key, fields[i].otherwise, &value);
		else
			error = cJSON_GetArraySize(links) ? NVML_INVALID_ARGUMENT : NVML_NOT_SUPPORTED;
		if (!error)
			put_value(entry, is_narrow(gpu, entry->field) ? U32 : fields[i].type, value);
	}
	return error;
}

static int field_value(const struct gpu *gpu, struct field_value *entry)
{
	char name[32], *number = name + strlen("NVML field "), detail[16];
	const cJSON *said;
	long long value = 0;
	int error;

	snprintf(name, sizeof(name), "NVML field %u", entry->field);
	snprintf(detail, sizeof(detail), "%u", entry->scope);
	log_call(name, gpu, detail);
	error = fault_of(name, gpu, detail);
	if (error)
		return error;
	said = item(item(gpu->said, "fields"), number);
	if (!said)
		return known_field(gpu, entry);
	error = tell_item(said, 0, &value);
	if (!error)
		put_value(entry, U64, value);
	return error;
}

API(nvmlDeviceGetFieldValues, device_t device, int count, struct field_value *values)
{
	const struct gpu *gpu;
	int error = enter_gpu(__func__, device, "", &gpu);

	_Static_assert(sizeof(struct field_value) == 40, "as nvml.h lays it out");
	if (!error && (count <= 0 || !values))
		error = misuse(__func__, "count", NVML_INVALID_ARGUMENT);
	for (int i = 0; !error && i < count; i++) {
		values[i].timestamp_us = (long long)(seconds_now() * 1e6);
		values[i].error = field_value(gpu, &values[i]);
	}
	return error;
}

/* ---- events: none comes */

enum { SUPPORTED_EVENTS = 0xffff };

API(nvmlEventSetCreate, void **set)
{
	int error = enter(__func__, NULL, "");

	if (!error)
		*set = &machine;
	return error;
}

LARGE(nvmlDeviceGetSupportedEventTypes, "event_types", SUPPORTED_EVENTS)

API(nvmlDeviceRegisterEvents, device_t device, u64 types, void *set)
{
	const struct gpu *gpu;
	int error = enter_gpu(__func__, device, "", &gpu);

	if (!error && (set != &machine || types & ~(u64)SUPPORTED_EVENTS))
		error = misuse(__func__, "events", NVML_INVALID_ARGUMENT);
	return error;
}

static int wait_event(const char *call, void *set, void *data, u32 timeout_ms)
{
	int error = enter(call, NULL, "");

	if (!error && (set != &machine || !data))
		error = misuse(call, "set", NVML_INVALID_ARGUMENT);
	if (!error)
		wait_us(1e3 * timeout_ms);
	return error ? error : NVML_TIMEOUT;
}

API(nvmlEventSetWait_v2, void *set, void *data, u32 timeout_ms)
{
	return wait_event(__func__, set, data, timeout_ms);
}

API(nvmlEventSetWait, void *set, void *data, u32 timeout_ms)
{
	return wait_event(__func__, set, data, timeout_ms);
}

API(nvmlEventSetFree, void *set)
{
	int error = enter(__func__, NULL, "");

	return !error && set != &machine ? misuse(__func__, "set", NVML_INVALID_ARGUMENT) : error;
}

/* ---- layouts, as nvml.h has them */

_Static_assert(sizeof(struct pci_info) == 68, "nvmlPciInfo_t");
_Static_assert(sizeof(struct pci_info_ext) == 64, "nvmlPciInfoExt_v1_t");
_Static_assert(sizeof(struct memory_v2) == 40, "nvmlMemory_v2_t");
_Static_assert(sizeof(struct process) == 32, "nvmlProcessDetail_v1_t");
_Static_assert(sizeof(struct process_list) == 24, "nvmlProcessDetailList_v1_t");
_Static_assert(sizeof(struct sram_status) == 104, "nvmlEccSramErrorStatus_v1_t");
_Static_assert(sizeof(struct clock_monitor) == 264, "nvmlClkMonStatus_t");
_Static_assert(sizeof(struct thermal_settings) == 64, "nvmlGpuThermalSettings_t");
_Static_assert(sizeof(struct fabric_v1) == 28, "nvmlGpuFabricInfo_t");
_Static_assert(sizeof(struct attributes) == 40, "nvmlDeviceAttributes_t");
_Static_assert(sizeof(struct excluded) == 148, "nvmlExcludedDeviceInfo_t");
_Static_assert(sizeof(struct uuid) == 52, "nvmlUUID_v1_t");
_Static_assert(sizeof(struct branch) == 84, "nvmlSystemDriverBranchInfo_v1_t");
