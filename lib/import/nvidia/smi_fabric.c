// SPDX-License-Identifier: GPL-2.0-or-later
/* smi_fabric.c - the health of a GPU's place in the NVSwitch fabric, from nvidia-smi -q of drivers 570 and later. */
#include "base/compat.h"
#include "import/nvidia/smi_gpu.h"

/* What is wrong, in the words of the field, where a line says what it says when it is wrong. */
static const struct { const char *text, *xml, *bad, *good, *word; } troubles[] = {
	{ "health/bandwidth", "health/bandwidth", "Degraded", "Full", "degraded-bandwidth" },
	{ "health/route recovery in progress", "health/route_recovery_in_progress", "True", "False", "route-recovery" },
	{ "health/route unhealthy", "health/route_unhealthy", "True", "False", "route-unhealthy" },
	{ "health/access timeout recovery", "health/access_timeout_recovery", "True", "False", "access-timeout" },
};

/* Why its configuration is wrong, as the driver words it: the words begin so. */
static const char *const wrong[] = {
	"Incorrect", "No Partition", "Insufficient", "Incompatible", "Invalid", "GPU State",
};

static bool is_path(const char *path, const char *end)
{
	size_t len = strlen(path), end_len = strlen(end);

	/* Without indentation the section around it is not known; no other has one of that name with these keys. */
	return !strcmp(path, end) || (len > end_len && !strcmp(path + len - end_len, end) && strstr(path, "fabric/"));
}

static bool add_word(struct reading *reading, struct smi_gpu *at, const char *word, struct dump_line *line)
{
	struct val_str *health = &at->gpu->nvml.fabric_health;
	const char *before = str_or(*health, "healthy");

	if (word && strcmp(before, "healthy") != 0)
		word = arena_printf(reading->arena, "%s, %s", before, word);
	put(reading, line, *health, val_str(word ? word : before));
	return true;
}

/* The sum of it (driver 580 and later) tells more only where no line says what is wrong. */
static bool take_summary(struct reading *reading, struct smi_gpu *at, const char *value, struct dump_line *line)
{
	static const struct { const char *value, *word; } bad[] = {
		{ "Unhealthy", "unhealthy" }, { "Limited Capacity", "limited-capacity" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		if (strcasecmp(value, bad[i].value) != 0)
			continue;
		at->fabric_summary = bad[i].word;
		at->fabric_summary_line = line;
		line->is_taken = true;
		return true;
	}
	return !strcasecmp(value, "Healthy") && add_word(reading, at, NULL, line);
}

void smi_fabric_end(struct reading *reading, struct smi_gpu *at)
{
	struct val_str *health = &at->gpu->nvml.fabric_health;

	if (at->fabric_summary && !strcmp(str_or(*health, "healthy"), "healthy"))
		put(reading, at->fabric_summary_line, *health, val_str(at->fabric_summary));
}

bool smi_take_fabric_health(struct reading *reading, struct smi_gpu *at, const char *path, const char *value,
			    struct dump_line *line)
{
	for (size_t i = 0; i < ARRAY_SIZE(troubles); i++) {
		if (!is_path(path, troubles[i].text) && !is_path(path, troubles[i].xml))
			continue;
		if (!strcasecmp(value, troubles[i].bad))
			return add_word(reading, at, troubles[i].word, line);
		return !strcasecmp(value, troubles[i].good) && add_word(reading, at, NULL, line);
	}
	if (is_path(path, "health/summary"))
		return take_summary(reading, at, value, line);
	if (!is_path(path, "health/incorrect configuration") && !is_path(path, "health/incorrect_configuration"))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		if (!strncasecmp(value, wrong[i], strlen(wrong[i])))
			return add_word(reading, at, "wrong-configuration", line);
	return !strcasecmp(value, "None") && add_word(reading, at, NULL, line);
}
