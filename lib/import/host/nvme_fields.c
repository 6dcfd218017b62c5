// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/host/nvme_fields.h"

#include <stddef.h>

struct val_u64 *nvme_field(struct nvme_health *health, const char *name, size_t len)
{
	/*
	 * nvme as text and JSON, smartctl as text and JSON. Of its two blanks one is left where blanks were squeezed.
	 */
	static const struct { const char *name; size_t offset; } fields[] = {
		{ "critical_warning", offsetof(struct nvme_health, critical_warning) },
		{ "Critical Warning", offsetof(struct nvme_health, critical_warning) },
		{ "available_spare", offsetof(struct nvme_health, spare_percent) },
		{ "avail_spare", offsetof(struct nvme_health, spare_percent) },
		{ "Available Spare", offsetof(struct nvme_health, spare_percent) },
		{ "available_spare_threshold", offsetof(struct nvme_health, spare_threshold_percent) },
		{ "spare_thresh", offsetof(struct nvme_health, spare_threshold_percent) },
		{ "Available Spare Threshold", offsetof(struct nvme_health, spare_threshold_percent) },
		{ "percentage_used", offsetof(struct nvme_health, used_percent) },
		{ "percent_used", offsetof(struct nvme_health, used_percent) },
		{ "Percentage Used", offsetof(struct nvme_health, used_percent) },
		{ "media_errors", offsetof(struct nvme_health, media_errors) },
		{ "Media and Data Integrity Errors", offsetof(struct nvme_health, media_errors) },
		{ "power_on_hours", offsetof(struct nvme_health, power_on_hours) },
		{ "Power On Hours", offsetof(struct nvme_health, power_on_hours) },
		{ "unsafe_shutdowns", offsetof(struct nvme_health, unsafe_shutdowns) },
		{ "Unsafe Shutdowns", offsetof(struct nvme_health, unsafe_shutdowns) },
		{ "Warning Temperature Time", offsetof(struct nvme_health, hot_minutes) },
		{ "Warning  Comp. Temperature Time", offsetof(struct nvme_health, hot_minutes) },
		{ "Warning Comp. Temperature Time", offsetof(struct nvme_health, hot_minutes) },
		{ "warning_temp_time", offsetof(struct nvme_health, hot_minutes) },
		{ "Critical Composite Temperature Time", offsetof(struct nvme_health, too_hot_minutes) },
		{ "Critical Comp. Temperature Time", offsetof(struct nvme_health, too_hot_minutes) },
		{ "critical_comp_time", offsetof(struct nvme_health, too_hot_minutes) },
	};

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (strlen(fields[i].name) == len && !memcmp(fields[i].name, name, len))
			return (struct val_u64 *)(void *)((char *)health + fields[i].offset);
	return NULL;
}

struct nvme_controller *nvme_answered(struct reading *reading, struct dump_line *line, const char *name)
{
	struct nvme_controller *controller =
		list_element(reading->arena, reading->snapshot, nvme_controllers, nvme_controller, name);

	if (!is_known(controller->state))
		put(reading, line, controller->state, val_str("live"));
	return controller;
}

void nvme_put_temperature(struct reading *reading, struct dump_line *line, struct nvme_health *health, double celsius)
{
	enum { COLDEST_C = -60, HOTTEST_C = 200 };

	if (celsius > COLDEST_C && celsius < HOTTEST_C)
		put(reading, line, health->temperature_c, val_f64(celsius));
}
