// SPDX-License-Identifier: GPL-2.0-or-later
/* amd_value.c - what amd-smi and rocm-smi tell of a GPU, by the names of its values. */
#include "base/compat.h"
#include "import/amd_value.h"

#include "base/text.h"
#include "base/text_scan.h"

/* ---- text to numbers */

enum form {
	FORM_TEXT, FORM_ID, FORM_UNIQUE, FORM_LEVEL, FORM_NUMBER, FORM_BYTES, FORM_MIB, FORM_WATT, FORM_LIMIT, FORM_MHZ,
	FORM_TOP_MHZ, FORM_CELSIUS, FORM_PERCENT, FORM_GT_PER_S, FORM_LANES,
};

/* Of those that are numbers: how many of the field's unit are one of it. */
static const double factors[] = {
	[FORM_NUMBER] = 1, [FORM_BYTES] = 1, [FORM_MIB] = 1024 * 1024, [FORM_WATT] = 1000, [FORM_LIMIT] = 1000,
	[FORM_MHZ] = 1, [FORM_TOP_MHZ] = 1, [FORM_CELSIUS] = 1, [FORM_PERCENT] = 1, [FORM_GT_PER_S] = 1000, [FORM_LANES] = 1,
};

/* "N/A", "unknown": the tool has no value. */
static bool is_no_value(const char *text)
{
	static const char *const words[] = { "N/A", "None", "null", "unknown", "Unsupported", "Not supported", "AMDSMI_STATUS" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strncasecmp(text, words[i], strlen(words[i])))
			return true;
	return !*text;
}

/* "41", "41.0 C", "1: (1200Mhz)": of a clock that stands in brackets the number there. */
static bool take_number(const char *text, enum form form, double *ret)
{
	char digits[32];
	size_t len;

	/* The number of a level is none of a clock. */
	if (form == FORM_MHZ && !strcasestr(text, "MHz"))
		return false;
	if (form == FORM_MHZ && strchr(text, '('))
		text = strchr(text, '(') + 1;
	len = strspn(text, "+-.0123456789");
	if (!len || len >= sizeof(digits) || (text[len] && is_digit(text[len])))
		return false;
	snprintf(digits, sizeof(digits), "%.*s", (int)len, text);
	if (*digits == '-') {
		if (parse_f64(digits + 1, ret))
			return false;
		*ret = -*ret;
	} else if (parse_f64(digits, ret)) {
		return false;
	}
	return true;
}

const char *amd_small_letters(struct arena *arena, const char *text, size_t len)
{
	char *ret = arena_strndup(arena, text, len);

	for (char *at = ret; *at; at++)
		if (*at >= 'A' && *at <= 'Z')
			*at = (char)(*at - 'A' + 'a');
	return ret;
}

/* ---- values to fields */

static bool put_number(struct reading *reading, struct dump_line *line, const struct field *field, void *member,
		       const char *text, enum form form)
{
	double number;

	if (!take_number(text, form, &number) || ((form == FORM_LIMIT || form == FORM_TOP_MHZ) && number <= 0))
		return false;
	/* Of a virtual function, and of a device that does not answer, the width is none. */
	if (form == FORM_LANES && (number < 1 || number > 16))
		return false;
	number *= factors[form];
	if (field->kind == FIELD_F64) {
		struct val_f64 *to = member;

		put(reading, line, *to, val_f64(number));
		return true;
	}
	/* All ones of 16 and more bits are what the driver has not filled. */
	if (number < 0 || number > 1e18 || (form == FORM_NUMBER && (number == 65535.0 || number >= 4294967295.0)))
		return false;
	struct val_u64 *to = member;

	put(reading, line, *to, val_u64((uint64_t)(number + 0.5)));
	return true;
}

/* "0x74a1", "0x02": small letters, as in sysfs. */
static const char *id_of(struct arena *arena, const char *text, int digits)
{
	const char *at = text + (strncasecmp(text, "0x", 2) ? 0 : 2);
	uint64_t id;
	bool fits = true;

	if (!scan_u64(&at, 16, &id, &fits) || !fits || *at || id > 0xffff)
		return NULL;
	return arena_printf(arena, "0x%0*llx", digits, (unsigned long long)id);
}

/* "0x76A08C022586FED6": without 0x, as amdgpu's file unique_id has it. 0: it has none. */
static const char *unique_of(struct arena *arena, const char *text)
{
	const char *at = text + (strncasecmp(text, "0x", 2) ? 0 : 2), *digits = at;
	uint64_t id;
	bool fits = true;

	if (!scan_u64(&at, 16, &id, &fits) || !fits || *at || !id)
		return NULL;
	return amd_small_letters(arena, digits, strlen(digits));
}

/* "AMDSMI_DEV_PERF_LEVEL_AUTO", "auto", "perf_level: 2" */
static const char *level_of(struct arena *arena, const char *text)
{
	static const char prefix[] = "AMDSMI_DEV_PERF_LEVEL_";

	if (!strncmp(text, prefix, strlen(prefix)))
		text += strlen(prefix);
	return is_no_value(text) || is_digit(*text) ? NULL : amd_small_letters(arena, text, strlen(text));
}

/* A serial number of zeros is none. */
static const char *text_of(struct arena *arena, const char *text)
{
	return text[strspn(text, "0x")] ? arena_strdup(arena, text) : NULL;
}

static bool put_value(struct reading *reading, struct dump_line *line, const struct field *field, void *member,
		      const char *text, enum form form)
{
	struct val_str *to = member;
	const char *value;

	if (is_no_value(text)) {
		line->is_taken = true;
		return true;
	}
	switch (form) {
	case FORM_TEXT:
		/* Of a card that the tool has no name for it prints the id. */
		value = strncmp(text, "0x", 2) ? text_of(reading->arena, text) : NULL;
		break;
	case FORM_ID:
		value = id_of(reading->arena, text, field == &record_pci_function.fields[FIELD_pci_function_revision] ? 2 : 4);
		break;
	case FORM_UNIQUE:
		value = unique_of(reading->arena, text);
		break;
	case FORM_LEVEL:
		value = level_of(reading->arena, text);
		break;
	default:
		return put_number(reading, line, field, member, text, form);
	}
	if (!value)
		return false;
	put(reading, line, *to, val_str(value));
	return true;
}

/* ---- the table */

static const struct amd_key {
	size_t offset;			/* in struct gpu */
	const struct record *record;
	unsigned field;
	enum form form;
	const char *names[2];		/* by enum amd_tool */
} keys[] = {
#define OFFSET_pci_function offsetof(struct gpu, pci)
#define OFFSET_amdgpu_files offsetof(struct gpu, amdgpu)
#define OFFSET_gpu_use offsetof(struct gpu, use)
#define KEY(of, name, form_, amd, rocm) { OFFSET_##of, &record_##of, FIELD_##of##_##name, FORM_##form_, { amd, rocm } },
#include "import/amd_keys.def"
};

/* Does a path end with these names? */
static bool path_ends(const char *path, const char *end)
{
	size_t len = strlen(path), end_len = end ? strlen(end) : 0;

	return end && len >= end_len && !strcmp(path + len - end_len, end) &&
	       (len == end_len || path[len - end_len - 1] == '/');
}

static bool take_key(struct reading *reading, struct gpu *gpu, enum amd_tool tool, const char *path, const char *value,
		     struct dump_line *line)
{
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const struct field *field = &keys[i].record->fields[keys[i].field];
		const char *name = keys[i].names[tool];

		if (tool == AMD_SMI ? path_ends(path, name) : name && !strcmp(path, name))
			return put_value(reading, line, field, (char *)gpu + keys[i].offset + field->offset, value,
					 keys[i].form);
	}
	return false;
}

/* ---- ECC */

static bool take_count(struct amd_count *count, const char *value, struct dump_line *line)
{
	uint64_t number;

	line->is_taken = true;
	if (parse_u64(value, &number))
		return is_no_value(value);
	*count = (struct amd_count){ .value = number, .line = line };
	return true;
}

bool amd_take_total(struct amd_gpu *at, const char *value, struct dump_line *line)
{
	return take_count(&at->total_uncorrected, value, line);
}

/* "ecc_blocks/umc/uncorrectable_count"; `rest` is after the first slash. */
static bool take_block(struct reading *reading, struct gpu *gpu, const char *rest, const char *value, struct dump_line *line)
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

void amd_take_block(struct reading *reading, struct amd_gpu *at, const char *block, uint64_t corrected, uint64_t uncorrected,
		    struct dump_line *line)
{
	struct ras_block *to = list_element(reading->arena, &at->gpu->amdgpu, ras, ras_block,
					    amd_small_letters(reading->arena, block, strlen(block)));

	put(reading, line, to->corrected, val_u64(corrected));
	put(reading, line, to->uncorrected, val_u64(uncorrected));
}

static bool take_ecc(struct reading *reading, struct amd_gpu *at, const char *path, const char *value, struct dump_line *line)
{
	static const char *const sections[] = { "ecc_blocks/", "ecc_block/" };

	for (size_t i = 0; i < ARRAY_SIZE(sections); i++)
		if (!strncmp(path, sections[i], strlen(sections[i])))
			return take_block(reading, at->gpu, path + strlen(sections[i]), value, line);
	if (path_ends(path, "total_uncorrectable_count") || path_ends(path, "ecc/uncorrectable"))
		return amd_take_total(at, value, line);
	if (path_ends(path, "total_correctable_count") || path_ends(path, "ecc/correctable"))
		return take_count(&at->total_corrected, value, line);
	if (path_ends(path, "total_deferred_count"))
		return take_count(&at->total_deferred, value, line);
	return false;
}

static void put_count(struct reading *reading, struct val_u64 *to, const struct amd_count *count, uint64_t less)
{
	if (count->line)
		put(reading, count->line, *to, val_u64(count->value > less ? count->value - less : 0));
}

/* They have ECC, and firmware that reports the slot's link as it is. Radeons have fewer lanes at rest. */
static bool is_instinct(const struct gpu *gpu)
{
	static const char *const versions[] = { "gfx908", "gfx90a", "gfx94", "gfx95" };

	for (size_t i = 0; i < ARRAY_SIZE(versions); i++)
		if (!strncmp(str_or(gpu->amdgpu.gfx_version, ""), versions[i], strlen(versions[i])))
			return true;
	return strcasestr(str_or(gpu->pci.model, ""), "Instinct");
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
	    (at->total_uncorrected.value > uncorrected || (!files->nr_ras && is_instinct(at->gpu)))) {
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

/* ---- the rest */

/* Values that are several fields, or one of several values. */
static bool take_special(struct reading *reading, struct amd_gpu *at, const char *path, const char *value,
			 struct dump_line *line)
{
	double number;

	if (path_ends(path, "asic/subvendor_id"))
		at->board_vendor = id_of(reading->arena, value, 4);
	else if (path_ends(path, "asic/subsystem_id"))
		at->board = id_of(reading->arena, value, 4);
	else if (path_ends(path, "temperature/edge") && is_no_value(value))
		at->no_edge = line;
	else if (path_ends(path, "limit/slowdown_edge_temperature") && is_no_value(value))
		at->no_edge_limit = line;
	else if (path_ends(path, "bus/max_pcie_width") && take_number(value, FORM_NUMBER, &number) && number >= 1 && number <= 16)
		at->lanes_able = (uint64_t)number, at->width_able = line;
	else
		return false;
	line->is_taken = true;
	return true;
}

/* A share of the time over which amd-smi watched, "12 %"; of several kinds of heat the greatest. */
static bool take_violation(struct reading *reading, struct gpu *gpu, const char *path, const char *value,
			   struct dump_line *line)
{
	static const char *const heat[] = {
		"socket_thermal_violation_activity", "vr_thermal_violation_activity", "hbm_thermal_violation_activity",
	};
	struct val_f64 *to = path_ends(path, "ppt_violation_activity") ? &gpu->throttle.power_cap_counter_percent : NULL;
	double percent;

	for (size_t i = 0; i < ARRAY_SIZE(heat); i++)
		to = path_ends(path, heat[i]) ? &gpu->throttle.thermal_counter_percent : to;
	if (!to || !take_number(value, FORM_PERCENT, &percent) || percent < 0 || percent > 100)
		return false;
	if (f64_or(*to, -1) < percent)
		put(reading, line, *to, val_f64(percent));
	line->is_taken = true;
	return true;
}

/*
 * rocm-smi does not name whose board it is: Radeons of one chip may differ in all that is compared among twins. So their
 * ids are left out, but for those of Instinct: MI100, MI200, MI300 and MI350.
 */
static bool is_other_board(const char *path, const char *value)
{
	static const char *const instinct[] = { "0x738", "0x740", "0x74a", "0x74b", "0x75a", "0x75b" };

	if (strcmp(path, "device id") != 0 && strcmp(path, "gpu id") != 0)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(instinct); i++)
		if (!strncasecmp(value, instinct[i], strlen(instinct[i])))
			return false;
	return true;
}

/* "1 (16.0GT/s x16)", "1: (8.0GT/s x8 619Mhz)", "1 (16.0GT/s, x16 619Mhz)" */
static bool take_pcie_level(struct reading *reading, struct gpu *gpu, const char *path, const char *value,
			    struct dump_line *line)
{
	const char *at = strchr(value, '('), *lanes = at ? strstr(at, " x") : NULL;
	double speed;
	uint64_t width;
	bool fits = true;

	if (strcmp(path, "pcie clock level") != 0 || !lanes || !take_number(at + 1, FORM_GT_PER_S, &speed) || speed < 0)
		return false;
	lanes += strlen(" x");
	if (!scan_u64(&lanes, 10, &width, &fits) || !fits)
		return false;
	put(reading, line, gpu->amdgpu.link_speed_mtps, val_u64((uint64_t)(speed * factors[FORM_GT_PER_S] + 0.5)));
	put(reading, line, gpu->amdgpu.link_width, val_u64(width));
	return true;
}

bool amd_take(struct reading *reading, struct amd_gpu *at, enum amd_tool tool, const char *path, const char *value,
	      struct dump_line *line)
{
	if (tool == ROCM_SMI && is_other_board(path, value)) {
		line->is_taken = true;
		return true;
	}
	if (tool == ROCM_SMI)
		return take_pcie_level(reading, at->gpu, path, value, line) ||
		       take_key(reading, at->gpu, tool, path, value, line);
	return take_special(reading, at, path, value, line) ||
	       take_violation(reading, at->gpu, path, value, line) || take_ecc(reading, at, path, value, line) ||
	       take_key(reading, at->gpu, tool, path, value, line);
}

static struct gpu *gpu_of_index(struct snapshot *snapshot, uint64_t index)
{
	for (size_t i = 0; i < snapshot->nr_gpus; i++)
		if (is_known(snapshot->gpus[i].amdgpu.index) && u64_or(snapshot->gpus[i].amdgpu.index, 0) == index)
			return &snapshot->gpus[i];
	return NULL;
}

void amd_gpu_begin(struct reading *reading, struct amd_gpu *at, struct dump_line *line, uint64_t index, const char *address)
{
	struct gpu *gpu = address ? reading_gpu(reading, address) : NULL;

	if (!gpu)
		gpu = gpu_of_index(reading->snapshot, index);
	if (!gpu)
		gpu = reading_gpu_by_index(reading, index);
	*at = (struct amd_gpu){ .gpu = gpu };
	put(reading, line, gpu->amdgpu.index, val_u64(index));
	put(reading, line, gpu->pci.vendor_id, val_str("0x1002"));
	put(reading, line, gpu->pci.driver, val_str("amdgpu"));
}

void amd_gpu_end(struct reading *reading, struct amd_gpu *at)
{
	struct gpu *gpu = at->gpu;
	struct amdgpu_files *files = &gpu->amdgpu;

	put_totals(reading, at);
	put_links(gpu);
	put_count(reading, &files->bad_pages, &at->pages, 0);
	put_count(reading, &files->pending_bad_pages, &at->pending_pages, 0);
	put_count(reading, &files->unretired_bad_pages, &at->unretired_pages, 0);
	if (at->board_vendor && at->board)
		gpu->pci.subsystem_id = val_str(arena_printf(reading->arena, "%s:%s", at->board_vendor, at->board));
	if (at->no_edge && is_known(files->hotspot_c))
		files->temperature_c = files->hotspot_c;
	if (at->no_edge_limit && is_known(files->hotspot_max_c))
		files->temperature_max_c = files->hotspot_max_c;
	if (at->width_able && is_instinct(gpu))
		put(reading, at->width_able, gpu->pci.link_width_able, val_u64(at->lanes_able));
}
