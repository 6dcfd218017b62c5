// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * disk_health.c - what disks say of their own health, as text: nvme smart-log, smartctl with any of its options, and
 * what smartd logs of one that fails. smartctl does not name the disk.
 *
 *	Smart Log for NVME device:nvme0 namespace-id:ffffffff
 *	critical_warning                        : 0x4
 *
 *	SMART overall-health self-assessment test result: FAILED!
 *	- NVM subsystem reliability has been degraded
 */
#include "base/compat.h"
#include "import/dump/readers.h"
#include "import/host/disk_name.h"
#include "import/host/disk_self_test.h"
#include "import/host/nvme_fields.h"

#include "base/text.h"
#include "base/text_scan.h"

enum { MOST_DISKS = 1024 };	/* of one output: no node has more */

static const char nvme_head[] = "Smart Log for NVME device:",
		  verdict_head[] = "SMART overall-health self-assessment test result: ",
		  status_head[] = "SMART Health Status: ";

/* ---- lines */

static bool is_smartctl_head(const char *text)
{
	static const char head[] = "smartctl ";

	return text_begins(text, head) && is_digit(text[strlen(head)]) && strchr(text, '[');
}

/* What the value of a line "NAME : value" or "NAME: value" is, and how long its name; NULL: it is no such line. */
static const char *value_of(const char *text, size_t *ret_len)
{
	const char *colon = strchr(text, ':');

	if (!colon || colon == text)
		return NULL;
	*ret_len = (size_t)(colon - text);
	while (*ret_len && text[*ret_len - 1] == ' ')
		--*ret_len;
	return past_blanks(colon + 1);
}

/* "0x4", "3%", "1,234" with a mark of thousands; UINT64_MAX: it is none. */
static uint64_t number_of(const char *text)
{
	uint64_t ret = 0;
	bool fits = true;

	if (text_begins(text, "0x")) {
		text += strlen("0x");
		return scan_u64(&text, 16, &ret, &fits) && fits ? ret : UINT64_MAX;
	}
	if (!is_digit(*text))
		return UINT64_MAX;
	for (; is_digit(*text) || ((*text == ',' || *text == '.') && is_digit(text[1])); text++)
		if (is_digit(*text) && (__builtin_mul_overflow(ret, 10, &ret) ||
					__builtin_add_overflow(ret, (uint64_t)(*text - '0'), &ret)))
			return UINT64_MAX;
	return ret;
}

static bool is_warning_line(const char *text)
{
	size_t len;
	const char *value = value_of(text, &len);
	struct nvme_health health;

	return value && nvme_field(&health, text, len) == &health.critical_warning && number_of(value) <= UINT8_MAX &&
	       scan_end(value + strspn(value, "0123456789abcdefxABCDEF"));
}

/* "failed", "passed", "failed: " and what a SAS disk says; NULL: it is no verdict. text: the line from there on. */
static const char *verdict_of(struct arena *arena, const char *text)
{
	const char *said, *code;

	if (text_begins(text, verdict_head)) {
		said = text + strlen(verdict_head);
		return !strcmp(said, "PASSED") ? "passed" : !strcmp(said, "FAILED!") ? "failed" : NULL;
	}
	if (!text_begins(text, status_head))
		return NULL;
	said = text + strlen(status_head);
	if (!strcmp(said, "OK"))
		return "passed";
	/*
	 * What it predicts, and not to try whether anybody hears it; the others are warnings of its temperature and the
	 * like.
	 */
	code = strstr(said, " [asc=5d, ascq=");
	return code && !text_begins(code, " [asc=5d, ascq=ff") ?
	       arena_printf(arena, "failed: %.*s", (int)(code - said), said) : NULL;
}

static bool is_verdict(const char *text)
{
	struct arena arena = { .blocks = NULL };
	bool ret = verdict_of(&arena, text) != NULL;

	arena_release(&arena);
	return ret;
}

enum smartd_says { SMARTD_NOTHING, SMARTD_FAILED, SMARTD_PENDING, SMARTD_UNREADABLE };

/* "8 Currently unreadable (pending) sectors (changed +2)"; smartd says, too, when there are none any more. */
static enum smartd_says sectors_in(const char *said, uint64_t *ret_nr)
{
	static const struct { const char *words; enum smartd_says says; } kinds[] = {
		{ "Currently unreadable (pending) sectors", SMARTD_PENDING },
		{ "Offline uncorrectable sectors", SMARTD_UNREADABLE },
	};
	bool is_none = text_begins(said, "No more "), fits = true;

	*ret_nr = 0;
	if (is_none)
		said += strlen("No more ");
	else if (!scan_u64(&said, 10, ret_nr, &fits) || !fits || !scan_char(&said, ' '))
		return SMARTD_NOTHING;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		const char *end = said + strlen(kinds[i].words);

		if (text_begins(said, kinds[i].words) &&
		    (scan_end(end) || text_begins(end, " (changed ") || text_begins(end, ", warning condition")))
			return kinds[i].says;
	}
	return SMARTD_NOTHING;
}

/*
 * "smartd[1159]: Device: /dev/sdb [SAT], FAILED SMART self-check. BACK UP DATA NOW!": what it says of which disk, and of
 * how many sectors.
 */
static enum smartd_says smartd_in(struct arena *arena, const char *text, const char **ret_disk, uint64_t *ret_nr)
{
	static const char device[] = "Device: ", failed[] = "FAILED SMART self-check. BACK UP DATA NOW!";
	const char *name = strstr(text, device), *end = name ? strstr(name, ", ") : NULL, *said;
	enum smartd_says ret;

	if (!end)
		return SMARTD_NOTHING;
	name += strlen(device);
	said = end + strlen(", ");
	ret = text_begins(said, failed) && scan_end(said + strlen(failed)) ? SMARTD_FAILED : sectors_in(said, ret_nr);
	if (ret == SMARTD_NOTHING)
		return ret;
	*ret_disk = disk_name(arena, name);
	if (!*ret_disk)
		*ret_disk = arena_strndup(arena, name, (size_t)(end - name));
	return ret;
}

static bool is_smartd(const char *text)
{
	struct arena arena = { .blocks = NULL };
	const char *name;
	uint64_t nr;
	bool ret = smartd_in(&arena, text, &name, &nr) != SMARTD_NOTHING;

	arena_release(&arena);
	return ret;
}

enum dump_begins disk_health_begins(const struct dump_line *lines, size_t nr)
{
	static const char *const sections[] = {
		"=== START OF INFORMATION SECTION ===", "=== START OF SMART DATA SECTION ===",
		"=== START OF READ SMART DATA SECTION ===", "SMART/Health Information (NVMe Log 0x02",
		"ID# ATTRIBUTE_NAME ",
	};
	const char *text = lines->text, *result;

	(void)nr;
	if (text_begins(text, nvme_head) || is_smartctl_head(text))
		return BEGINS_NEW;
	return text_begins_any(text, sections, ARRAY_SIZE(sections)) || is_verdict(text) || is_warning_line(text) ||
	       is_smartd(text) || disk_self_test_row(text, &result) ? BEGINS_MORE : BEGINS_NOT;
}

/* ---- one disk */

struct output {
	struct reading *reading;
	const char *name;		/* NULL: not told */
	bool is_nvme;			/* it says so, or its name does */
	const char *verdict;		/* NULL: not said */
	struct dump_line *verdict_line;
	uint64_t reasons;		/* bits of critical_warning that the verdict has for reasons */
	struct dump_line *reasons_line;
	bool has_model;
	bool has_health;		/* a verdict or a figure was told: who the disk is stands above these */
	unsigned nr_before;		/* disks of the part before this one */
	unsigned nr_tests;		/* rows of its self-tests up to here, the newest first */
	bool has_test;			/* one of them ended */
};

static const char *name_of(struct output *output)
{
	if (!output->name)
		output->name = disk_name_for_unknown(output->reading, output->is_nvme ? "nvmeX" : "sdX",
						     output->nr_before);
	return output->name;
}

static struct nvme_controller *controller_of(struct output *output, struct dump_line *line)
{
	output->is_nvme = true;
	return nvme_answered(output->reading, line, name_of(output));
}

static struct disk *disk_of(struct output *output)
{
	return list_element(output->reading->arena, output->reading->snapshot, disks, disk, name_of(output));
}

/* The log of an NVMe disk says what failed; where nobody shows it, the verdict counts. */
static void end_output(struct output *output)
{
	struct nvme_controller *controller;
	struct disk *disk;
	bool is_passed;

	if (output->reasons) {
		controller = controller_of(output, output->reasons_line);
		if (!is_known(controller->health.critical_warning))
			put(output->reading, output->reasons_line, controller->health.critical_warning,
			    val_u64(output->reasons));
	}
	if (!output->verdict)
		return;
	output->verdict_line->is_taken = true;
	is_passed = !strcmp(output->verdict, "passed");
	controller = output->is_nvme ? controller_of(output, output->verdict_line) : NULL;
	/* It passes while no bit of its warnings is set, whatever an earlier output said. */
	if (controller && is_passed && !is_known(controller->health.critical_warning))
		put(output->reading, output->verdict_line, controller->health.critical_warning, val_u64(0));
	if (controller && !is_passed && is_known(controller->health.critical_warning))
		return;
	disk = disk_of(output);
	put(output->reading, output->verdict_line, disk->self_assessment, val_str(output->verdict));
}

/* Another disk without a head: the command above may name the first, and never this one. */
static void next_output(struct output *output)
{
	end_output(output);
	*output = (struct output){
		.reading = output->reading, .is_nvme = output->is_nvme, .nr_before = output->nr_before + 1,
	};
}

/*
 * A head of two words is a model's; a SAS disk has its vendor and its product apart, of which the product tells more.
 */
static void take_identity(struct output *output, struct dump_line *line, const char *name, size_t len,
			  const char *value)
{
	static const char *const models[] = { "Model Number", "Device Model", "Product" };
	struct arena *arena = output->reading->arena;
	const struct val_str text = val_str(arena_strdup(arena, value));
	const char *key = arena_strndup(arena, name, len);
	bool is_model = text_is_any(key, models, ARRAY_SIZE(models));

	if (!*value)
		return;
	if (is_model && (output->has_health || output->has_model))
		next_output(output);
	output->has_model |= is_model;
	if (!strcmp(key, "Model Number"))
		put(output->reading, line, controller_of(output, line)->model, text);
	else if (!strcmp(key, "Device Model") || !strcmp(key, "Product"))
		put(output->reading, line, disk_of(output)->model, text);
	else if (!strcmp(key, "Serial Number") && output->is_nvme)
		put(output->reading, line, controller_of(output, line)->serial, text);
	else if (!strcmp(key, "Firmware Version") && output->is_nvme)
		put(output->reading, line, controller_of(output, line)->firmware, text);
}

static uint64_t reason_of(const char *text)
{
	static const char *const reasons[] = {
		"available spare has fallen below threshold", "temperature is above or below threshold",
		"NVM subsystem reliability has been degraded", "media has been placed in read only mode",
		"volatile memory backup device has failed",
		"persistent memory region has become read-only or unreliable",
	};

	if (!text_begins(text, "- "))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++)
		if (text_begins(text + 2, reasons[i]))
			return UINT64_C(1) << i;
	return 0;
}

/* What is told twice without a head between is of two disks. */
static void take_field(struct output *output, struct dump_line *line, size_t len, const char *value)
{
	struct nvme_health probe;
	uint64_t number = number_of(value);
	bool is_warning = nvme_field(&probe, line->text, len) == &probe.critical_warning;
	struct nvme_health *health;

	if (number == UINT64_MAX || (is_warning && number >= UINT8_MAX))
		return;
	health = &controller_of(output, line)->health;
	if (is_known(*nvme_field(health, line->text, len))) {
		next_output(output);
		health = &controller_of(output, line)->health;
	}
	output->has_health = true;
	put(output->reading, line, *nvme_field(health, line->text, len), val_u64(number));
}

/* Of the sign of degrees some terminals leave nothing. */
static bool is_fahrenheit(const char *unit)
{
	static const char degree[] = "\u00b0";

	unit = text_begins(unit, degree) ? past_blanks(unit + strlen(degree)) : unit;
	return *unit == 'F';
}

/* "36 Celsius", "40 °C (313 K)", "104 °F (313 K)"; false: it is none. */
static bool celsius_of(const char *value, double *ret)
{
	enum { KELVIN_AT_0_C = 273, FAHRENHEIT_AT_0_C = 32 };
	const uint64_t said = number_of(value);
	const char *unit = value + strspn(value, "0123456789"), *kelvin = strchr(value, '(');
	const uint64_t exact = kelvin && strstr(kelvin, " K)") ? number_of(kelvin + 1) : UINT64_MAX;

	if (said == UINT64_MAX)
		return false;
	*ret = exact != UINT64_MAX ? (double)exact - KELVIN_AT_0_C :
	       is_fahrenheit(past_blanks(unit)) ? ((double)said - FAHRENHEIT_AT_0_C) * 5 / 9 : (double)said;
	return true;
}

static void take_value(struct output *output, struct dump_line *line)
{
	struct nvme_health probe;
	size_t len;
	const char *value = value_of(line->text, &len);
	struct nvme_health *health;
	double celsius;

	if (!value)
		return;
	if (nvme_field(&probe, line->text, len)) {
		take_field(output, line, len, value);
	} else if (len == strlen("temperature") && !strncasecmp(line->text, "temperature", len) && output->is_nvme) {
		health = &controller_of(output, line)->health;
		if (!is_known(health->temperature_c) && celsius_of(value, &celsius))
			nvme_put_temperature(output->reading, line, health, celsius);
	} else {
		take_identity(output, line, line->text, len, value);
	}
}

static void begin_output(struct output *output, struct reading *reading, const struct dump_line *line)
{
	const char *name = disk_name_of_part(reading->arena, reading->part);

	*output = (struct output){ .reading = reading };
	if (text_begins(line->text, nvme_head)) {
		output->is_nvme = true;
		name = disk_name(reading->arena, line->text + strlen(nvme_head));
	}
	output->name = name;
	output->is_nvme |= name && disk_name_is_nvme(name);
}

static bool take_smartd(struct reading *reading, struct dump_line *line)
{
	const char *name;
	uint64_t nr;
	enum smartd_says says = smartd_in(reading->arena, line->text, &name, &nr);
	struct disk *disk = says == SMARTD_NOTHING ? NULL :
			    list_element(reading->arena, reading->snapshot, disks, disk, name);

	if (says == SMARTD_FAILED)
		put(reading, line, disk->self_assessment, val_str("failed"));
	else if (says == SMARTD_PENDING)
		put(reading, line, disk->pending_sectors, val_u64(nr));
	else if (says == SMARTD_UNREADABLE)
		put(reading, line, disk->unreadable_sectors, val_u64(nr));
	return disk;
}

/* "197 Current_Pending_Sector  0x0032   100   100   000    Old_age   Always       -       8": the last column. */
static bool take_attribute(struct output *output, struct dump_line *line)
{
	static const char pending[] = "197 Current_Pending_Sector ", unreadable[] = "198 Offline_Uncorrectable ";
	const char *text = past_blanks(line->text), *last = strrchr(text, ' ');
	bool is_pending = text_begins(text, pending);
	uint64_t nr = last ? number_of(last + 1) : UINT64_MAX;
	struct disk *disk;

	if ((!is_pending && !text_begins(text, unreadable)) || nr == UINT64_MAX)
		return false;
	disk = disk_of(output);
	put(output->reading, line, *(is_pending ? &disk->pending_sectors : &disk->unreadable_sectors), val_u64(nr));
	return true;
}

/*
 * The newest test that came to its end counts: a disk that passes one after a failure has replaced what it could not
 * read. Of rows that were searched for the newest may be missing.
 */
static bool take_self_test(struct output *output, struct dump_line *line)
{
	const char *result = NULL;
	unsigned number = disk_self_test_row(line->text, &result);

	if (!number)
		return false;
	line->is_taken = true;
	if (number != output->nr_tests + 1)
		return true;
	output->nr_tests = number;
	if (!result || output->has_test)
		return true;
	output->has_test = true;
	put(output->reading, line, disk_of(output)->self_test, val_str(result));
	return true;
}

static void read_line(struct output *output, struct dump_line *line)
{
	struct arena *arena = output->reading->arena;
	const char *verdict = verdict_of(arena, line->text);
	uint64_t reason = output->verdict ? reason_of(line->text) : 0;

	if (take_smartd(output->reading, line) || take_attribute(output, line) || take_self_test(output, line)) {
		;
	} else if (verdict) {
		if (output->verdict)
			next_output(output);
		output->has_health = true;
		output->verdict = verdict;
		output->verdict_line = line;
	} else if (reason) {
		output->reasons |= reason;
		output->reasons_line = line;
	} else {
		take_value(output, line);
	}
	if (disk_health_begins(line, 1) != BEGINS_NOT)
		line->is_taken = true;
}

void disk_health_read(struct reading *reading)
{
	const struct dump_part *part = reading->part;
	struct output output;

	begin_output(&output, reading, part->lines);
	for (size_t i = 0;
	     i < part->nr_lines && reading->snapshot->nr_nvme_controllers + reading->snapshot->nr_disks < MOST_DISKS;
	     i++)
		read_line(&output, &part->lines[i]);
	end_output(&output);
}
