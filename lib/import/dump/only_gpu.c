// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/dump/only_gpu.h"

#include "base/text.h"
#include "import/dump/named_gpu.h"

enum {
	MOST_LINES = 4096,
	MOST_CHARACTERS = 512,	/* of a line that are looked at */
};

/* What lines named so far: of each kind of name the first, and whether another followed. */
struct seen {
	const char *address, *uuid;
	uint64_t index;
	bool has_index, are_many;
};

/* A PCI address alone may be any device's. */
static bool is_about_gpu(const char *text)
{
	static const char *const words[] = {
		"gpu", "vga compatible", "3d controller", "display controller", "nvidia", "nvrm", "amdgpu", "radeon", "i915",
		"xe 0000", "cuda", "nouveau", "drm",
	};
	size_t row;

	return text_find_row(text, words, sizeof(*words), ARRAY_SIZE(words), true, &row);
}

static bool is_other(const char *seen, const char *named)
{
	return seen && named && strcmp(seen, named) != 0;
}

static void look_at(struct seen *seen, struct arena *arena, const char *text)
{
	struct named_gpu gpu = { .address = NULL };

	if (!is_about_gpu(text) && !strcasestr(text, "device"))
		return;
	gpu = named_gpu_in(arena, text, text + strnlen(text, MOST_CHARACTERS));
	if (!is_about_gpu(text))
		gpu.address = NULL;
	seen->are_many |= is_other(seen->address, gpu.address) || is_other(seen->uuid, gpu.uuid) ||
			  (seen->has_index && gpu.has_index && seen->index != gpu.index);
	if (gpu.address)
		seen->address = gpu.address;
	if (gpu.uuid)
		seen->uuid = gpu.uuid;
	if (gpu.has_index) {
		seen->has_index = true;
		seen->index = gpu.index;
	}
}

const char *only_gpu_of(const struct reading *reading)
{
	struct seen seen = { .address = NULL };
	size_t nr = 0;

	for (size_t i = 0; reading->parts && i < reading->parts->nr_texts; i++) {
		const struct dump_lines *lines = &reading->parts->texts[i];

		for (size_t k = 0; k < lines->nr && !strcmp(lines->file, reading->part->file); k++) {
			if (nr++ == MOST_LINES)
				return NULL;
			look_at(&seen, reading->arena, lines->v[k].text);
			if (seen.are_many)
				return NULL;
		}
	}
	if (seen.address || seen.uuid)
		return seen.address ? seen.address : seen.uuid;
	return seen.has_index ? arena_printf(reading->arena, "%llu", (unsigned long long)seen.index) : NULL;
}
