// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/amd/amd_counter.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/amd/amd_word.h"

/* ---- ECC */

static bool take_count(struct amd_count *count, const char *value, struct dump_line *line)
{
	uint64_t number;

	line->is_taken = true;
	if (parse_u64(value, &number))
		return amd_is_no_value(value);
	*count = (struct amd_count){ .value = number, .line = line };
	return true;
}

bool amd_take_total(struct amd_gpu *at, const char *value, struct dump_line *line)
{
	return take_count(&at->total_uncorrected, value, line);
}

/* "ecc_blocks/umc/uncorrectable_count"; `rest` is after the first slash. */
static bool take_block(struct reading *reading, struct gpu *gpu, const char *rest, const char *value,
		       struct dump_line *line)
{
	static const char *const names[] = { "correctable_count", "uncorrectable_count", "deferred_count" };
	const char *slash = strchr(rest, '/');
	struct ras_block *block;
	uint64_t count;

	if (!slash || parse_u64(value, &count))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(slash + 1, names[i]) != 0)
			continue;
		block = list_element(reading->arena, &gpu->amdgpu, ras, ras_block,
				     arena_strndup(reading->arena, rest, (size_t)(slash - rest)));
		if (i == 0)
			put(reading, line, block->corrected, val_u64(count));
		else if (i == 1)
			put(reading, line, block->uncorrected, val_u64(count));
		else
			put(reading, line, block->deferred, val_u64(count));
		return true;
	}
	return false;
}

void amd_take_block(struct reading *reading, struct amd_gpu *at, const char *block, uint64_t corrected,
		    uint64_t uncorrected, struct dump_line *line)
{
	struct ras_block *to = list_element(reading->arena, &at->gpu->amdgpu, ras, ras_block,
					    arena_small_letters(reading->arena, block, strlen(block)));

	put(reading, line, to->corrected, val_u64(corrected));
	put(reading, line, to->uncorrected, val_u64(uncorrected));
}

bool amd_take_counter(struct reading *reading, struct amd_gpu *at, const char *path, const char *value,
		      struct dump_line *line)
{
	static const char *const sections[] = { "ecc_blocks/", "ecc_block/" };

	for (size_t i = 0; i < ARRAY_SIZE(sections); i++)
		if (!strncmp(path, sections[i], strlen(sections[i])))
			return take_block(reading, at->gpu, path + strlen(sections[i]), value, line);
	if (amd_path_ends(path, "total_uncorrectable_count") || amd_path_ends(path, "ecc/uncorrectable"))
		return amd_take_total(at, value, line);
	if (amd_path_ends(path, "total_correctable_count") || amd_path_ends(path, "ecc/correctable"))
		return take_count(&at->total_corrected, value, line);
	if (amd_path_ends(path, "total_deferred_count"))
		return take_count(&at->total_deferred, value, line);
	return false;
}

static void put_count(struct reading *reading, struct val_u64 *to, const struct amd_count *count, uint64_t less)
{
	if (count->line)
		put(reading, count->line, *to, val_u64(count->value > less ? count->value - less : 0));
}

/* They have ECC, and firmware that reports the slot's link as it is. Radeons have fewer lanes at rest. */
bool amd_is_instinct(const struct gpu *gpu)
{
	static const char *const versions[] = { "gfx908", "gfx90a", "gfx94", "gfx95" };

	return text_begins_any(str_or(gpu->amdgpu.gfx_version, ""), versions, ARRAY_SIZE(versions)) ||
	       strcasestr(str_or(gpu->pci.model, ""), "Instinct");
}

/* What no block accounts for is of an unknown one; of releases and cards that have no blocks, all of it. */
static void put_totals(struct reading *reading, struct amd_gpu *at)
{
	struct amdgpu_files *files = &at->gpu->amdgpu;
	uint64_t uncorrected = 0, corrected = 0, deferred = 0;
	struct ras_block *rest;

	for (size_t i = 0; i < files->nr_ras; i++) {
		uncorrected += u64_or(files->ras[i].uncorrected, 0);
		corrected += u64_or(files->ras[i].corrected, 0);
		deferred += u64_or(files->ras[i].deferred, 0);
	}
	/* Of a card without ECC it is 0 as well, which proves nothing. */
	if (at->total_uncorrected.line &&
	    (at->total_uncorrected.value > uncorrected || (!files->nr_ras && amd_is_instinct(at->gpu)))) {
		rest = list_element(reading->arena, files, ras, ras_block, "unknown");
		put_count(reading, &rest->uncorrected, &at->total_uncorrected, uncorrected);
		put_count(reading, &rest->corrected, &at->total_corrected, corrected);
		put_count(reading, &rest->deferred, &at->total_deferred, deferred);
	}
	if (!files->nr_ras)
		return;
	files->ras_blocks = val_u64(files->nr_ras);
	files->ras_blocks.from = files->ras[0].uncorrected.from;
}

/* ---- bad pages */

bool amd_take_bad_pages(struct amd_gpu *at, const char *state, uint64_t pages, struct dump_line *line)
{
	struct amd_count *count = !strcmp(state, "retired") ? &at->pages :
				  !strcmp(state, "pending") ? &at->pending_pages :
				  !strcmp(state, "un_res")  ? &at->unretired_pages :
							      NULL;

	if (!count)
		return false;
	count->value += pages;
	count->line = line;
	line->is_taken = true;
	return true;
}

const char *amd_list_of_page(const char *status, const char *list)
{
	static const struct { const char *status, *list; } lists[] = {
		{ "pending", "pending" }, { "unreservable", "un_res" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		size_t len = strlen(lists[i].status);

		if (!strncasecmp(status, lists[i].status, len) && !is_letter_or_digit(status[len]))
			return lists[i].list;
	}
	return list;
}

/* ---- xGMI */

void amd_take_link(struct reading *reading, struct amd_gpu *at, uint64_t number, char state, struct dump_line *line)
{
	struct gpu_link *link;

	line->is_taken = true;
	if (state != 'U' && state != 'D')
		return;
	link = list_element(reading->arena, at->gpu, links, gpu_link,
			    arena_printf(reading->arena, "%llu", (unsigned long long)number));
	put(reading, line, link->kind, val_str("xgmi"));
	put(reading, line, link->state, val_str(state == 'U' ? "active" : "inactive"));
}

static void put_links(struct gpu *gpu)
{
	uint64_t active = 0;

	for (size_t i = 0; i < gpu->nr_links; i++)
		active += str_is(gpu->links[i].state, "active");
	if (!gpu->nr_links)
		return;
	gpu->amdgpu.xgmi_links = val_u64(gpu->nr_links);
	gpu->amdgpu.xgmi_links_active = val_u64(active);
	gpu->amdgpu.xgmi_links.from = gpu->amdgpu.xgmi_links_active.from = gpu->links[0].state.from;
}

void amd_counters_end(struct reading *reading, struct amd_gpu *at)
{
	struct amdgpu_files *files = &at->gpu->amdgpu;

	put_totals(reading, at);
	put_links(at->gpu);
	put_count(reading, &files->bad_pages, &at->pages, 0);
	put_count(reading, &files->pending_bad_pages, &at->pending_pages, 0);
	put_count(reading, &files->unretired_bad_pages, &at->unretired_pages, 0);
}
