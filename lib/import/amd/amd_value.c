// SPDX-License-Identifier: GPL-2.0-or-later
/* amd_value.c - what amd-smi and rocm-smi tell of a GPU, by the names of its values. */
#include "base/compat.h"
#include "import/amd/amd_value.h"

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
	[FORM_MHZ] = 1, [FORM_TOP_MHZ] = 1, [FORM_CELSIUS] = 1, [FORM_PERCENT] = 1, [FORM_GT_PER_S] = 1000,
	[FORM_LANES] = 1,
};

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

/* ---- values to fields */

/*
 * What the driver has not filled, and sensors of a GPU that is off: all ones of 16 and 32 bits, of a temperature of 8
 * and 9, too.
 */
static bool is_unreadable(double number, enum form form)
{
	enum { HOTTEST_C = 250 };

	if (form == FORM_BYTES || form == FORM_MIB)
		return false;
	return number == 65535.0 || number >= 4294967295.0 || (form == FORM_CELSIUS && number > HOTTEST_C) ||
	       (form == FORM_PERCENT && number > 100);
}

static bool put_number(struct reading *reading, struct dump_line *line, const struct field *field, void *member,
		       const char *text, enum form form)
{
	double number;

	if (!take_number(text, form, &number) || ((form == FORM_LIMIT || form == FORM_TOP_MHZ) && number <= 0))
		return false;
	/* Of a virtual function, and of a device that does not answer, the width is none. */
	if (form == FORM_LANES && (number < 1 || number > 16))
		return false;
	if (is_unreadable(number, form))
		return false;
	number *= factors[form];
	if (field->kind == FIELD_F64) {
		struct val_f64 *to = member;

		put(reading, line, *to, val_f64(number));
		return true;
	}
	if (number < 0 || number > 1e18)
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
	return arena_small_letters(arena, digits, strlen(digits));
}

/* "AMDSMI_DEV_PERF_LEVEL_AUTO", "auto", "perf_level: 2" */
static const char *level_of(struct arena *arena, const char *text)
{
	static const char prefix[] = "AMDSMI_DEV_PERF_LEVEL_";

	if (!strncmp(text, prefix, strlen(prefix)))
		text += strlen(prefix);
	return amd_is_no_value(text) || is_digit(*text) ? NULL : arena_small_letters(arena, text, strlen(text));
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

	if (amd_is_no_value(text)) {
		line->is_taken = true;
		return true;
	}
	switch (form) {
	case FORM_TEXT:
		/* Of a card that the tool has no name for it prints the id. */
		value = strncmp(text, "0x", 2) ? text_of(reading->arena, text) : NULL;
		break;
	case FORM_ID:
		value = id_of(reading->arena, text,
			      field == &record_pci_function.fields[FIELD_pci_function_revision] ? 2 : 4);
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
#include "import/amd/amd_keys.def"
};

static bool take_key(struct reading *reading, struct gpu *gpu, enum amd_tool tool, const char *path, const char *value,
		     struct dump_line *line)
{
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const struct field *field = &keys[i].record->fields[keys[i].field];
		const char *name = keys[i].names[tool];

		if (tool == AMD_SMI ? amd_path_ends(path, name) : name && !strcmp(path, name))
			return put_value(reading, line, field, (char *)gpu + keys[i].offset + field->offset, value,
					 keys[i].form);
	}
	return false;
}

/* ---- the rest */

/* Values that are several fields, or one of several values. */
static bool take_special(struct reading *reading, struct amd_gpu *at, const char *path, const char *value,
			 struct dump_line *line)
{
	double number;

	if (amd_path_ends(path, "asic/subvendor_id"))
		at->board_vendor = id_of(reading->arena, value, 4);
	else if (amd_path_ends(path, "asic/subsystem_id"))
		at->board = id_of(reading->arena, value, 4);
	else if (amd_path_ends(path, "temperature/edge") && amd_is_no_value(value))
		at->no_edge = line;
	else if (amd_path_ends(path, "limit/slowdown_edge_temperature") && amd_is_no_value(value))
		at->no_edge_limit = line;
	else if (amd_path_ends(path, "ras/bad_page_threshold_exceeded") && !amd_is_no_value(value))
		put(reading, line, at->gpu->amdgpu.bad_page_threshold_exceeded, val_bool(!strcasecmp(value, "true")));
	else if (amd_path_ends(path, "bus/max_pcie_width") && take_number(value, FORM_NUMBER, &number) && number >= 1 &&
		 number <= 16)
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
	struct val_f64 *to =
		amd_path_ends(path, "ppt_violation_activity") ? &gpu->throttle.power_cap_counter_percent : NULL;
	double percent;

	for (size_t i = 0; i < ARRAY_SIZE(heat); i++)
		to = amd_path_ends(path, heat[i]) ? &gpu->throttle.thermal_counter_percent : to;
	if (!to || !take_number(value, FORM_PERCENT, &percent) || percent < 0 || percent > 100)
		return false;
	if (f64_or(*to, -1) < percent)
		put(reading, line, *to, val_f64(percent));
	line->is_taken = true;
	return true;
}

/*
 * rocm-smi does not name whose board it is: Radeons of one chip may differ in all that is compared among twins. So
 * their ids are left out, but for those of Instinct: MI100, MI200, MI300 and MI350.
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

/* "Successfully set power to: 150W" of rocm-smi, "POWERCAP: Successfully set power cap to 150W" of amd-smi */
static bool take_asked_limit(struct reading *reading, struct gpu *gpu, const char *path, const char *value,
			     struct dump_line *line)
{
	if (strcmp(path, "successfully set power to") != 0 && !text_begins(value, "Successfully set power cap to "))
		return false;
	put(reading, line, gpu->power_limit_asked, val_bool(true));
	return true;
}

bool amd_take(struct reading *reading, struct amd_gpu *at, enum amd_tool tool, const char *path, const char *value,
	      struct dump_line *line)
{
	if (take_asked_limit(reading, at->gpu, path, value, line))
		return true;
	if (tool == ROCM_SMI && is_other_board(path, value)) {
		line->is_taken = true;
		return true;
	}
	if (tool == ROCM_SMI)
		return take_pcie_level(reading, at->gpu, path, value, line) ||
		       take_key(reading, at->gpu, tool, path, value, line);
	return take_special(reading, at, path, value, line) || take_violation(reading, at->gpu, path, value, line) ||
	       amd_take_counter(reading, at, path, value, line) || take_key(reading, at->gpu, tool, path, value, line);
}

void amd_mute(struct reading *reading, struct amd_gpu *at, const char *why, struct dump_line *line)
{
	struct amdgpu_files *files = &at->gpu->amdgpu;

	if (!is_known(files->hotspot_c))
		put(reading, line, files->hotspot_c, no_f64(VAL_ERROR, why));
	if (!is_known(files->power_mw))
		put(reading, line, files->power_mw, no_u64(VAL_ERROR, why));
}

static struct gpu *gpu_of_index(struct snapshot *snapshot, uint64_t index)
{
	for (size_t i = 0; i < snapshot->nr_gpus; i++)
		if (is_known(snapshot->gpus[i].amdgpu.index) && u64_or(snapshot->gpus[i].amdgpu.index, 0) == index)
			return &snapshot->gpus[i];
	return NULL;
}

void amd_gpu_begin(struct reading *reading, struct amd_gpu *at, struct dump_line *line, uint64_t index,
		   const char *address)
{
	struct gpu *gpu = address ? reading_gpu(reading, address) : NULL;

	if (!gpu)
		gpu = gpu_of_index(reading->snapshot, index);
	if (!gpu)
		gpu = reading_gpu_by_index(reading, index);
	*at = (struct amd_gpu){ .gpu = gpu };
	/* Partitions of a GPU have its address and numbers of their own, of which the first is the GPU's. */
	if (!is_known(gpu->amdgpu.index) || u64_or(gpu->amdgpu.index, 0) > index)
		put(reading, line, gpu->amdgpu.index, val_u64(index));
	line->is_taken = true;
	put(reading, line, gpu->pci.vendor_id, val_str("0x1002"));
	put(reading, line, gpu->pci.driver, val_str("amdgpu"));
}

void amd_gpu_end(struct reading *reading, struct amd_gpu *at)
{
	struct gpu *gpu = at->gpu;
	struct amdgpu_files *files = &gpu->amdgpu;

	amd_counters_end(reading, at);
	if (at->board_vendor && at->board)
		gpu->pci.subsystem_id = val_str(arena_printf(reading->arena, "%s:%s", at->board_vendor, at->board));
	if (at->no_edge && is_known(files->hotspot_c))
		files->temperature_c = files->hotspot_c;
	if (at->no_edge_limit && is_known(files->hotspot_max_c))
		files->temperature_max_c = files->hotspot_max_c;
	if (at->width_able && amd_is_instinct(gpu))
		put(reading, at->width_able, gpu->pci.link_width_able, val_u64(at->lanes_able));
}
