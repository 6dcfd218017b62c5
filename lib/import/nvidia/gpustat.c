// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * gpustat.c - the rows of gpustat, one for each GPU of NVIDIA's: "[0] NVIDIA A100 | 35°C,   0 % |     4 / 81920 MB |",
 * below a head with host, date and driver that may be missing; and why it has none. Rows of GPUs that could not be
 * opened smi_failure.c reads.
 */
#include "base/compat.h"
#include "import/dump/readers.h"
#include "import/nvidia/figure_limits.h"
#include "import/program/nvml_failure.h"

#include "base/text.h"
#include "base/text_scan.h"

enum { MOST_PERCENTS = 2, MOST_GPUS = 64 };

/* "??" and "?" stand for what the driver does not tell. */
struct figure {
	bool is_known;
	uint64_t number;
};

struct row {
	uint64_t index;
	const char *name, *name_end;
	struct figure temperature, percents[MOST_PERCENTS], power, power_limit, used, total;
	size_t nr_percents;	/* two: the first is the fan's */
};

static bool take_figure(const char **at, struct figure *ret)
{
	bool fits = true;
	size_t len;

	*at = past_blanks(*at);
	len = strspn(*at, "?");
	*at += len;
	ret->is_known = !len && scan_u64(at, 10, &ret->number, &fits) && fits;
	*at = past_blanks(*at);
	return len || ret->is_known;
}

/* "[0] ", and of npustat "[G0] ", of which "[N0] " is none. */
static bool take_index(const char **at, uint64_t *ret)
{
	bool fits = true;

	*at = past_blanks(*at);
	if (!scan_char(at, '['))
		return false;
	scan_char(at, 'G');
	return scan_u64(at, 10, ret, &fits) && fits && *ret < MOST_GPUS && text_begins(*at, "] ");
}

/* "35°C,", "35'C,": what becomes of the degree differs. */
static bool take_temperature(const char **at, struct figure *ret)
{
	enum { DEGREE_BYTES = 3 };
	size_t len;

	if (!take_figure(at, ret))
		return false;
	len = strcspn(*at, "C, |");
	*at += len;
	return len <= DEGREE_BYTES && scan_char(at, 'C') && scan_char(at, ',');
}

/* " 16 %,  76 % (E:  88 %  D:  67 %),  125 / 250 W |": in parentheses stand encoder and decoder. */
static bool take_load(const char **at, struct row *row)
{
	while (*(*at += strspn(*at, " ,")) != '|') {
		struct figure figure;

		if (**at == '(') {
			*at += strcspn(*at, ")");
			if (!scan_char(at, ')'))
				return false;
			continue;
		}
		if (!take_figure(at, &figure))
			return false;
		if (scan_char(at, '%')) {
			if (row->nr_percents == MOST_PERCENTS)
				return false;
			row->percents[row->nr_percents++] = figure;
			continue;
		}
		row->power = figure;
		if ((scan_char(at, '/') && !take_figure(at, &row->power_limit)) || !scan_char(at, 'W'))
			return false;
	}
	return row->nr_percents > 0;
}

/* gpustat asks other vendors' libraries, too. */
static bool is_of_other_vendor(const struct row *row)
{
	static const char *const words[] = { "AMD", "Radeon", "Instinct", "gfx", "Ascend" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (memmem(row->name, (size_t)(row->name_end - row->name), words[i], strlen(words[i])))
			return true;
	return false;
}

static bool row_of(const char *text, struct row *ret)
{
	*ret = (struct row){ .nr_percents = 0 };
	if (!take_index(&text, &ret->index))
		return false;
	ret->name = past_blanks(text + 1);
	text = strchr(ret->name, '|');
	if (!text || *ret->name == '(')
		return false;
	ret->name_end = text++;
	while (ret->name_end > ret->name && ret->name_end[-1] == ' ')
		ret->name_end--;
	if (is_of_other_vendor(ret) || !take_temperature(&text, &ret->temperature) || !take_load(&text, ret) ||
	    !scan_char(&text, '|'))
		return false;
	if (!take_figure(&text, &ret->used) || !scan_char(&text, '/') || !take_figure(&text, &ret->total) ||
	    !text_begins(text, "MB"))
		return false;
	text = past_blanks(text + 2);
	return !*text || *text == '|';
}

/* "[2] ((GPU is lost)) | …": not read here, but its head is. */
static bool is_failed_row(const char *text)
{
	uint64_t index;

	return take_index(&text, &index) && text_begins(past_blanks(text + 1), "((") && strchr(text, '|');
}

/* Blank lines may stand between a head and what is below it. */
static const struct dump_line *next_line(const struct dump_line *lines, size_t nr)
{
	enum { LINES_BELOW = 3 };
	size_t i = 1;

	while (i < nr && i < LINES_BELOW && !*lines[i].text)
		i++;
	return i < nr ? &lines[i] : NULL;
}

static bool has_row_below(const struct dump_line *lines, size_t nr)
{
	const struct dump_line *next = next_line(lines, nr);
	struct row row;

	return next && (row_of(next->text, &row) || is_failed_row(next->text));
}

/* "Error on querying NVIDIA devices. Use …", and below it the library's words: without them it may be anything. */
static const struct nvml_failure *failure_of(const struct dump_line *lines, size_t nr)
{
	const struct dump_line *next = text_begins(past_blanks(lines->text), "Error on querying NVIDIA devices.") ?
					       next_line(lines, nr) : NULL;

	return next ? nvml_failure_in_words(past_blanks(next->text)) : NULL;
}

static size_t nr_digits(const char *at, const char *end)
{
	size_t ret = 0;

	for (; at < end; at++)
		ret += is_digit(*at);
	return ret;
}

/*
 * "host7  Thu Apr 10 09:12:44 2025  550.120": the driver's version, or NULL. Of the date, which is in any language's
 * form, only the digits of its year and time are sure.
 */
static const char *version_of_head(const char *text)
{
	enum { MAJOR_DIGITS = 3, DIGITS_OF_DATE = 8 };
	const char *last = *text && is_digit(text[strlen(text) - 1]) ? strrchr(text, ' ') : NULL;

	if (!last || strspn(last + 1, "0123456789") != MAJOR_DIGITS || last[1 + MAJOR_DIGITS] != '.' ||
	    last[1 + strspn(last + 1, "0123456789.")] || nr_digits(text, last) < DIGITS_OF_DATE)
		return NULL;
	return last + 1;
}

const char *gpustat_host(const struct dump_line *lines, size_t nr)
{
	return version_of_head(lines->text) && has_row_below(lines, nr) ? past_blanks(lines->text) : NULL;
}

enum dump_begins gpustat_begins(const struct dump_line *lines, size_t nr)
{
	struct row row;

	if (gpustat_host(lines, nr) || failure_of(lines, nr))
		return BEGINS_NEW;
	return row_of(lines->text, &row) ? BEGINS_MORE : BEGINS_NOT;
}

static bool can_be(const struct figure *figure, uint64_t most)
{
	return figure->is_known && figure->number <= most;
}

static void read_row(struct reading *reading, struct dump_line *line, const struct row *row)
{
	struct gpu *gpu = reading_gpu_by_index(reading, row->index);
	const struct figure *use = &row->percents[row->nr_percents - 1];

	put(reading, line, gpu->pci.vendor_id, val_str("0x10de"));
	put(reading, line, gpu->pci.driver, val_str("nvidia"));
	put(reading, line, gpu->nvml.index, val_u64(row->index));
	put(reading, line, gpu->nvml.handle, val_str("ok"));
	/* Of one that was cut the first words are missing. */
	if (row->name_end > row->name && !text_begins(row->name, "\xe2\x80\xa6"))
		put(reading, line, gpu->nvml.name,
		    val_str(arena_strndup(reading->arena, row->name, (size_t)(row->name_end - row->name))));
	if (can_be(&row->temperature, MOST_CELSIUS))
		put(reading, line, gpu->nvml.temperature_c, val_f64((double)row->temperature.number));
	if (row->nr_percents > 1 && can_be(&row->percents[0], MOST_PERCENT))
		put(reading, line, gpu->nvml.fan_percent, val_u64(row->percents[0].number));
	if (can_be(use, MOST_PERCENT))
		put(reading, line, gpu->use.busy_percent, val_f64((double)use->number));
	if (can_be(&row->power, MOST_WATTS))
		put(reading, line, gpu->nvml.power_mw, val_u64(row->power.number * 1000));
	if (can_be(&row->power_limit, MOST_WATTS))
		put(reading, line, gpu->nvml.power_limit_mw, val_u64(row->power_limit.number * 1000));
	if (can_be(&row->used, MOST_MIB))
		put(reading, line, gpu->nvml.vram_used_bytes, val_u64(row->used.number << 20));
	if (can_be(&row->total, MOST_MIB))
		put(reading, line, gpu->nvml.vram_total_bytes, val_u64(row->total.number << 20));
}

/* A head begins a part, and so does a failure. */
void gpustat_read(struct reading *reading)
{
	const struct dump_part *part = reading->part;
	const struct nvml_failure *failure = failure_of(part->lines, part->nr_lines);
	const char *version = version_of_head(part->lines->text);
	struct nvml *nvml = &reading->snapshot->nvml;
	struct row row;

	if (version) {
		put(reading, part->lines, nvml->init, val_str("ok"));
		put(reading, part->lines, nvml->driver_version, val_str(arena_strdup(reading->arena, version)));
	}
	if (failure)
		put(reading, part->lines, nvml->init, no_str(failure->state, failure->why));
	for (size_t i = 0; i < part->nr_lines; i++)
		if (row_of(part->lines[i].text, &row))
			read_row(reading, &part->lines[i], &row);
}
