// SPDX-License-Identifier: GPL-2.0-or-later
/* nvml_identity.c - which GPU it is, and what firmware it runs. */
#include "base/compat.h"
#include "probe/nvidia/nvml_values.h"
#include "probe/read.h"

static struct val_str architecture_of(struct nvml_session *session)
{
	unsigned number = 0;
	int error = nvml_call(session, nvmlDeviceGetArchitecture, session->device, &number);

	if (!error && number == NVML_ALL_ONES_32)
		return no_str(VAL_ABSENT, "not known to the driver");
	/* Newer than this table: the number is kept. */
	if (!error && (number >= nvml_architectures.nr || !nvml_architectures.names[number]))
		return val_str(arena_printf(&session->sink->facts.arena, "%u", number));
	return nvml_enum(session, error, number, &nvml_architectures);
}

static struct val_str capability_of(struct nvml_session *session)
{
	int major = 0, minor = 0;
	int error = nvml_call(session, nvmlDeviceGetCudaComputeCapability, session->device, &major, &minor);
	struct val_head no = nvml_missing_value(error);

	if (error)
		return no_str(no.state, no.why);
	if (major < 1 || minor < 0)
		return no_str(VAL_ERROR, arena_printf(&session->sink->facts.arena, "reads %d.%d", major, minor));
	return val_str(arena_printf(&session->sink->facts.arena, "%d.%d", major, minor));
}

static void read_firmware(struct nvml_session *session, struct nvml_gpu *ret)
{
	struct arena *arena = &session->sink->facts.arena;
	char text[NVML_TEXT_BYTES] = "";
	unsigned number = 0, by_default = 0;
	int error;

	ret->vbios = checked_version(arena, TEXT(session, nvmlDeviceGetVbiosVersion));
	ret->inforom = TEXT(session, nvmlDeviceGetInforomImageVersion);
	error = nvml_call(session, nvmlDeviceGetGspFirmwareVersion, session->device, text);
	ret->gsp_firmware = checked_version(arena, nvml_text(session, error, text, sizeof(text)));
	error = nvml_call(session, nvmlDeviceGetGspFirmwareMode, session->device, &number, &by_default);
	ret->gsp_enabled = nvml_bool(session, error, number);
	error = nvml_call(session, nvmlDeviceGetVirtualizationMode, session->device, &number);
	ret->virtualization = nvml_enum(session, error, number, &nvml_virtualization_modes);
}

void nvml_read_identity(struct nvml_session *session)
{
	struct nvml_gpu *ret = &nvml_facts(session)->nvml;
	char text[NVML_TEXT_BYTES] = "";
	unsigned number = 0;

	ret->index = NUMBER(session, nvmlDeviceGetIndex);
	ret->name = TEXT(session, nvmlDeviceGetName);
	ret->uuid = TEXT(session, nvmlDeviceGetUUID);
	ret->serial = TEXT(session, nvmlDeviceGetSerial);
	ret->part_number = TEXT(session, nvmlDeviceGetBoardPartNumber);
	ret->board_id = NUMBER(session, nvmlDeviceGetBoardId);
	ret->module_id = NUMBER(session, nvmlDeviceGetModuleId);
	ret->minor = NUMBER(session, nvmlDeviceGetMinorNumber);
	ret->architecture = architecture_of(session);
	ret->compute_capability = capability_of(session);
	ret->cores = NUMBER(session, nvmlDeviceGetNumGpuCores);
	read_firmware(session, ret);
	nvml_flush(session);
}
