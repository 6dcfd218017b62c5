// SPDX-License-Identifier: GPL-2.0-or-later
/* smi_sums.c - what nvidia-smi -q tells in parts: ECC errors by memory, throttling by kind. */
#include "base/compat.h"
#include "import/nvidia/smi_gpu.h"
#include "import/nvidia/smi_value.h"

static void add_part(struct smi_sum *sum, const char *value, double factor, struct dump_line *line)
{
	struct val_head head;
	double number;

	/* What NVML refused for a reason is no memory without a counter. */
	if (smi_is_no_value(value, &head) && head.state != VAL_UNSUPPORTED)
		sum->refused = head;
	if (smi_take_number(value, NULL, &number) && number >= 0 && number <= 1e18) {
		sum->value += (uint64_t)(number * factor + 0.5);
		sum->has_part = true;
	} else {
		sum->lacks_part = true;
	}
	sum->line = line;
	line->is_taken = true;
}

/* Is a section of that name on the path? */
static bool is_below(const char *path, const char *section)
{
	size_t len = strlen(section);

	for (const char *at = path; at; at = strchr(at, '/')) {
		at += *at == '/' ? 1 : 0;
		if (!strncmp(at, section, len) && at[len] == '/')
			return true;
	}
	return false;
}

/* Which generation a line is of shows in its words; facts of GPUs from Kepler on. */
bool smi_take_ecc(struct smi_gpu *at, const char *path, const char *value, struct dump_line *line)
{
	static const char *const text_names[] = {
		"single bit/total", "double bit/total", "double bit/device memory",
		"sram correctable", "dram correctable", "sram uncorrectable", "sram uncorrectable parity",
		"sram uncorrectable sec-ded", "dram uncorrectable",
	};
	static const char *const xml_names[] = {
		"single_bit/total", "double_bit/total", "double_bit/device_memory",
		"sram_correctable", "dram_correctable", "sram_uncorrectable", "sram_uncorrectable_parity",
		"sram_uncorrectable_secded", "dram_uncorrectable",
	};
	int era = is_below(path, "volatile") ? 0 : is_below(path, "aggregate") ? 1 : -1;

	for (size_t i = 0; era >= 0 && i < ARRAY_SIZE(text_names); i++) {
		if (!smi_path_ends(path, text_names[i]) && !smi_path_ends(path, xml_names[i]))
			continue;
		if (i == 0 || i == 3 || i == 4)
			add_part(&at->corrected[era], value, 1, line);
		if (i == 1 || i >= 5)
			add_part(&at->uncorrected[era], value, 1, line);
		if (i == 2 || i == 8)
			add_part(&at->dram_uncorrected[era], value, 1, line);
		if (i >= 5 && i <= 7)
			add_part(&at->sram_uncorrected[era], value, 1, line);
		return true;
	}
	return false;
}

static void put_sum(struct reading *reading, const struct smi_sum *sum, struct val_u64 *to, uint64_t divisor)
{
	if (!sum->line)
		return;
	if (sum->refused.why)
		*to = no_u64(sum->refused.state, sum->refused.why);
	else
		*to = sum->has_part && !sum->lacks_part ? val_u64(sum->value / divisor) : no_u64(VAL_UNSUPPORTED, "N/A");
	to->from = value_from(reading->part->number, sum->line->number);
}

void smi_put_sums(struct reading *reading, const struct smi_gpu *at)
{
	struct nvml_gpu *nvml = &at->gpu->nvml;

	put_sum(reading, &at->corrected[0], &nvml->ecc_corrected, 1);
	put_sum(reading, &at->corrected[1], &nvml->ecc_corrected_lifetime, 1);
	put_sum(reading, &at->uncorrected[0], &nvml->ecc_uncorrected, 1);
	put_sum(reading, &at->uncorrected[1], &nvml->ecc_uncorrected_lifetime, 1);
	put_sum(reading, &at->dram_uncorrected[0], &nvml->dram_uncorrected, 1);
	put_sum(reading, &at->sram_uncorrected[0], &nvml->sram_uncorrected, 1);
	put_sum(reading, &at->sram_uncorrected[1], &nvml->sram_uncorrected_lifetime, 1);
	put_sum(reading, &at->thermal_us, &at->gpu->throttle.thermal_total_s, 1000000);
}

bool smi_take_thermal_time(struct smi_gpu *at, const char *path, const char *value, struct dump_line *line)
{
	static const char *const names[] = {
		"clocks event reasons counters/sw thermal slowdown",
		"clocks event reasons counters/hw thermal slowdown",
		"clocks_event_reasons_counters_sw_therm_slowdown", "clocks_event_reasons_counters_hw_therm_slowdown",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!smi_path_ends(path, names[i]))
			continue;
		add_part(&at->thermal_us, value, 1, line);
		return true;
	}
	return false;
}
