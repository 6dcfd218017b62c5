// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * module_failure.c - "modprobe: ERROR: could not insert 'NAME': REASON" and the like, of any module that a GPU's driver
 * has, and DKMS where it skips a build. What is said of nvidia and amdgpu themselves smi_failure.c and rocm_failure.c
 * read first.
 */
#include "base/compat.h"
#include "import/program/module_failure.h"

#include "import/dump/error_put.h"
#include "import/program/service_back.h"
#include "import/words/mention.h"

#include "base/text.h"
#include "base/text_scan.h"

enum { MOST_NAME = 64, MOST_REASON = 160, LINES_NEAR = 16, LINES_OF_OTHERS = 4 };

/* What stands before the module's name; "not found" stands behind it. */
static const struct { const char *text, *behind; } forms[] = {
	{ "could not insert '", NULL },
	{ "could not insert module ", NULL },
	{ "Failed to insert module '", NULL },
	{ "Failed to insert '", NULL },
	{ "Failed to find module '", "'" },
	{ "could not find module by name='", "'" },
	{ "module not found: '", "'" },
	{ "module not found: `", "'" },
	{ "Module ", " not found" },
	{ "can't load module ", NULL },
};

static const char build_of_kernel[] = "Module build for ", was_skipped[] = " was skipped";

enum part_played { OF_NOBODY, DRIVER, EXTRA };

/* "nvidia_340", "nvidia_current_drm", "nvidia_535_uvm": a distribution's package has its branch in the name. */
static bool is_of_driver(const char *name)
{
	static const char *const drivers[] = {
		"amdgpu", "i915", "xe", "nvidia", "nvidia_drm", "nvidia_modeset", "nvidia_uvm",
	};
	static const char *const branches[] = { "nvidia_current", "nvidia_legacy", "nvidia_tesla" };
	static const char *const besides[] = { "peermem", "vgpu", "_fs" };

	if (text_is_any(name, drivers, ARRAY_SIZE(drivers)))
		return true;
	return (text_begins_any(name, branches, ARRAY_SIZE(branches)) ||
		(text_begins(name, "nvidia_") && is_digit(name[strlen("nvidia_")]))) &&
	       !text_has_any(name, besides, ARRAY_SIZE(besides));
}

static enum part_played part_played_by(const char *name)
{
	static const char *const extra[] = { "gdrdrv",   "nv_peer_mem", "amdkcl", "amdttm",   "amd_sched",
					     "kvmgt",    "vfio_mdev",   "mdev",   "vfio_pci", "gim" };

	if (is_of_driver(name))
		return DRIVER;
	return text_begins(name, "nvidia") || text_is_any(name, extra, ARRAY_SIZE(extra)) ? EXTRA : OF_NOBODY;
}

/* Of a path the file, without ".ko.zst"; modprobe takes both marks for one. */
static const char *take_name(const char *at, char ret[MOST_NAME])
{
	size_t len = strcspn(at, "': ,"), nr = 0;
	const char *end = at + len;

	for (const char *next = at; next < end; next++)
		if (*next == '/')
			at = next + 1;
	for (; at < end && nr < MOST_NAME - 1 && strncmp(at, ".ko", 3) != 0; at++)
		ret[nr++] = *at == '-' ? '_' : *at;
	ret[nr] = '\0';
	return end;
}

/* Who loads it by hand may not do so, or it is loaded already. */
static bool is_of_caller(const char *reason)
{
	return strcasestr(reason, "Operation not permitted") || strstr(reason, "File exists");
}

static bool is_not_found(size_t form)
{
	return forms[form].behind;
}

/* "Module nvidia_drm not found in directory /lib/modules/…", with older ones "not found.". */
static bool fits_behind(const char *end, size_t form)
{
	const char *behind = forms[form].behind;

	if (!behind)
		return true;
	if (!text_begins(end, behind))
		return false;
	end += strlen(behind);
	return *behind != ' ' || !*end || *end == '.' || text_begins(end, " in directory");
}

struct failure {
	const char *at, *words;		/* NULL: none */
	bool is_driver;			/* without it the GPU has none */
};

/* Kernels lack Intel's drivers where nothing needs them. */
static bool is_lacking_by_choice(const char *name, size_t form)
{
	return is_not_found(form) && (!strcmp(name, "i915") || !strcmp(name, "xe"));
}

static struct failure load_failure_of(const char *text)
{
	const char *at = text;

	for (int i = 0; i < MOST_MENTIONS; i++) {
		char name[MOST_NAME];
		const char *end, *past;
		enum part_played played;
		size_t form;

		at = text_find_row(at, &forms[0].text, sizeof(*forms), ARRAY_SIZE(forms), false, &form);
		if (!at)
			break;
		end = take_name(at + strlen(forms[form].text), name);
		played = part_played_by(name);
		past = past_mention(text, at, (size_t)(end - at));
		if (!past && played != OF_NOBODY && !strstr(end, "File exists") && fits_behind(end, form))
			return (struct failure){
				at, forms[form].text,
				played == DRIVER && !is_of_caller(end) && !is_lacking_by_choice(name, form),
			};
		at = past ? past : at + 1;
	}
	return (struct failure){ .at = NULL };
}

/* ---- DKMS, as packages run it */

static const char *skip_of(const char *text)
{
	const char *at = strstr(text, build_of_kernel), *skipped = at ? strstr(at, was_skipped) : NULL;

	return skipped && !past_mention(text, at, (size_t)(skipped - at)) ? at : NULL;
}

/* "Loading new nvidia-535.129.03 DKMS files...", "Setting up nvidia-dkms-535 (535.129.03) ...": whose build it is. */
static const char *whose_build(const char *text)
{
	const char *name = scan_behind(text, "Loading new ");

	if (name && strstr(name, " DKMS files"))
		return name;
	name = scan_behind(text, "Setting up ");
	return name && strstr(name, "dkms") ? name : NULL;
}

static bool is_of_gpu(const char *package)
{
	static const char *const names[] = { "nvidia", "amdgpu", "i915", "fglrx", "rocm", "rock-" };

	return text_has_any(package, names, ARRAY_SIZE(names));
}

/* That kernel has none, and another one has. */
static bool is_built_for_other(const struct dump_line *lines, size_t nr)
{
	for (size_t i = 1; i < nr && i <= LINES_OF_OTHERS; i++)
		if (text_begins(past_blanks(lines[i].text), "Building initial module for "))
			return true;
	return false;
}

static struct failure build_failure_of(const struct dump_part *part, size_t at)
{
	struct failure ret = { skip_of(part->lines[at].text), build_of_kernel, false };

	for (size_t i = 1; ret.at && i <= LINES_NEAR && i <= at; i++) {
		const char *package = whose_build(part->lines[at - i].text);

		if (!package)
			continue;
		if (!is_of_gpu(package))
			return (struct failure){ .at = NULL };
		ret.is_driver = !is_built_for_other(&part->lines[at], part->nr_lines - at);
		break;
	}
	return ret;
}

bool module_failure_begins(const struct dump_line *lines, size_t nr)
{
	if (load_failure_of(lines->text).at || skip_of(lines->text))
		return true;
	for (size_t i = 1; whose_build(lines->text) && i < nr && i <= LINES_NEAR && !whose_build(lines[i].text); i++)
		if (skip_of(lines[i].text))
			return true;
	return false;
}

void module_failure_read(struct reading *reading, size_t at, struct ends_below **back)
{
	struct dump_line *line = &reading->part->lines[at];
	struct failure failure = load_failure_of(line->text);

	if (!failure.at)
		failure = build_failure_of(reading->part, at);
	if (!failure.at)
		return;
	if (failure.words != build_of_kernel && module_is_back(reading, back, failure.at, line)) {
		line->is_taken = true;
		return;
	}
	program_error_put(reading, line, failure.is_driver ? "build" : "module-extra", failure.words,
			  arena_strndup(reading->arena, failure.at, strnlen(failure.at, MOST_REASON)));
}
