// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/intel/xpu_verdict.h"

/* Parts by their names in tables and JSON, without "gpu " before and " health" behind them. */
static const struct { const char *name, *category; } parts[] = {
	{ "core temperature", "temperature" },
	{ "memory temperature", "temperature" },
	{ "temperature", "temperature" },
	{ "power", "power" },
	{ "memory", "memory" },
	{ "xe link port", "link" },
	{ "fabric port", "link" },
	{ "frequency", "frequency" },
};

static const struct { const char *word, *status; } statuses[] = {
	{ "ok", "pass" }, { "pass", "pass" }, { "warning", "warn" }, { "critical", "fail" }, { "fail", "fail" },
	{ "unknown", "skip" },
};

static const char *status_of(const char *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++)
		if (!strncasecmp(text, statuses[i].word, strlen(statuses[i].word)))
			return statuses[i].status;
	return NULL;
}

/* "gpu power", "power health": "power" */
static const char *part_name(struct arena *arena, const char *section)
{
	static const char before[] = "gpu ", behind[] = " health";
	size_t len;

	section += strncmp(section, before, strlen(before)) ? 0 : strlen(before);
	len = strlen(section);
	if (len > strlen(behind) && !strcmp(section + len - strlen(behind), behind))
		len -= strlen(behind);
	return arena_strndup(arena, section, len);
}

static const char *category_of(const char *part)
{
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (!strcmp(part, parts[i].name))
			return parts[i].category;
	return NULL;
}

bool xpu_take_verdict(struct reading *reading, struct gpu *gpu, const char *section, const char *name,
		      const char *value, struct dump_line *line)
{
	bool is_part = !strcmp(name, "status") || !strcmp(name, "description");
	bool is_status = !strcmp(name, "status") || !strcmp(name, "result");
	const char *key = part_name(reading->arena, section), *category = is_part ? category_of(key) : NULL;
	struct diagnostic_result *to;

	if (!*key || (is_part && !category) ||
	    (!is_part && strcmp(name, "result") != 0 && strcmp(name, "message") != 0) ||
	    (is_status && !status_of(value)))
		return false;
	to = list_element(reading->arena, gpu, diagnostics, diagnostic_result, key);
	if (is_status)
		put(reading, line, to->status, val_str(status_of(value)));
	else if (*value)
		put(reading, line, to->words, val_str(arena_strdup(reading->arena, value)));
	if (category)
		put(reading, line, to->category, val_str(category));
	line->is_taken = true;
	return true;
}

void xpu_add_words(struct reading *reading, struct gpu *gpu, const char *section, const char *words,
		   struct dump_line *line)
{
	const char *key = part_name(reading->arena, section);
	struct diagnostic_result *to = list_find(gpu, diagnostics, diagnostic_result, key);

	if (!to || !is_known(to->words))
		return;
	to->words = val_str(arena_printf(reading->arena, "%s %s", str_or(to->words, ""), words));
	to->words.from = value_from(reading->part->number, line->number);
	line->is_taken = true;
}
