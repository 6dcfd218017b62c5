// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * process_list.c - rows of ps and top of the tools that ask GPUs, in uninterruptible sleep: "root 935 0.0 0.0 16488
 * 4056 ? D May04 0:00 /usr/bin/nvidia-smi". Each tool sleeps so for a moment when it waits for its driver; one that
 * does since a day hangs in it, and so do several.
 */
#include "base/compat.h"
#include "import/dump/readers.h"

#include "base/text.h"
#include "base/text_scan.h"

enum { MOST_WORDS = 24, HANG_TOGETHER = 3 };	/* of a row up to its command; rows that no moment explains */

static bool is_number(const struct text_word *word)
{
	return strspn(word->text, "0123456789") == word->len;
}

/* The state of ps, "D", "Ds", "Dsl+" (ps(1), PROCESS STATE CODES). */
static bool is_sleep(const struct text_word *word)
{
	return word->text[0] == 'D' && strspn(word->text + 1, "<NLsl+") + 1 == word->len;
}

/* What follows a state: a time, a date, a share, a terminal or a file. Prose goes on in a word of letters. */
static bool is_column(const struct text_word *word)
{
	return word->len && (memchr(word->text, ':', word->len) || is_digit(word->text[word->len - 1]) ||
			     *word->text == '?' || *word->text == '/');
}

static const char *const tools[] = { "nvidia-smi", "nvidia-modprobe", "dcgmi", "rocm-smi", "amd-smi", "xpu-smi",
				     "rocminfo", "clinfo", "hl-smi", "vulkaninfo", "vainfo",
				     "nvidia-persistenced", "nvidia-docker-plugin", "nvidia-device-plugin",
				     "nv-hostengine", "dcgm-exporter", "xpumd" };
enum { NR_SHORT_LIVED = 11 };	/* of tools: they end at once, as nvidia-smi does unless it is told to go on */

/* Which tool a command is, in whichever folder; ARRAY_SIZE(tools): none. */
static size_t tool_of(const struct text_word *word)
{
	const char *slash = memrchr(word->text, '/', word->len), *name = slash ? slash + 1 : word->text;
	size_t len = word->len - (size_t)(name - word->text), ret = 0;

	while (ret < ARRAY_SIZE(tools) && (strlen(tools[ret]) != len || memcmp(tools[ret], name, len) != 0))
		ret++;
	return ret;
}

/* "May04", "2023", or "1-02:03:04" of the time since its start. */
static bool is_over_a_day(const struct text_word *word)
{
	const char *dash = memchr(word->text, '-', word->len);

	if (month_by_name(word->text))
		return word->len == 5 && is_digit(word->text[3]) && is_digit(word->text[4]);
	return dash && dash > word->text && strspn(word->text, "0123456789") == (size_t)(dash - word->text) &&
	       memchr(dash, ':', word->len - (size_t)(dash - word->text));
}

struct row {
	size_t tool;
	bool is_old;	/* it should have ended at once, and has been there for a day */
};

static bool goes_on(const char *arguments)
{
	static const char *const loops[] = { " -l", " --loop", " dmon", " pmon", " daemon", " -lms" };

	return text_has_any(arguments, loops, ARRAY_SIZE(loops));
}

static bool row_of(const char *text, struct row *ret)
{
	struct text_word words[MOST_WORDS];
	size_t nr = strstr(text, "D") ? scan_words(text, words, MOST_WORDS) : 0, numbers = 0, state = 0;

	for (; state < nr && !is_sleep(&words[state]); state++)
		numbers += is_number(&words[state]);
	if (!numbers || state + 1 >= nr ||
	    (!is_column(&words[state + 1]) && tool_of(&words[state + 1]) == ARRAY_SIZE(tools)))
		return false;
	*ret = (struct row){ .tool = ARRAY_SIZE(tools) };
	for (size_t i = 0; i < nr && ret->tool == ARRAY_SIZE(tools); i++) {
		ret->tool = i > state ? tool_of(&words[i]) : ret->tool;
		ret->is_old |= is_over_a_day(&words[i]);
		if (ret->tool < ARRAY_SIZE(tools))
			ret->is_old &= ret->tool < NR_SHORT_LIVED && !goes_on(words[i].text);
	}
	return ret->tool < ARRAY_SIZE(tools);
}

enum dump_begins process_list_begins(const struct dump_line *lines, size_t nr)
{
	struct row row;

	(void)nr;
	return row_of(lines->text, &row) ? BEGINS_MORE : BEGINS_NOT;
}

void process_list_read(struct reading *reading)
{
	const struct dump_part *part = reading->part;
	struct dump_line *first = NULL;
	struct program_error *to;
	bool is_old = false;
	size_t tool = 0;
	uint64_t nr = 0;
	struct row row;

	for (size_t i = 0; i < part->nr_lines; i++) {
		if (!row_of(part->lines[i].text, &row))
			continue;
		part->lines[i].is_taken = true;
		if (!first || (row.is_old && !is_old)) {
			first = &part->lines[i];
			tool = row.tool;
		}
		is_old |= row.is_old;
		nr++;
	}
	if (!first)
		return;
	to = list_element(reading->arena, reading->snapshot, program_errors, program_error,
			  is_old || nr >= HANG_TOGETHER ? "hung-tool" : "waiting-tool");
	put(reading, first, to->words, val_str(tools[tool]));
	put(reading, first, to->lines, val_u64(nr));
}
