// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bmc_log.c - the event log of a board's management controller (SEL), as ipmitool sel list, its elist and ipmi-sel print it:
 *
 *	1a | 12/03/2024 | 11:27:10 | Temperature GPU3_TEMP | Upper Critical going high | Asserted
 *	26 | Dec-03-2024 | 11:27:10 | GPU3 Temp | Temperature | Upper Critical - going high
 *
 * Of a sensor that has GPU in its name; what was asserted and is no longer is over, and what is much older than the log's
 * newest line is no warning: boards keep their log for years.
 */
#include "base/compat.h"
#include "import/readers.h"

#include "base/text.h"
#include "base/text_scan.h"

enum { MAX_CELLS = 8, MAX_AGE_H = 72 };

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

static bool take_number(const char **at, uint64_t *ret)
{
	bool fits = true;

	return scan_u64(at, 10, ret, &fits) && fits;
}

/* "Dec" */
static bool take_month(const char **at, uint64_t *ret)
{
	*ret = month_by_name(*at);
	*at += *ret ? 3 : 0;
	return *ret != 0;
}

/* "12/03/2024", "12/03/24", "Dec-03-2024" or "2024-12-03"; false: none, as before its clock was set. */
static bool date_of(struct cell cell, uint64_t *ret_year, uint64_t *ret_month, uint64_t *ret_day)
{
	const char *at = cell.at;
	uint64_t first, last;
	char between;

	if (!take_month(&at, &first) && !take_number(&at, &first))
		return false;
	between = *at;
	if ((between != '/' && between != '-') || !scan_char(&at, between) || !take_number(&at, ret_month) ||
	    !scan_char(&at, between) || !take_number(&at, &last))
		return false;
	*ret_year = first > 31 ? first : last + (last < 100 ? 2000 : 0);
	*ret_day = first > 31 ? last : *ret_month;
	*ret_month = first > 31 ? *ret_month : first;
	return *ret_year > 2000 && *ret_year < 3000 && *ret_month && *ret_month <= 12 && *ret_day && *ret_day <= 31;
}

/* The hour of a line, from 1970, 0: it has none. */
static uint64_t hour_of_line(const char *text)
{
	struct cell cells[MAX_CELLS];
	uint64_t year, month, day;
	char time[64];
	int64_t seconds;

	if (cells_of(text, cells) < 5 || !is_clock(cells[2]) || !date_of(cells[1], &year, &month, &day))
		return 0;
	snprintf(time, sizeof(time), "%04u-%02u-%02uT%.2s:00:00.000Z", (unsigned)year, (unsigned)month, (unsigned)day,
		 cells[2].at);
	return parse_rfc3339(time, &seconds) ? 0 : (uint64_t)seconds / 3600;
}

struct bmc_event {
	struct cell sensor, event;
	const char *key;	/* as program_errors has it */
	bool is_over;
	bool is_state;		/* one of the states a sensor goes through, of which the next ends the one before */
	bool is_well;		/* such a state, and a good one */
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
	{ "Transition to OK", "bmc-fault" }, { "Transition to Non-Critical from more severe", "bmc-fault" },
};

/* What is said without what ipmi-sel adds, which no other line has: "… ; Sensor Reading = 95.00 C". */
static struct cell without_reading(struct cell cell)
{
	const char *end = memchr(cell.at, ';', cell.len);

	if (end)
		cell.len = (size_t)(end - cell.at);
	while (cell.len && cell.at[cell.len - 1] == ' ')
		cell.len--;
	return cell;
}

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
		/* "Deasserted", and "Deassertion Event" of ipmi-sel, before what is said. */
		ret->is_over |= cell_has(cells[i], "Deassert");
		for (size_t k = 0; k < ARRAY_SIZE(events) && !ret->key; k++) {
			if (!cell_has(cells[i], events[k].words))
				continue;
			ret->key = events[k].key;
			ret->sensor = cells[sensor];
			ret->event = cells[i];
			ret->is_state = cell_has(cells[i], "Transition to");
			ret->is_well = cell_has(cells[i], "Transition to OK") || cell_has(cells[i], "Non-Critical from more severe");
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

static const char *words_of(struct arena *arena, struct cell sensor, struct cell event)
{
	return arena_printf(arena, "%.*s: %.*s", (int)sensor.len, sensor.at, (int)event.len, event.at);
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

static void clear(struct cleared *cleared, const char *words)
{
	if (!is_cleared(cleared, words) && cleared->nr < ARRAY_SIZE(cleared->words))
		cleared->words[cleared->nr++] = words;
}

/* Is it still so by the lines further down? What it ends itself is noted. */
static bool is_standing(struct arena *arena, struct cleared *cleared, const struct bmc_event *event)
{
	static const struct cell any_state = { "any state", sizeof("any state") - 1 };
	const char *words = words_of(arena, event->sensor, without_reading(event->event));
	const char *state = event->is_state ? words_of(arena, event->sensor, any_state) : words;

	if (event->is_over || event->is_well) {
		/* That it is well no longer says nothing of what was before. */
		if (!event->is_over || !event->is_well)
			clear(cleared, event->is_well ? state : words);
		return false;
	}
	return !is_cleared(cleared, words) && !is_cleared(cleared, state);
}

/* An old one is known and counted as none: what has been as long ago is no warning. */
static void put_event(struct reading *reading, struct dump_line *line, const struct bmc_event *event, bool is_old)
{
	struct program_error *to = list_element(reading->arena, reading->snapshot, program_errors, program_error, event->key);
	uint64_t lines = u64_or(to->lines, 0);

	if (to->words.state == VAL_UNSET || (!lines && !is_old))
		put(reading, line, to->words, val_str(words_of(reading->arena, event->sensor, event->event)));
	if (to->lines.state == VAL_UNSET || !is_old)
		put(reading, line, to->lines, val_u64(lines + !is_old));
}

static uint64_t newest_hour(const struct dump_part *part)
{
	uint64_t ret = 0;

	for (size_t i = 0; i < part->nr_lines; i++) {
		uint64_t hour = hour_of_line(part->lines[i].text);

		if (hour > ret)
			ret = hour;
	}
	return ret;
}

/* From the end: the words that are quoted are those of the newest. */
void bmc_log_read(struct reading *reading)
{
	struct cleared cleared = { .nr = 0 };
	uint64_t newest = newest_hour(reading->part);

	for (size_t i = reading->part->nr_lines; i; i--) {
		struct dump_line *line = &reading->part->lines[i - 1];
		struct bmc_event event;
		uint64_t hour;

		if (!event_of(line->text, &event))
			continue;
		line->is_taken = true;
		hour = hour_of_line(line->text);
		if (is_standing(reading->arena, &cleared, &event))
			put_event(reading, line, &event, hour && newest - hour > MAX_AGE_H);
	}
}
