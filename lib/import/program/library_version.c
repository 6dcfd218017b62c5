// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * library_version.c - "/usr/lib/x86_64-linux-gnu/libcuda.so.565.77" beside "NVRM: loading NVIDIA UNIX x86_64 Kernel
 * Module  570.172.08", "nvidia-modeset: Loading NVIDIA UNIX Open Kernel Mode Setting Driver for x86_64  570.172.08".
 */
#include "base/compat.h"
#include "import/program/library_version.h"

#include "base/text.h"
#include "base/text_scan.h"

enum { MOST_VERSION = 32, LEAST_DIGITS = 3, MOST_CHARACTERS = 512 };	/* of a line that may be as long as a file */

/* "570.172.08": numbers with at least one dot between them; "": it begins with none. */
static void take_version(const char *at, char ret[MOST_VERSION])
{
	size_t len = strspn(at, "0123456789.");

	while (len && at[len - 1] == '.')
		len--;
	if (len >= MOST_VERSION || !memchr(at, '.', len))
		len = 0;
	memcpy(ret, at, len);
	ret[len] = '\0';
}

/* CUDA's forward compatibility is a newer libcuda for an older module, on purpose. Jetson's and WSL's end in ".1.1". */
static bool take_library(const char *text, char ret[MOST_VERSION])
{
	static const char *const libraries[] = { "libcuda.so.", "libnvidia-ml.so." };

	for (size_t i = 0; i < ARRAY_SIZE(libraries); i++) {
		const char *at = strstr(text, libraries[i]);

		if (!at || strstr(text, "/compat/"))
			continue;
		take_version(at + strlen(libraries[i]), ret);
		if (strspn(ret, "0123456789") >= LEAST_DIGITS)
			return true;
	}
	return false;
}

static bool take_module(const char *text, char ret[MOST_VERSION])
{
	static const char *const names[] = { " Kernel Module ", " Kernel Mode Setting Driver for " };
	const char *at = strstr(text, "NVIDIA");

	for (size_t i = 0; at && i < ARRAY_SIZE(names); i++) {
		const char *behind = strstr(at, names[i]);
		size_t len = 1;

		if (!behind)
			continue;
		for (behind += strlen(names[i]); len; ) {
			const char *word = scan_word(&behind, &len);

			take_version(word, ret);
			if (*ret && word + strlen(ret) == behind)
				return true;
		}
	}
	return false;
}

/* "node1" of "==> node1/dmesg <==", which heads a file that was gathered; len 0: another line, or no folder. */
static size_t folder_of(const char *text, const char **ret)
{
	const char *slash;

	*ret = scan_behind(text, "==> ");
	slash = *ret && text_begins(text, "==> ") ? strchr(*ret, '/') : NULL;
	return slash ? (size_t)(slash - *ret) : 0;
}

/* Do its files lie in several folders, as those of several machines do? */
static bool is_of_folders(const struct dump_lines *text)
{
	const char *first = NULL, *folder;
	size_t first_len = 0;

	for (size_t i = 0; i < text->nr; i++) {
		const size_t len = folder_of(text->v[i].text, &folder);

		if (len && first_len && (len != first_len || memcmp(folder, first, len) != 0))
			return true;
		first = len ? folder : first;
		first_len = len ? len : first_len;
	}
	return false;
}

/* Do several machines speak in the text? */
static bool is_of_many(const struct reading *reading)
{
	const struct dump_part *of = reading->part;

	for (size_t i = 0; i < reading->parts->nr; i++) {
		const struct dump_part *part = &reading->parts->v[i];

		if (!strcmp(part->file, of->file) &&
		    (!part->host.text != !of->host.text ||
		     (of->host.text && strcmp(part->host.text, of->host.text) != 0)))
			return true;
	}
	return false;
}

/* One of several versions ran at another time, as before the driver was exchanged. */
static void find_module(const struct reading *reading, struct library_module *module)
{
	char version[MOST_VERSION], found[MOST_VERSION] = "";
	bool is_one = reading->parts && !is_of_many(reading);

	module->is_asked = true;
	for (size_t i = 0; is_one && i < reading->parts->nr_texts; i++) {
		const struct dump_lines *text = &reading->parts->texts[i];

		is_one &= strcmp(text->file, reading->part->file) != 0 || !is_of_folders(text);
		for (size_t k = 0; is_one && !strcmp(text->file, reading->part->file) && k < text->nr; k++) {
			if (text->v[k].label != reading->part->lines->label)
				is_one = false;
			if (!take_module(text->v[k].text, version))
				continue;
			is_one &= !*found || !strcmp(found, version);
			memcpy(found, version, sizeof(found));
		}
	}
	if (is_one && *found)
		module->version = arena_strdup(reading->arena, found);
}

const char *library_other_module(const struct reading *reading, struct library_module *module, const char *text)
{
	char library[MOST_VERSION];

	if (strlen(text) > MOST_CHARACTERS || !take_library(text, library))
		return NULL;
	if (!module->is_asked)
		find_module(reading, module);
	return module->version && version_compare(module->version, library) ? module->version : NULL;
}
