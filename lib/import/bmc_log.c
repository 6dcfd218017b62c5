// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bmc_log.c - the event log of a board's management controller (SEL), as ipmitool sel list, its elist and ipmi-sel print it:
 *
 *	1a | 12/03/2024 | 11:27:10 | Temperature GPU3_TEMP | Upper Critical going high | Asserted
 *	26 | Dec-03-2024 | 11:27:10 | GPU3 Temp | Temperature | Upper Critical - going high
 *
 * Of a sensor that has GPU in its name; what was asserted and is no longer is over.
 */
#include "base/compat.h"
#include "import/readers.h"

#include "base/text.h"
#include "base/text_scan.h"

enum { MAX_CELLS = 8 };

struct cell {
	const char *at;
	size_t len;
};

static bool cell_has(struct cell cell, const char *word)
{
	const char *at = strcasestr(cell.at, word);

	return at && (size_t)(at - cell.at) + strlen(word) <= cell.len;
}

static size_t cells_of(const char *text, struct cell ret[MAX_CELLS])
{
	size_t nr = 0;

	for (text = past_blanks(text); nr < MAX_CELLS; text++) {
		size_t len = strcspn(text, "|");

		ret[nr] = (struct cell){ past_blanks(text), len };
		ret[nr].len -= (size_t)(ret[nr].at - text);
		while (ret[nr].len && ret[nr].at[ret[nr].len - 1] == ' ')
			ret[nr].len--;
		nr++;
		text += len;
		if (!*text)
			break;
	}
	return nr;
}

/* "11:27:10", "11:27:10 UTC" */
static bool is_clock(struct cell cell)
{
	return cell.len >= 8 && is_digit(cell.at[0]) && is_digit(cell.at[1]) && cell.at[2] == ':' && cell.at[5] == ':' &&
	       is_digit(cell.at[7]);
}

struct bmc_event {
	struct cell sensor, event;
	const char *key;	/* as program_errors has it */
	bool is_over;
};

/* What is said of a sensor, and which kind of trouble it is: heat and voltage have limits, other sensors states. */
static const struct { const char *words, *key; } events[] = {
	{ "Upper Critical going high", "bmc-limit" }, { "Lower Critical going low", "bmc-limit" },
	{ "Upper Critical - going high", "bmc-limit" }, { "Lower Critical - going low", "bmc-limit" },
	{ "Upper Non-recoverable going high", "bmc-limit" }, { "Lower Non-recoverable going low", "bmc-limit" },
	{ "Upper Non-recoverable - going high", "bmc-limit" }, { "Lower Non-recoverable - going low", "bmc-limit" },
	{ "Uncorrectable", "bmc-fault" }, { "Transition to Critical", "bmc-fault" }, { "Transition to Non-recoverable", "bmc-fault" },
	{ "Failure detected", "bmc-fault" }, { "Predictive Failure", "bmc-fault" }, { "Fault Status", "bmc-fault" },
	{ "Bus Fatal Error", "bmc-fault" }, { "Bus Uncorrectable", "bmc-fault" },
};

static bool event_of(const char *text, struct bmc_event *ret)
{
	struct cell cells[MAX_CELLS];
	size_t nr = cells_of(text, cells), sensor = 3;

	if (nr < 5 || !cells[0].len || strspn(cells[0].at, "0123456789abcdefABCDEF") != cells[0].len || !is_clock(cells[2]))
		return false;
	while (sensor < nr && !cell_has(cells[sensor], "GPU"))
		sensor++;
	*ret = (struct bmc_event){ .key = NULL };
	for (size_t i = sensor + 1; i < nr; i++) {
		ret->is_over |= cell_has(cells[i], "Deasserted");
		for (size_t k = 0; k < ARRAY_SIZE(events) && !ret->key; k++) {
			if (!cell_has(cells[i], events[k].words))
				continue;
			ret->key = events[k].key;
			ret->sensor = cells[sensor];
			ret->event = cells[i];
		}
	}
	return ret->key != NULL;
}

enum dump_begins bmc_log_begins(const struct dump_line *lines, size_t nr)
{
	struct bmc_event event;

	(void)nr;
	return event_of(lines->text, &event) ? BEGINS_MORE : BEGINS_NOT;
}

static const char *words_of(struct arena *arena, const struct bmc_event *event)
{
	return arena_printf(arena, "%.*s: %.*s", (int)event->sensor.len, event->sensor.at, (int)event->event.len, event->event.at);
}

/* What is over by the lines further down. A log of a board has a few thousand lines; of more the rest counts as not over. */
struct cleared {
	const char *words[256];
	size_t nr;
};

static bool is_cleared(const struct cleared *cleared, const char *words)
{
	for (size_t i = 0; i < cleared->nr; i++)
		if (!strcmp(cleared->words[i], words))
			return true;
	return false;
}

static void put_event(struct reading *reading, struct dump_line *line, const char *key, const char *words)
{
	struct program_error *to = list_element(reading->arena, reading->snapshot, program_errors, program_error, key);

	if (to->words.state == VAL_UNSET)
		put(reading, line, to->words, val_str(words));
	put(reading, line, to->lines, val_u64(u64_or(to->lines, 0) + 1));
}

/* From the end: the words that are quoted are those of the newest. */
void bmc_log_read(struct reading *reading)
{
	struct cleared cleared = { .nr = 0 };

	for (size_t i = reading->part->nr_lines; i; i--) {
		struct dump_line *line = &reading->part->lines[i - 1];
		struct bmc_event event;
		const char *words;

		if (!event_of(line->text, &event))
			continue;
		line->is_taken = true;
		words = words_of(reading->arena, &event);
		if (!event.is_over && !is_cleared(&cleared, words))
			put_event(reading, line, event.key, words);
		else if (event.is_over && !is_cleared(&cleared, words) && cleared.nr < ARRAY_SIZE(cleared.words))
			cleared.words[cleared.nr++] = words;
	}
}
