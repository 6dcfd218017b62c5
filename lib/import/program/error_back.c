// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/program/error_back.h"

#include "import/dump/log_time.h"
#include "import/program/service_back.h"

#include "base/text.h"
#include "base/text_scan.h"

enum {
	MOST_ENDS = 64,		/* of a log of several nodes */
	MOST_BELOW = 16384,	/* lines of further parts that are gone through */
	MOST_LISTED = 16,	/* GPUs below a line that says what they have in common */
};

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
	/* A miner that its own watchdog started again, and whose GPUs work. */
	{ "device-lost", " MH/s, [T:", "GPU #", "T-Rex has a problem with GPU" },
};

/* A word of a line. */
struct word {
	const char *at;		/* NULL: it has none */
	size_t len;
};

struct end {
	const char *key, *of;
	const struct dump_line *line;
	struct word host, subject;
};

struct error_back {
	struct end v[MOST_ENDS];
	size_t nr;
};

static bool is_same(struct word a, struct word b)
{
	return a.len == b.len && !memcmp(a.at ? a.at : "", b.at ? b.at : "", a.len);
}

static bool may_be_same(struct word a, struct word b)
{
	return !a.at || !b.at || is_same(a, b);
}

static struct word word_of(const char *at, const char *signs)
{
	struct word ret = { at, strspn(at, signs) };

	return ret.len ? ret : (struct word){ .at = NULL };
}

static const char name_signs[] = "abcdefghijklmnopqrstuvwxyz"
				 "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

/* The word before "name[123]: " or "name: ", behind a stamp. */
static struct word host_of_log(const char *text)
{
	static const struct word none = { .at = NULL };
	const char *speaker = strstr(text, ": "), *before;
	struct word host;

	while (speaker && speaker > text && speaker[-1] != ' ')
		speaker--;
	host.at = host_before(text, speaker, &host.len);
	if (!host.at || strspn(host.at, name_signs) != host.len)
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
			ret = word_of(at + strlen(words[i]), name_signs);
	}
	return ret;
}

/* "'nvidia.com/gpu'" */
static struct word resource_of(const char *text)
{
	for (const char *at = text; (at = strchr(at, '\'')); at++) {
		struct word ret = word_of(at + 1, name_signs), behind;

		if (!ret.at || ret.at[ret.len] != '/')
			continue;
		behind = word_of(ret.at + ret.len + 1, name_signs);
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

static struct end end_of(const char *key, const char *of, const struct dump_line *line)
{
	return (struct end){ key, of, line, host_of(line->text), subject_of(key, line->text) };
}

/* Of ends of the same, the last is below what any of them is below. */
static void add_end(struct error_back *back, const struct end *end)
{
	size_t i = 0;

	while (i < back->nr && (strcmp(back->v[i].key, end->key) || back->v[i].of != end->of ||
				back->v[i].line->label != end->line->label ||
				!is_same(back->v[i].host, end->host) || !is_same(back->v[i].subject, end->subject)))
		i++;
	if (i == MOST_ENDS)
		return;
	back->nr += i == back->nr;
	back->v[i] = *end;
}

static void read_part(struct error_back *back, const struct dump_part *part)
{
	for (size_t i = 0; i < part->nr_lines; i++)
		for (size_t k = 0; k < ARRAY_SIZE(ends); k++)
			if (strstr(part->lines[i].text, ends[k].text) &&
			    (!ends[k].with || strstr(part->lines[i].text, ends[k].with))) {
				struct end end = end_of(ends[k].key, ends[k].of, &part->lines[i]);

				add_end(back, &end);
			}
}

static bool is_of_same(const struct dump_part *part, const struct dump_part *of)
{
	return !part->host.text || !of->host.text || !strcmp(part->host.text, of->host.text);
}

static struct error_back *read_below(const struct reading *reading)
{
	struct error_back *back = arena_alloc(reading->arena, sizeof(*back));
	const struct dump_part *of = reading->part, *part = of;
	const struct dump_part *last = reading->parts ? reading->parts->v + reading->parts->nr : of + 1;
	size_t nr_below = 0;

	back->nr = 0;
	for (; part < last && nr_below < MOST_BELOW && !strcmp(part->file, of->file); part++) {
		nr_below += part == of ? 0 : part->nr_lines;
		if (is_of_same(part, of))
			read_part(back, part);
	}
	return back;
}

static bool ends_it(const struct end *end, const struct end *failed)
{
	return !strcmp(end->key, failed->key) && (!end->of || strstr(failed->line->text, end->of)) &&
	       line_is_below(end->line, failed->line) &&
	       (!end->line->label || !failed->line->label || end->line->label == failed->line->label) &&
	       may_be_same(end->host, failed->host) && may_be_same(end->subject, failed->subject);
}

static bool is_over(const struct error_back *back, const struct end *failed)
{
	for (size_t i = 0; i < back->nr; i++)
		if (ends_it(&back->v[i], failed))
			return true;
	return false;
}

/* "The following GPUs could not be reset:", and each in a line of its own. */
static bool are_listed_over(const struct error_back *back, const struct dump_part *part, const struct end *failed)
{
	const struct dump_line *last = part->lines + part->nr_lines, *line = failed->line + 1;

	for (int i = 0; i < MOST_LISTED && line < last && text_begins(past_blanks(line->text), "GPU "); i++, line++) {
		struct end listed = *failed;

		listed.subject = subject_of(failed->key, line->text);
		if (!is_over(back, &listed))
			return false;
	}
	return true;
}

bool error_is_back(const struct reading *reading, struct error_back **back, const char *key,
		   const struct dump_line *line)
{
	struct end failed;
	size_t i = 0;

	while (i < ARRAY_SIZE(ends) && strcmp(key, ends[i].key) != 0)
		i++;
	if (i == ARRAY_SIZE(ends))
		return false;
	*back = *back ? *back : read_below(reading);
	failed = end_of(key, NULL, line);
	return is_over(*back, &failed) && (failed.subject.at || are_listed_over(*back, reading->part, &failed));
}

bool error_ends_in(const struct dump_part *part, const char *key, const struct dump_line *line)
{
	struct error_back back = { .nr = 0 };
	struct end failed = end_of(key, NULL, line);

	read_part(&back, part);
	return is_over(&back, &failed);
}
