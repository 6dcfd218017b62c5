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

const char *library_other_module(const struct reading *reading, const char *text)
{
	char library[MOST_VERSION], module[MOST_VERSION], last[MOST_VERSION] = "";

	if (!reading->parts || strlen(text) > MOST_CHARACTERS || !take_library(text, library))
		return NULL;
	for (size_t i = 0; i < reading->parts->nr_texts; i++) {
		const struct dump_lines *lines = &reading->parts->texts[i];

		for (size_t k = 0; !strcmp(lines->file, reading->part->file) && k < lines->nr; k++)
			if (take_module(lines->v[k].text, module))
				memcpy(last, module, sizeof(last));
	}
	return *last && version_compare(last, library) ? arena_strdup(reading->arena, last) : NULL;
}
