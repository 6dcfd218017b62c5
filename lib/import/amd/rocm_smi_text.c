// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rocm_smi_text.c - rocm-smi as people read it: lines "GPU[0] : NAME: VALUE" of -a and --show…, the table of error
 * counters of --showrasinfo, and the concise table of a run without arguments.
 */
#include "base/compat.h"
#include "import/amd/amd_value.h"
#include "import/dump/layout.h"
#include "import/dump/readers.h"

#include "base/text.h"
#include "base/text_scan.h"

enum { MAX_WORDS = 24 };

/* "GPU[3]          : Unique ID: 0x…"; *ret is what follows the first colon. */
static bool is_gpu_line(const char *text, uint64_t *ret_index, const char **ret)
{
	bool fits = true;

	text += strspn(text, " ");
	if (strncmp(text, "GPU[", 4) != 0)
		return false;
	text += 4;
	if (!scan_u64(&text, 10, ret_index, &fits) || !fits || *text++ != ']')
		return false;
	text += strspn(text, " ");
	if (*text++ != ':')
		return false;
	*ret = text + strspn(text, " ");
	return true;
}

/* "GPU  Temp   AvgPwr  SCLK …", "Device  Node  IDs              Temp …" */
static bool is_table_head(const char *text)
{
	text += strspn(text, " ");
	return (!strncmp(text, "GPU ", 4) || !strncmp(text, "Device ", 7)) && strstr(text, "SCLK") &&
	       strstr(text, "VRAM%");
}

/*
 * "15      17    0x74a1,   48427  42.0°C  131.0W  NPS1, CPX, 7  145Mhz  900Mhz  0%  …" of a table whose head was cut
 * off
 */
static bool is_table_row(const char *text)
{
	uint64_t number;
	bool fits = true;

	text = past_blanks(text);
	for (int column = 0; column < 2; column++) {
		if (!scan_u64(&text, 10, &number, &fits) || !fits || *text != ' ')
			return false;
		text = past_blanks(text);
	}
	return text_begins(text, "0x") && strstr(text, "C ") && strstr(text, "W ") && strstr(text, "Mhz ") &&
	       strchr(text, '%');
}

static bool is_banner(const char *text)
{
	return strstr(text, "ROCm System Management Interface") && strchr("=.", text[strspn(text, " ")]);
}

enum dump_begins rocm_smi_text_begins(const struct dump_line *lines, size_t nr)
{
	uint64_t index;
	const char *rest;

	(void)nr;
	if (is_banner(lines->text) || is_table_head(lines->text) || is_gpu_line(lines->text, &index, &rest) ||
	    is_table_row(lines->text))
		return BEGINS_MORE;
	return BEGINS_NOT;
}

/* ---- lines of one value */

/* The lines of a GPU stand one after another, or those of one value of all GPUs do. */
static struct amd_gpu *gpu_of(struct reading *reading, struct amd_gpu *at, struct dump_line *line, uint64_t index)
{
	if (at->gpu)
		amd_gpu_end(reading, at);
	amd_gpu_begin(reading, at, line, index, NULL);
	line->is_taken = false;
	return at;
}

static void read_value(struct reading *reading, struct amd_gpu *at, struct dump_line *line, uint64_t index,
		       const char *text)
{
	const char *colon = strstr(text, ": ");

	if (!colon)
		return;
	gpu_of(reading, at, line, index);
	amd_take(reading, at, ROCM_SMI, arena_small_letters(reading->arena, text, (size_t)(colon - text)),
		 colon + 2 + strspn(colon + 2, " "), line);
}

/* The address that a line "PCI Bus" gives a GPU, or NULL. */
static const char *address_of(const struct dump_part *part, uint64_t wanted)
{
	uint64_t index;
	const char *rest;

	for (size_t i = 0; i < part->nr_lines; i++)
		if (is_gpu_line(part->lines[i].text, &index, &rest) && index == wanted &&
		    !strncasecmp(rest, "PCI Bus: ", 9))
			return rest + 9;
	return NULL;
}

/* A GPU is known by its address from its first line on. */
static void name_gpus(struct reading *reading)
{
	struct amd_gpu at;
	uint64_t index;
	const char *rest;

	for (size_t i = 0; i < reading->part->nr_lines; i++) {
		struct dump_line *line = &reading->part->lines[i];
		bool is_gpu = is_gpu_line(line->text, &index, &rest);

		if (is_gpu && !strncasecmp(rest, "PCI Bus: ", 9))
			amd_gpu_begin(reading, &at, line, index, address_of(reading->part, index));
	}
}

/* ---- error counters */

/* "UMC  ENABLED  0  0". What a block that is not enabled counts is nothing. */
static void read_block(struct reading *reading, struct amd_gpu *at, struct dump_line *line, const char *const *words,
		       size_t nr)
{
	uint64_t corrected, uncorrected;

	if (nr != 4 || strcmp(words[1], "ENABLED") != 0 || parse_u64(words[2], &corrected) ||
	    parse_u64(words[3], &uncorrected))
		return;
	amd_take_block(reading, at, words[0], corrected, uncorrected, line);
}

/* ---- the concise table */

static bool ends_in(const char *word, const char *end)
{
	size_t len = strlen(word), end_len = strlen(end);

	return len > end_len && !strcmp(word + len - end_len, end) && is_digit(*word);
}

/* What stands where differs over time; units tell: power comes before the clocks, its limit after them. */
static void read_row(struct reading *reading, struct amd_gpu *at, struct dump_line *line, bool is_junction,
		     const char *const *words, size_t nr)
{
	bool after_clocks = false;
	const char *name;

	for (size_t i = 1; i < nr; i++) {
		after_clocks |= ends_in(words[i], "Mhz");
		if (ends_in(words[i], "\xc2\xb0" "C") || ends_in(words[i], "c") || ends_in(words[i], "?C"))
			name = is_junction ? "temperature (sensor junction) (c)" : "temperature (sensor edge) (c)";
		else if (ends_in(words[i], "W"))
			name = after_clocks ? "max graphics package power (w)" : "average graphics package power (w)";
		else if (ends_in(words[i], "%") && i + 1 == nr)
			name = "gpu use (%)";
		else if (!strncmp(words[i], "0x", 2) && i < 4 && strchr(words[i], ','))
			name = "device id";
		else
			continue;
		amd_take(reading, at, ROCM_SMI, name, arena_strndup(reading->arena, words[i], strcspn(words[i], ",")),
			 line);
	}
}

static bool is_of_first_partition(const char *const *words, size_t nr)
{
	/* "NPS1, SPX, 0": those behind the first have no sensors of their own. */
	for (size_t i = 1; i + 1 < nr; i++)
		if (strchr(words[i], ',') && strncmp(words[i], "0x", 2) != 0 && !strchr(words[i + 1], ','))
			return !strcmp(words[i + 1], "0") || !strcmp(words[i + 1], "N/A");
	return true;
}

/*
 * A GPU that is suspended has no sensors, and the tool says so above its table: in this part, or in the lines before
 * it.
 */
static bool is_any_asleep(const struct reading *reading)
{
	enum { PARTS_BEFORE = 2 };
	size_t own = reading->part->number;

	for (size_t i = own > PARTS_BEFORE ? own - PARTS_BEFORE - 1 : 0;
	     reading->parts && i < own && i < reading->parts->nr; i++)
		for (size_t k = 0; k < reading->parts->v[i].nr_lines; k++)
			if (strstr(reading->parts->v[i].lines[k].text, "low-power state"))
				return true;
	return false;
}

/* Temperature, power and clocks are no numbers. */
static bool is_mute(const char *const *words, size_t nr)
{
	size_t nr_missing = 0;

	for (size_t i = 1; i < nr; i++) {
		if (ends_in(words[i], "W") || ends_in(words[i], "Mhz") || ends_in(words[i], "c") ||
		    ends_in(words[i], "C"))
			return false;
		nr_missing += !strcmp(words[i], "N/A") || !strcmp(words[i], "None");
	}
	return nr_missing >= 4 && is_of_first_partition(words, nr);
}

/* What the lines before one said of those after it. */
struct state {
	bool in_table, is_junction, in_blocks, is_any_asleep;
};

static void read_line(struct reading *reading, struct amd_gpu *at, struct state *state, struct dump_line *line)
{
	const char *words[MAX_WORDS], *rest;
	uint64_t index;
	size_t nr;

	if (is_gpu_line(line->text, &index, &rest)) {
		state->in_table = false;
		/* Its name is missing in some releases. */
		state->in_blocks = !strncmp(rest, "RAS INFO", 8) || !*rest;
		if (state->in_blocks) {
			gpu_of(reading, at, line, index);
			line->is_taken = true;
		} else {
			read_value(reading, at, line, index, rest);
		}
		return;
	}
	nr = layout_words(reading->arena, line->text, words, MAX_WORDS);
	if (is_banner(line->text)) {
		line->is_taken = true;
	} else if (is_table_head(line->text)) {
		state->in_table = true;
		state->in_blocks = false;
		state->is_junction = strstr(line->text, "Junction") != NULL;
	} else if (state->in_table && strstr(line->text, "(Junction)")) {
		state->is_junction = true;
	} else if (state->in_blocks) {
		read_block(reading, at, line, words, nr);
	} else if ((state->in_table || is_table_row(line->text)) && nr > 4 && !parse_u64(words[0], &index)) {
		gpu_of(reading, at, line, index);
		read_row(reading, at, line, state->is_junction, words, nr);
		if (!state->is_any_asleep && is_mute(words, nr))
			amd_mute(reading, at, "N/A in rocm-smi's table", line);
	}
}

void rocm_smi_text_read(struct reading *reading)
{
	struct state state = { .is_any_asleep = is_any_asleep(reading) };
	struct amd_gpu at = { .gpu = NULL };

	name_gpus(reading);
	for (size_t i = 0; i < reading->part->nr_lines; i++)
		read_line(reading, &at, &state, &reading->part->lines[i]);
	if (at.gpu)
		amd_gpu_end(reading, &at);
}
