// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/program/error_back.h"

#include "base/text.h"
#include "base/text_scan.h"

enum { MOST_LISTED = 16 };	/* GPUs below a line that says what they have in common */

/* of: what a failure says that ends so; with: what the line that ends it says, too. NULL: whatever it is. */
static const struct { const char *key, *text, *with, *of; } ends[] = {
	{ "license", "License acquired successfully", NULL, NULL },
	{ "license", "License renewed successfully", NULL, NULL },
	{ "fabric", "Started NVIDIA fabric manager service", NULL, NULL },
	{ "fabric", "Started nvidia-fabricmanager.service", NULL, NULL },
	{ "fabric-unit", "Started NVIDIA fabric manager service", NULL, NULL },
	{ "fabric-unit", "Started nvidia-fabricmanager.service", NULL, NULL },
	{ "persistenced", "Started NVIDIA Persistence Daemon", NULL, NULL },
	{ "persistenced", "Started nvidia-persistenced.service", NULL, NULL },
	{ "persistenced-ended", "Started NVIDIA Persistence Daemon", NULL, NULL },
	{ "persistenced-ended", "Started nvidia-persistenced.service", NULL, NULL },
	{ "persistenced-ended", "]: Started (", "nvidia-persistenced", NULL },
	/* It was asked to, or the machine ends: of a start that takes too long systemd says that the unit failed. */
	{ "persistenced-ended", "Stopped NVIDIA Persistence Daemon", NULL, NULL },
	{ "persistenced-ended", "Stopped nvidia-persistenced.service", NULL, NULL },
	{ "persistenced-ended", "nvidia-persistenced.service: Deactivated successfully", NULL, NULL },
	{ "persistenced-ended", "System is rebooting", NULL, NULL },
	{ "persistenced-ended", "System is powering down", NULL, NULL },
	{ "plugin-unregistered", "Registered device plugin for '", NULL, NULL },
	{ "plugin-unregistered", "gpu: Registered with kubelet", NULL, "Registration failed" },
	{ "xserver", "NVIDIA(0): NVIDIA GPU ", NULL, NULL },
	{ "mig", "MIG configuration applied successfully", NULL, NULL },
	{ "mig", "mig.config.state' node label to 'success'", NULL, NULL },
	{ "not-reset", " was successfully reset", NULL, NULL },
	/* A server that was started once more, and finds its GPU. */
	{ "on-cpu", "library=cuda", "inference compute", "library=cpu" },
	{ "on-cpu", "library=rocm", "inference compute", "library=cpu" },
	{ "on-cpu", "library=vulkan", "inference compute", "library=cpu" },
	{ "on-cpu", "library=CUDA", "inference compute", "library=cpu" },
	{ "on-cpu", "library=ROCm", "inference compute", "library=cpu" },
	/* A miner that its own watchdog started again, and whose GPUs work. */
	{ "device-lost", " MH/s, [T:", "GPU #", "T-Rex has a problem with GPU" },
};

/* The word before "name[123]: " or "name: ", behind a stamp. */
static struct word host_of_log(const char *text)
{
	static const struct word none = { .at = NULL };
	const char *speaker = strstr(text, ": "), *before;
	struct word host;

	while (speaker && speaker > text && speaker[-1] != ' ')
		speaker--;
	host = host_before_speaker(text, speaker);
	if (!host.at || strspn(host.at, host_signs) != host.len)
		return none;
	before = host.at;
	while (before > text && before[-1] == ' ')
		before--;
	return before > text && (is_digit(before[-1]) || before[-1] == 'Z') ? host : none;
}

/* In a log of one; of several whose lines have no such beginning "(node gpu-2)". */
static struct word host_of(const char *text)
{
	static const char *const words[] = { "(node ", "node=" };
	struct word ret = host_of_log(text);

	for (size_t i = 0; !ret.at && i < ARRAY_SIZE(words); i++) {
		const char *at = strstr(text, words[i]);

		if (at)
			ret = word_of(at + strlen(words[i]), host_signs);
	}
	return ret;
}

/* "'nvidia.com/gpu'" */
static struct word resource_of(const char *text)
{
	for (const char *at = text; (at = strchr(at, '\'')); at++) {
		struct word ret = word_of(at + 1, host_signs), behind;

		if (!ret.at || ret.at[ret.len] != '/')
			continue;
		behind = word_of(ret.at + ret.len + 1, host_signs);
		if (behind.at && behind.at[behind.len] == '\'') {
			ret.len += 1 + behind.len;
			return ret;
		}
	}
	return (struct word){ .at = NULL };
}

/* Which resource, or which GPU by its address. */
static struct word subject_of(const char *key, const char *text)
{
	static const struct { const char *key, *before, *signs; } addresses[] = {
		{ "xserver", "PCI:", "0123456789:" }, { "not-reset", "GPU ", "0123456789abcdefABCDEF:." },
	};

	if (!strcmp(key, "plugin-unregistered"))
		return resource_of(text);
	for (size_t i = 0; i < ARRAY_SIZE(addresses); i++) {
		const char *at = strcmp(key, addresses[i].key) ? NULL : strstr(text, addresses[i].before);

		if (at)
			return word_of(at + strlen(addresses[i].before), addresses[i].signs);
	}
	return (struct word){ .at = NULL };
}

static struct ending ending_of(const char *key, const char *of, const struct dump_line *line)
{
	return (struct ending){ key, of, line, host_of(line->text), subject_of(key, line->text) };
}

static void read_line(struct ends_below *below, const struct dump_line *line)
{
	for (size_t k = 0; k < ARRAY_SIZE(ends); k++)
		if (strstr(line->text, ends[k].text) && (!ends[k].with || strstr(line->text, ends[k].with))) {
			struct ending end = ending_of(ends[k].key, ends[k].of, line);

			ends_below_add(below, &end);
		}
}

/* "The following GPUs could not be reset:", and each in a line of its own. */
static bool are_listed_over(const struct ends_below *below, const struct dump_part *part, const struct ending *failed)
{
	const struct dump_line *last = part->lines + part->nr_lines, *line = failed->line + 1;

	for (int i = 0; i < MOST_LISTED && line < last && text_begins(past_blanks(line->text), "GPU "); i++, line++) {
		struct ending listed = *failed;

		listed.subject = subject_of(failed->what, line->text);
		if (!ends_below_has(below, &listed, ENDS_WHERE_NAMED))
			return false;
	}
	return true;
}

/* systemctl's answer to whoever started it just now. */
static bool answers_command(const struct dump_line *line)
{
	return text_begins(past_blanks(line->text), "Job for ");
}

/* Does a line name the service of a key? */
static bool names_service(const char *key, const char *text)
{
	static const char *const fabric[] = { "fabricmanager", "fabric manager" };
	static const char *const persistenced[] = { "persistenced", "Persistence Daemon" };

	return text_begins(key, "fabric") ? text_has_any(text, fabric, ARRAY_SIZE(fabric)) :
					    text_has_any(text, persistenced, ARRAY_SIZE(persistenced));
}

/*
 * A journal below a command's answer may end before it: of all that the text tells below it, is the last that the
 * service was started, and not that it was stopped?
 */
static bool is_up_at_last(const struct reading *reading, const char *key, const struct dump_line *line)
{
	static const char *const up[] = { "Started ", "active (running)" };
	static const char *const down[] = { "Stopping ", "Stopped ", "Failed to start ", "Failed with result" };
	const struct dump_part *of = reading->part, *part = of;
	const struct dump_part *last = reading->parts ? reading->parts->v + reading->parts->nr : of + 1;
	bool ret = false, is_named = false;

	for (; part < last && !strcmp(part->file, of->file); part++)
		for (size_t i = 0; i < part->nr_lines; i++) {
			const char *text = part->lines[i].text;

			if (!line_is_below(&part->lines[i], line))
				continue;
			/* What systemctl status says of its state stands below the service's name. */
			is_named = names_service(key, text) || (is_named && *text);
			if (is_named && text_has_any(text, up, ARRAY_SIZE(up)))
				ret = true;
			if (is_named && text_has_any(text, down, ARRAY_SIZE(down)))
				ret = false;
		}
	return ret;
}

bool error_is_back(const struct reading *reading, struct ends_below **below, const char *key,
		   const struct dump_line *line)
{
	struct ending failed;
	size_t i = 0;

	while (i < ARRAY_SIZE(ends) && strcmp(key, ends[i].key) != 0)
		i++;
	if (i == ARRAY_SIZE(ends) || (answers_command(line) && !is_up_at_last(reading, key, line)))
		return false;
	ends_below_of(reading, below, read_line);
	failed = ending_of(key, NULL, line);
	return ends_below_has(*below, &failed, ENDS_WHERE_NAMED) &&
	       (failed.subject.at || are_listed_over(*below, reading->part, &failed));
}

bool error_ends_in(struct arena *arena, const struct dump_part *part, const char *key, const struct dump_line *line)
{
	struct ending failed = ending_of(key, NULL, line);

	return ends_below_has(ends_below_in(arena, part, read_line), &failed, ENDS_WHERE_NAMED);
}
