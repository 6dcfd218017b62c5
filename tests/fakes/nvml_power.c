// SPDX-License-Identifier: GPL-2.0-or-later
/* nvml_power.c - temperature, power and fans. See nvml.c. */
#include "nvml_answer.h"

#include <stdio.h>

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

API(nvmlDeviceGetNumFans, device_t device, u32 *count)
{
	const struct gpu *gpu;
	int error = enter_gpu(__func__, device, "", &gpu);

	if (!error && !cJSON_IsArray(member(gpu->said, "fans")))
		error = NVML_NOT_SUPPORTED;
	if (!error)
		*count = (u32)cJSON_GetArraySize(member(gpu->said, "fans"));
	return error;
}

static int fan_speed(const char *call, device_t device, u32 fan, u32 *speed)
{
	DETAIL("%u", fan);
	const struct gpu *gpu;
	long long value;
	int error = enter_gpu(call, device, detail, &gpu);

	if (!error)
		error = tell_item(cJSON_GetArrayItem(member(gpu->said, "fans"), (int)fan), NOT_SUPPORTED, &value);
	if (!error)
		*speed = (u32)value;
	return error;
}

API(nvmlDeviceGetFanSpeed_v2, device_t device, u32 fan, u32 *speed)
{
	return fan_speed(__func__, device, fan, speed);
}

_Static_assert(sizeof(struct thermal_settings) == 64, "nvmlGpuThermalSettings_t");
