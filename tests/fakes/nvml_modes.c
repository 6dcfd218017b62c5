// SPDX-License-Identifier: GPL-2.0-or-later
/* nvml_modes.c - modes and firmware. See nvml.c. */
#include "nvml_answer.h"

#include <string.h>

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
