// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bmc_log.c - the event log of a board's management controller (SEL), as ipmitool sel list, its elist, ipmi-sel and
 * Supermicro's IPMICFG print it:
 *
 *	1a | 12/03/2024 | 11:27:10 | Temperature GPU3_TEMP | Upper Critical going high | Asserted
 *	26 | Dec-03-2024 | 11:27:10 | GPU3 Temp | Temperature | Critical | Upper Critical - going high
 *	27 | 2024/12/03 11:27:10 | Memory
 *	   | Assertion:Uncorrectable ECC@DIMMA1(CPU1)
 */
#include "base/compat.h"
#include "import/bmc/bmc_cells.h"
#include "import/bmc/bmc_event.h"
#include "import/dump/readers.h"

#include "base/text.h"
#include "base/text_scan.h"

/* "20時29分04秒 JST", "20시 29분 04초 KST" */
static bool is_signed_clock(struct bmc_cell cell)
{
	return cell.len > 2 && is_digit(cell.at[0]) && is_digit(cell.at[1]) &&
	       (text_begins(cell.at + 2, "時") || text_begins(cell.at + 2, "时") || text_begins(cell.at + 2, "시"));
}

/* "11:27:10", "11:27:10 UTC", "0000000123" of a clock that was not set yet, "PostInit" */
static bool is_clock(struct bmc_cell cell, struct bmc_cell date)
{
	if (cell_begins(date, "Pre-Init") || cell_begins(date, "PostInit"))
		return cell.len && (is_digit(*cell.at) || cell_begins(cell, "PostInit"));
	if (is_signed_clock(cell))
		return is_digit(*date.at);
	return cell.len >= 8 && is_digit(cell.at[0]) && is_digit(cell.at[1]) && cell.at[2] == ':' &&
	       cell.at[5] == ':' && is_digit(cell.at[7]) && (is_digit(*date.at) || month_by_name(date.at));
}

/* "2024/12/03 11:27:10" */
static bool is_stamp(struct bmc_cell cell)
{
	return cell.len == 19 && is_digit(*cell.at) && cell.at[4] == '/' && cell.at[10] == ' ' && cell.at[13] == ':';
}

/* "Power Supply #0x86 | Power Supply AC lost | Asserted", whose number and time were cut off. */
static bool is_bare(const struct bmc_cell *cells, size_t nr)
{
	return nr == 3 && cell_has(cells[0], " #0x") &&
	       (cell_begins(cells[2], "Asserted") || cell_begins(cells[2], "Deasserted"));
}

/*
 * "1a", also behind what a program has before it that passes such lines on: "Mar 14 09:12:33 node7 sel: 1a"; 0: none.
 */
static size_t number_len(struct bmc_cell cell)
{
	enum { MOST_DIGITS = 8 };
	size_t len = 0;

	while (len < cell.len && hex_digit(cell.at[cell.len - 1 - len]) >= 0)
		len++;
	return len <= MOST_DIGITS && (len == cell.len || strchr(" =:\"'", cell.at[cell.len - 1 - len])) ? len : 0;
}

/* The first cell behind the number and the time; NO_CELL: the line is none of such a log. */
enum { NO_CELL = BMC_CELLS };
static size_t first_cell(const struct bmc_cell *cells, size_t nr)
{
	if (is_bare(cells, nr))
		return 0;
	if (nr < 3 || !number_len(cells[0]))
		return NO_CELL;
	if (nr >= 5 && is_clock(cells[2], cells[1]))
		return 3;
	if (number_len(cells[0]) < cells[0].len)
		return NO_CELL;
	if (nr >= 4 && cell_begins(cells[1], "Pre-Init Time"))
		return 2;
	return is_stamp(cells[1]) ? 2 : NO_CELL;
}

/* Its name is that of a GPU, or the first. */
static size_t sensor_cell(const struct bmc_cell *cells, size_t nr, size_t first)
{
	for (size_t i = first; i < nr; i++)
		if (cell_has(cells[i], "GPU"))
			return i;
	return first;
}

/* Of ipmi-sel with --output-event-state. */
static bool is_state(struct bmc_cell cell)
{
	return cell_is(cell, "Nominal") || cell_is(cell, "Warning") || cell_is(cell, "Critical");
}

/* "Asserted", "Deassertion Event" of ipmi-sel before what is said; its state tells so, too. */
static void take_direction(struct bmc_cell cell, struct bmc_event *ret)
{
	bool is_end = cell_begins(cell, "Deassert");

	ret->is_over |= is_end;
	if (is_end || cell_begins(cell, "Assert") || is_state(cell))
		ret->is_undirected = false;
}

static bool take_event(struct reading *reading, struct dump_line *line, const char *text, struct bmc_event *ret)
{
	struct bmc_cell cells[BMC_CELLS];
	size_t nr = bmc_cells(text, cells), first = first_cell(cells, nr), sensor = sensor_cell(cells, nr, first);
	bool is_nominal = false;

	*ret = (struct bmc_event){ .line = line, .is_undirected = true };
	ret->second = bmc_second(cells[1].at);
	ret->sensor = cell_text(reading->arena, cells[sensor]);
	ret->entry = cells[first].at;
	for (size_t i = sensor + 1; i < nr; i++) {
		const char *said = cell_text(reading->arena, cells[i]);

		take_direction(cells[i], ret);
		is_nominal |= cell_is(cells[i], "Nominal");
		if (ret->sign || is_state(cells[i]))
			continue;
		ret->sign = bmc_sign_in(said, ret->entry);
		ret->said = said;
	}
	ret->is_over |= is_nominal && ret->sign && ret->sign->is != BMC_WELL;
	return ret->sign != NULL;
}

/* What IPMICFG says below: the line is its own. */
static bool take_second_line(struct reading *reading, struct dump_line *line, const char *stamp, struct bmc_event *ret)
{
	const char *text = scan_behind(line->text, "|"), *said = text ? strchr(text, ':') : NULL;

	*ret = (struct bmc_event){ .line = line };
	if (!said || (!scan_behind(text, "Assertion") && !scan_behind(text, "Deassertion")))
		return false;
	ret->said = said + 1;
	ret->sensor = past_blanks(strrchr(stamp, '|') + 1);
	ret->entry = arena_printf(reading->arena, "%s: %s", ret->sensor, ret->said);
	ret->second = bmc_second(stamp);
	ret->is_over = *text == 'D';
	ret->sign = bmc_sign_in(ret->said, ret->entry);
	return ret->sign != NULL;
}

enum dump_begins bmc_log_begins(const struct dump_line *lines, size_t nr)
{
	struct bmc_cell cells[BMC_CELLS];

	(void)nr;
	return first_cell(cells, bmc_cells(lines->text, cells)) < NO_CELL ? BEGINS_MORE : BEGINS_NOT;
}

static bool has_direction(const char *text)
{
	static const char *const directions[] = { "| Asserted", "| Deasserted", ",Asserted", ",Deasserted" };

	return text_has_any(text, directions, ARRAY_SIZE(directions));
}

/*
 * ipmitool's lines have a direction. Where a terminal broke one, it goes on in the next line; a blank at which it was
 * broken is lost in most pastes: then it is one column shorter than the terminal is wide.
 */
static const char *whole_line(struct arena *arena, struct dump_line *lines, size_t nr)
{
	enum { SHORTEST = 64, LONGEST_REST = 64 };
	struct bmc_cell cells[BMC_CELLS];
	const char *text = lines->text;
	size_t len = strlen(text), rest = nr < 2 ? 0 : strnlen(lines[1].text, LONGEST_REST + 1);

	if (len < SHORTEST || !rest || rest > LONGEST_REST || has_direction(text) || bmc_cells(text, cells) < 4 ||
	    !is_digit(*cells[1].at) || first_cell(cells, bmc_cells(lines[1].text, cells)) < NO_CELL)
		return text;
	lines[1].is_taken = true;
	return arena_printf(arena, "%s%s%s", text, lines->tabbed || len % 10 == 9 ? " " : "", lines[1].text);
}

static void read_part(struct reading *reading, const struct dump_part *part, struct bmc_events *events)
{
	const char *stamp = NULL;

	for (size_t i = 0; i < part->nr_lines; i++) {
		struct dump_line *line = &part->lines[i];
		struct bmc_cell cells[BMC_CELLS];
		size_t nr = bmc_cells(line->text, cells);
		struct bmc_event event;
		const char *text;

		if (first_cell(cells, nr) < NO_CELL) {
			line->is_taken = true;
			bmc_events_saw(events, bmc_second(line->text));
			stamp = nr == 3 && strchr(line->text, '|') && !is_bare(cells, nr) ? line->text : NULL;
			text = whole_line(reading->arena, line, part->nr_lines - i);
			if (!stamp && take_event(reading, line, text, &event))
				bmc_event_add(reading, events, &event);
		} else if (stamp && take_second_line(reading, line, stamp, &event)) {
			line->is_taken = true;
			bmc_event_add(reading, events, &event);
			stamp = NULL;
		}
	}
}

void bmc_log_read(struct reading *reading)
{
	struct bmc_events events = { .nr = 0 };

	for (const struct dump_part *part = NULL; (part = reading_next_part(reading, part)); )
		read_part(reading, part, &events);
	bmc_events_put(reading, &events);
}
