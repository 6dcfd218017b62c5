// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/intel/xpu_smi.h"
#include "import/intel/xpu_verdict.h"

#include "base/text.h"
#include "base/text_scan.h"

enum form { FORM_TEXT, FORM_ID, FORM_CELSIUS, FORM_WATT, FORM_MHZ, FORM_PERCENT };

/* Several rows of one field are its names in the outputs; section "": wherever it stands. */
static const struct xpu_key {
	size_t offset;			/* in struct gpu */
	const struct record *record;
	unsigned field;
	enum form form;
	const char *section, *name;
} keys[] = {
#define OFFSET_pci_function offsetof(struct gpu, pci)
#define OFFSET_intel_files offsetof(struct gpu, intel)
#define OFFSET_gpu_use offsetof(struct gpu, use)
#define KEY(of, name_, form, section, name)                                                                            \
	{                                                                                                              \
		OFFSET_##of, &record_##of, FIELD_##of##_##name_, FORM_##form, section, name                            \
	}
	KEY(pci_function, model, TEXT, "", "device name"),
	KEY(pci_function, device_id, ID, "", "pci device id"),
	KEY(intel_files, temperature_c, CELSIUS, "", "xpum stats gpu core temperature"),
	KEY(intel_files, temperature_c, CELSIUS, "", "gpu core temperature (c)"),
	KEY(intel_files, temperature_c, CELSIUS, "temperature", "gpu core celsius"),
	KEY(intel_files, memory_temperature_c, CELSIUS, "", "xpum stats memory temperature"),
	KEY(intel_files, memory_temperature_c, CELSIUS, "", "gpu memory temperature (c)"),
	KEY(intel_files, memory_temperature_c, CELSIUS, "temperature", "gpu memory celsius"),
	KEY(intel_files, temperature_max_c, CELSIUS, "core temperature", "throttle threshold"),
	KEY(intel_files, temperature_max_c, CELSIUS, "gpu core temperature", "throttle threshold"),
	KEY(intel_files, temperature_shutdown_c, CELSIUS, "core temperature", "shutdown threshold"),
	KEY(intel_files, temperature_shutdown_c, CELSIUS, "gpu core temperature", "shutdown threshold"),
	KEY(intel_files, memory_temperature_max_c, CELSIUS, "memory temperature", "throttle threshold"),
	KEY(intel_files, memory_temperature_max_c, CELSIUS, "gpu memory temperature", "throttle threshold"),
	KEY(intel_files, power_limit_mw, WATT, "", "power limit (w)"),
	KEY(intel_files, clock_mhz, MHZ, "", "xpum stats gpu frequency"),
	KEY(intel_files, clock_mhz, MHZ, "", "gpu frequency (mhz)"),
	KEY(gpu_use, busy_percent, PERCENT, "", "xpum stats gpu utilization"),
	KEY(gpu_use, busy_percent, PERCENT, "", "gpu utilization (%)"),
#undef KEY
};

/* Blocks by the names of their counters: what they count since the driver was loaded. */
static const struct { const char *name, *block; bool is_corrected; } counters[] = {
	{ "xpum stats ras error cat cache errors correctable", "cache", true },
	{ "xpum stats ras error cat cache errors uncorrectable", "cache", false },
	{ "xpum stats ras error cat non compute errors correctable", "memory", true },
	{ "xpum stats ras error cat non compute errors uncorrectable", "memory", false },
	{ "cache errors correctable", "cache", true },
	{ "cache errors uncorrectable", "cache", false },
	{ "mem errors correctable", "memory", true },
	{ "mem errors uncorrectable", "memory", false },
	{ "correctable total", "unknown", true },
	{ "uncorrectable total", "unknown", false },
};
_Static_assert(ARRAY_SIZE(counters) == NR_XPU_COUNTERS, "each is remembered as told");

/* "105", "43.50", "105 Celsius Degree" */
static bool take_number(const char *text, double *ret)
{
	char digits[32];
	size_t len = strspn(text, ".0123456789");

	if (!len || len >= sizeof(digits))
		return false;
	snprintf(digits, sizeof(digits), "%.*s", (int)len, text);
	return !parse_f64(digits, ret);
}

static bool put_value(struct reading *reading, struct dump_line *line, const struct field *field, void *member,
		      const char *text, enum form form)
{
	struct val_str *to_str = member;
	struct val_f64 *to_f64 = member;
	struct val_u64 *to_u64 = member;
	const char *at = text + (strncasecmp(text, "0x", 2) ? 0 : 2);
	uint64_t id;
	double number;
	bool fits = true;

	if (form == FORM_TEXT) {
		if (!*text || !strncmp(text, "unknown", 7))
			return false;
		put(reading, line, *to_str, val_str(arena_strdup(reading->arena, text)));
		return true;
	}
	if (form == FORM_ID) {
		if (!scan_u64(&at, 16, &id, &fits) || !fits || *at || id > 0xffff)
			return false;
		put(reading, line, *to_str, val_str(arena_printf(reading->arena, "0x%04llx", (unsigned long long)id)));
		return true;
	}
	/* A limit or a temperature of 0 is one that the firmware does not have. */
	if (!take_number(text, &number) || (form != FORM_PERCENT && form != FORM_MHZ && number <= 0))
		return false;
	if (field->kind == FIELD_F64)
		put(reading, line, *to_f64, val_f64(number));
	else
		put(reading, line, *to_u64, val_u64((uint64_t)(number * (form == FORM_WATT ? 1000 : 1) + 0.5)));
	return true;
}

/* "3", or of a GPU of several tiles "Tile 0: 1; Tile 1: 2". */
static bool take_counter(const char *text, uint64_t *ret)
{
	bool any = false, fits = true;
	uint64_t number;

	*ret = 0;
	for (const char *at = text; at; at = strchr(at, ':')) {
		at += *at == ':' ? 1 : 0;
		at += strspn(at, " ");
		if (!scan_u64(&at, 10, &number, &fits))
			continue;
		any = true;
		*ret += number;
	}
	return any && fits;
}

static bool take_errors(struct reading *reading, struct xpu_gpu *gpu, const char *name, const char *value,
			struct dump_line *line)
{
	uint64_t count, before;

	for (size_t i = 0; i < ARRAY_SIZE(counters); i++) {
		struct ras_block *block;
		struct val_u64 *to;

		if (strcmp(name, counters[i].name) != 0 || !take_counter(value, &count))
			continue;
		block = list_element(reading->arena, &gpu->gpu->intel, ras, ras_block, counters[i].block);
		to = counters[i].is_corrected ? &block->corrected : &block->uncorrected;
		/* Tiles tell one after another what each has; what was told of the GPU before is an earlier sample. */
		before = gpu->is_told[i] ? u64_or(*to, 0) : 0;
		put(reading, line, *to, val_u64(before + count));
		gpu->is_told[i] = true;
		return true;
	}
	return false;
}

bool xpu_take(struct reading *reading, struct xpu_gpu *gpu, const char *section, const char *name, const char *value,
	      struct dump_line *line)
{
	if (take_errors(reading, gpu, name, value, line) ||
	    xpu_take_verdict(reading, gpu->gpu, section, name, value, line))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const struct field *field = &keys[i].record->fields[keys[i].field];

		if (!strcmp(name, keys[i].name) && (!*keys[i].section || !strcmp(section, keys[i].section)))
			return put_value(reading, line, field, (char *)gpu->gpu + keys[i].offset + field->offset, value,
					 keys[i].form);
	}
	return false;
}

struct xpu_gpu xpu_gpu(struct reading *reading, struct dump_line *line, uint64_t index, const char *address)
{
	struct gpu *gpu = address ? reading_gpu(reading, address) : NULL;

	if (!gpu)
		gpu = reading_gpu_by_index(reading, index);
	put(reading, line, gpu->intel.index, val_u64(index));
	put(reading, line, gpu->pci.vendor_id, val_str("0x8086"));
	return (struct xpu_gpu){ .gpu = gpu };
}

/* A block of which only the corrected errors are told decides nothing. */
void xpu_gpu_end(struct gpu *gpu)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < gpu->intel.nr_ras; i++)
		nr += is_known(gpu->intel.ras[i].uncorrected);
	if (!nr)
		return;
	gpu->intel.error_counters = val_u64(nr);
	gpu->intel.error_counters.from = gpu->intel.ras[0].uncorrected.from;
}
