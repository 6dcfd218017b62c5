// SPDX-License-Identifier: GPL-2.0-or-later
/* nvml_identity.c - which GPU it is, and what firmware it runs. */
#include "base/compat.h"
#include "probe/nvidia/nvml_values.h"
#include "probe/read.h"

static struct val_str architecture_of(struct nvml_asked *asked)
{
	/* NVML_DEVICE_ARCH_* of CUDA 13.3 */
	static const char *const names[] = {
		[2] = "Kepler", [3] = "Maxwell", [4] = "Pascal", [5] = "Volta", [6] = "Turing", [7] = "Ampere",
		[8] = "Ada", [9] = "Hopper", [10] = "Blackwell", [13] = "Rubin",
	};
	unsigned number = 0;
	int error = nvml_ask(asked, nvmlDeviceGetArchitecture, asked->device, &number);

	if (!error && number == NVML_ALL_ONES_32)
		return no_str(VAL_ABSENT, "the driver does not know it");
	/* A newer one than this table: its number still tells. */
	if (!error && (number >= ARRAY_SIZE(names) || !names[number]))
		return val_str(arena_printf(&asked->sink->facts.arena, "%u", number));
	return nvml_word(asked, error, number, names, ARRAY_SIZE(names));
}

static struct val_str capability_of(struct nvml_asked *asked)
{
	int major = 0, minor = 0;
	int error = nvml_ask(asked, nvmlDeviceGetCudaComputeCapability, asked->device, &major, &minor);
	struct val_head no = nvml_no(error);

	if (error)
		return no_str(no.state, no.why);
	if (major < 1 || minor < 0)
		return no_str(VAL_ERROR, arena_printf(&asked->sink->facts.arena, "reads %d.%d", major, minor));
	return val_str(arena_printf(&asked->sink->facts.arena, "%d.%d", major, minor));
}

static void read_firmware(struct nvml_asked *asked, struct nvml_gpu *ret)
{
	/* nvmlGpuVirtualizationMode_t */
	static const char *const modes[] = { "none", "passthrough", "vgpu", "host-vgpu", "host-vsga" };
	struct arena *arena = &asked->sink->facts.arena;
	char text[NVML_TEXT_BYTES] = "";
	unsigned number = 0, by_default = 0;
	int error;

	ret->vbios = checked_version(arena, TEXT(asked, nvmlDeviceGetVbiosVersion));
	ret->inforom = TEXT(asked, nvmlDeviceGetInforomImageVersion);
	error = nvml_ask(asked, nvmlDeviceGetGspFirmwareVersion, asked->device, text);
	ret->gsp_firmware = checked_version(arena, nvml_text(asked, error, text, sizeof(text)));
	error = nvml_ask(asked, nvmlDeviceGetGspFirmwareMode, asked->device, &number, &by_default);
	ret->gsp_enabled = nvml_bool(asked, error, number);
	error = nvml_ask(asked, nvmlDeviceGetVirtualizationMode, asked->device, &number);
	ret->virtualization = nvml_word(asked, error, number, modes, ARRAY_SIZE(modes));
}

void nvml_read_identity(struct nvml_asked *asked)
{
	struct nvml_gpu *ret = &nvml_facts(asked)->nvml;
	char text[NVML_TEXT_BYTES] = "";
	unsigned number = 0;

	ret->index = NUMBER(asked, nvmlDeviceGetIndex);
	ret->name = TEXT(asked, nvmlDeviceGetName);
	ret->uuid = TEXT(asked, nvmlDeviceGetUUID);
	ret->serial = TEXT(asked, nvmlDeviceGetSerial);
	ret->part_number = TEXT(asked, nvmlDeviceGetBoardPartNumber);
	ret->board_id = NUMBER(asked, nvmlDeviceGetBoardId);
	ret->module_id = NUMBER(asked, nvmlDeviceGetModuleId);
	ret->minor = NUMBER(asked, nvmlDeviceGetMinorNumber);
	ret->architecture = architecture_of(asked);
	ret->compute_capability = capability_of(asked);
	ret->cores = NUMBER(asked, nvmlDeviceGetNumGpuCores);
	read_firmware(asked, ret);
	nvml_flush(asked);
}
