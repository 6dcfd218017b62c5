// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/program/only_gpu.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/dump/named_gpu.h"

enum {
	MOST_LINES = 4096,	/* a longer text is about more than one thing */
	MOST_CHARACTERS = 400,	/* of a line */
};

/* What the lines of a file named so far: of each kind of name the first. */
struct seen {
	const char *address, *uuid;
	uint64_t index;
	bool has_index;
	bool are_joined;	/* a line has both its number and its address */
	bool are_many;
};

/* Who has the address is a GPU for computing, and not a display's on the board or the processor's. */
static bool is_address_of_gpu(const char *text, const char *address)
{
	static const char *const words[] = {
		"NVRM: ", "nvidia 0000:", "amdgpu 0000:", "radeon 0000:", "nouveau 0000:", "xe 0000:", "GPU 0000", "GPU at ",
		"controller: NVIDIA", "controller: Advanced Micro", "controller: AMD", "controller [0300]: NVIDIA",
		"controller [0302]: NVIDIA", "controller [0300]: Advanced Micro", "controller [0380]: Advanced Micro",
	};
	const size_t len = strlen(address);

	return text_has_any(text, words, ARRAY_SIZE(words)) && len > 2 && !strcmp(address + len - 2, ".0");
}

/* "GPU 3", "Device 0: NVIDIA …", and neither a rank's own ("cuda:0") nor another device's number. */
static bool is_number_of_gpu(const char *text)
{
	static const char *const others[] = { "cuda:", "hip:", "xpu:" };
	static const char *const models[] = { "NVIDIA", "GeForce", "Tesla", "Quadro", "RTX", "GTX", "Radeon", "Instinct",
					      "gfx", "Arc(TM)", "Graphics", "cuda", "CUDA", "rocm" };

	return !text_has_any(text, others, ARRAY_SIZE(others)) &&
	       (strstr(text, "GPU") || text_has_any(text, models, ARRAY_SIZE(models)));
}

/* "node1: GPU 0: …", as tools put it that gather outputs of several machines. */
static bool is_gathered(const char *text)
{
	const size_t len = strcspn(text, ": ");

	return len > 3 && text_begins(text + len, ": ") && is_digit(text[len - 1]) && !text_begins(text, "GPU");
}

/* Several, or one that is well, or a rank's own numbers: which one an error is of, nobody can tell then. */
static bool is_of_many(const char *text)
{
	static const char *const words[] = { "gpus", "other gpu", "remaining", "cards", "healthy", "passed", "passes", " fine",
					     "replaced", "each", "rank", "world size", "visible_devices", "nproc" };
	size_t row;

	return text_find_row(text, words, sizeof(*words), ARRAY_SIZE(words), true, &row);
}

static bool is_other(const char *seen, const char *named)
{
	return seen && named && strcmp(seen, named) != 0;
}

static void look_at(struct seen *seen, struct arena *arena, const char *text)
{
	struct named_gpu gpu;

	/* nvidia-smi's heads have the word, too. */
	if (is_gathered(text) || text_begins(past_blanks(text), "|"))
		return;
	gpu = named_gpu_in(arena, text, text + strnlen(text, MOST_CHARACTERS));
	if (gpu.address && !is_address_of_gpu(text, gpu.address))
		gpu.address = NULL;
	if (gpu.has_index && !is_number_of_gpu(text))
		gpu.has_index = false;
	seen->are_many |= gpu.are_several || is_of_many(text) || is_other(seen->address, gpu.address) ||
			  is_other(seen->uuid, gpu.uuid) ||
			  (seen->has_index && gpu.has_index && seen->index != gpu.index);
	seen->are_joined |= gpu.has_index && (gpu.address || gpu.uuid);
	if (gpu.address)
		seen->address = gpu.address;
	if (gpu.uuid)
		seen->uuid = gpu.uuid;
	if (gpu.has_index) {
		seen->has_index = true;
		seen->index = gpu.index;
	}
}

/* NULL: none, or several, or the file is of several machines. */
static const char *only_gpu_of(struct arena *arena, const struct dump_parts *parts, const char *file)
{
	struct file_lines lines = { .file = file }, counted = lines;
	struct seen seen = { .address = NULL };
	const struct dump_line *line, *first = NULL;
	size_t nr = 0;

	while (dump_lines_next(parts, &counted))
		if (nr++ == MOST_LINES)
			return NULL;
	while ((line = dump_lines_next(parts, &lines)) && !seen.are_many) {
		first = first ? first : line;
		if (line->label != first->label)
			return NULL;
		look_at(&seen, arena, line->text);
	}
	/* A number beside an address that no line joins with it may be of another. */
	if (seen.are_many || (seen.has_index && (seen.address || seen.uuid) && !seen.are_joined))
		return NULL;
	if (seen.address || seen.uuid)
		return seen.address ? seen.address : seen.uuid;
	return seen.has_index ? arena_printf(arena, "%llu", (unsigned long long)seen.index) : NULL;
}

void only_gpus_put(struct snapshot *snapshot, const struct dump_parts *parts)
{
	const char *file = NULL, *only = NULL;

	for (size_t i = 0; i < snapshot->nr_program_errors; i++) {
		struct program_error *error = &snapshot->program_errors[i];
		const char *of = is_known(error->gpu) ? NULL : dump_file_of(parts, error->words.from);

		if (!of || is_of_many(str_or(error->line, "")))
			continue;
		if (!file || strcmp(of, file) != 0) {
			file = of;
			only = only_gpu_of(&snapshot->arena, parts, file);
		}
		if (!only)
			continue;
		error->only_gpu = val_str(only);
		error->only_gpu.from = error->words.from;
	}
}
