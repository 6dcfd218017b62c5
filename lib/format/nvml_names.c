// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "format/nvml_names.h"

#include "base/strbuf.h"

/* nvmlReturn_t */
enum { LAST_NAMED_ERROR = 30, UNKNOWN_ERROR = 999 };
static const char *const error_names[LAST_NAMED_ERROR + 1] = {
	[1] = "NVML_ERROR_UNINITIALIZED",
	[2] = "NVML_ERROR_INVALID_ARGUMENT",
	[3] = "NVML_ERROR_NOT_SUPPORTED",
	[4] = "NVML_ERROR_NO_PERMISSION",
	[5] = "NVML_ERROR_ALREADY_INITIALIZED",
	[6] = "NVML_ERROR_NOT_FOUND",
	[7] = "NVML_ERROR_INSUFFICIENT_SIZE",
	[8] = "NVML_ERROR_INSUFFICIENT_POWER",
	[9] = "NVML_ERROR_DRIVER_NOT_LOADED",
	[10] = "NVML_ERROR_TIMEOUT",
	[11] = "NVML_ERROR_IRQ_ISSUE",
	[12] = "NVML_ERROR_LIBRARY_NOT_FOUND",
	[13] = "NVML_ERROR_FUNCTION_NOT_FOUND",
	[14] = "NVML_ERROR_CORRUPTED_INFOROM",
	[15] = "NVML_ERROR_GPU_IS_LOST",
	[16] = "NVML_ERROR_RESET_REQUIRED",
	[17] = "NVML_ERROR_OPERATING_SYSTEM",
	[18] = "NVML_ERROR_LIB_RM_VERSION_MISMATCH",
	[19] = "NVML_ERROR_IN_USE",
	[20] = "NVML_ERROR_MEMORY",
	[21] = "NVML_ERROR_NO_DATA",
	[22] = "NVML_ERROR_VGPU_ECC_NOT_SUPPORTED",
	[23] = "NVML_ERROR_INSUFFICIENT_RESOURCES",
	[24] = "NVML_ERROR_FREQ_NOT_SUPPORTED",
	[25] = "NVML_ERROR_ARGUMENT_VERSION_MISMATCH",
	[26] = "NVML_ERROR_DEPRECATED",
	[27] = "NVML_ERROR_NOT_READY",
	[28] = "NVML_ERROR_GPU_NOT_FOUND",
	[29] = "NVML_ERROR_INVALID_STATE",
	[30] = "NVML_ERROR_RESET_TYPE_NOT_SUPPORTED",
};

const char *nvml_error_name(int error)
{
	if (error == UNKNOWN_ERROR)
		return "NVML_ERROR_UNKNOWN";
	return error > 0 && error <= LAST_NAMED_ERROR ? error_names[error] : NULL;
}

const char *nvml_reason_names(struct arena *arena, uint64_t reasons)
{
	static const char *const names[] = {
		"GpuIdle", "ApplicationsClocksSetting", "SwPowerCap", "HwSlowdown", "SyncBoost", "SwThermalSlowdown",
		"HwThermalSlowdown", "HwPowerBrakeSlowdown", "DisplayClockSetting",
	};
	STRBUF_AUTO text = STRBUF_INIT;

	for (unsigned bit = 0; bit < ARRAY_SIZE(names); bit++)
		if (reasons >> bit & 1)
			strbuf_addf(&text, "%s%s", text.len ? ", " : "", names[bit]);
	reasons &= ~((UINT64_C(1) << ARRAY_SIZE(names)) - 1);
	if (reasons)
		strbuf_addf(&text, "%s0x%llx", text.len ? ", " : "", (unsigned long long)reasons);
	return text.len ? arena_strdup(arena, text.buf) : "none";
}

/* nvmlGpuFabricState_t */
const struct nvml_names nvml_fabric_states = {
	.nr = 4, .names = { "not-supported", "not-started", "in-progress", "completed" },
};

/* nvmlIntNvLinkDeviceType_t */
const struct nvml_names nvml_link_kinds = {
	.nr = 3, .names = { "gpu", "npu", "switch" },
};

/* nvmlDeviceGpuRecoveryAction_t */
const struct nvml_names nvml_recovery_actions = {
	.nr = 6, .names = { "none", "reset-gpu", "reboot-node", "drain-p2p", "drain-and-reset", "recover-imex" },
};

/* NVML_DEVICE_ARCH_* */
const struct nvml_names nvml_architectures = {
	.nr = 14, .names = {
		[2] = "Kepler", [3] = "Maxwell", [4] = "Pascal", [5] = "Volta", [6] = "Turing", [7] = "Ampere",
		[8] = "Ada", [9] = "Hopper", [10] = "Blackwell", [13] = "Rubin",
	},
};

/* nvmlGpuVirtualizationMode_t */
const struct nvml_names nvml_virtualization_modes = {
	.nr = 5, .names = { "none", "passthrough", "vgpu", "host-vgpu", "host-vsga" },
};

/* nvmlComputeMode_t */
const struct nvml_names nvml_compute_modes = {
	.nr = 4, .names = { "default", "exclusive-thread", "prohibited", "exclusive-process" },
};

/* nvmlDeviceAddressingModeType_t */
const struct nvml_names nvml_addressing_modes = {
	.nr = 3, .names = { "none", "hmm", "ats" },
};

const struct nvml_names nvml_link_states = {
	.nr = 2, .names = { "inactive", "active", [NVML_LINK_SLEEPS] = "sleep" },
};
