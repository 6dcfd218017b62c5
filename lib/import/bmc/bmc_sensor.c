// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bmc_sensor.c - the sensors of a management controller as they are now, as ipmitool sdr, sdr elist, sensor and
 * ipmi-sensors print them:
 *
 *	CPU1 Temp        | 98 degrees C      | cr
 *	PS2 Status       | C9h | ok  | 10.2 | Presence detected, Failure detected
 *	CPU1 Temp        | 98.000     | degrees C  | cr    | 0.000   | 0.000   | 0.000   | 90.000  | 95.000  | 98.000
 *	CPU1 Temp,98,degrees C,cr
 *	4    | CPU1 Temp       | Temperature       | 98.00      | C     | 'At or Above (>=) Upper Critical Threshold'
 *
 * or each in lines of its own (bmc_block.c), in rows of other tools (bmc_row.c), and what ipmitool chassis status sums
 * up: "Main Power Fault     : true".
 */
#include "base/compat.h"
#include "import/bmc/bmc_block.h"
#include "import/bmc/bmc_cells.h"
#include "import/bmc/bmc_event.h"
#include "import/bmc/bmc_row.h"
#include "import/bmc/bmc_status.h"
#include "import/dump/readers.h"

#include "base/text.h"

static bool is_any(struct bmc_cell cell, const char *const *words, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (cell_is(cell, words[i]))
			return true;
	return false;
}

/* In a table it has two or three letters: "Upper Critical" beside a temperature stands in a list of limits. */
static bool is_status(struct bmc_cell cell)
{
	enum { MOST_LETTERS = 3 };
	static const char *const words[] = { "ok", "ns", "nc", "unc", "lnc", "na" };

	return (cell.len <= MOST_LETTERS && bmc_status_is_critical(cell.at, cell.len)) ||
	       is_any(cell, words, ARRAY_SIZE(words));
}

static bool is_reading(struct bmc_cell cell)
{
	static const char *const units[] = { " degrees", " RPM", " Volts", " Watts", " Amps", " percent", "No Reading",
					     "Disabled" };

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (cell_has(cell, units[i]))
			return true;
	return cell_begins(cell, "0x");
}

/* Of ipmitool -c: "96,degrees C" */
static bool is_unit(struct bmc_cell cell)
{
	static const char *const units[] = { "degrees C", "RPM", "Volts", "Watts", "Amps", "percent" };

	return is_any(cell, units, ARRAY_SIZE(units));
}

/* "C9h" */
static bool is_number(struct bmc_cell cell)
{
	return cell.len == 3 && hex_digit(cell.at[0]) >= 0 && hex_digit(cell.at[1]) >= 0 && cell.at[2] == 'h';
}

/* Which cells tell the name, how it is, its reading and what it says; 0: none does. */
struct form {
	size_t name, status, reading, said;
};

static bool form_of(const struct bmc_cell *cells, size_t nr, struct form *ret)
{
	*ret = (struct form){ .name = 0 };
	if (nr < 3 || !cells[0].len)
		return false;
	if (nr == 3 && is_status(cells[2]) && is_reading(cells[1]))
		*ret = (struct form){ .reading = 1, .status = 2 };
	else if (nr == 4 && is_status(cells[3]) && is_unit(cells[2]) && is_digit(*cells[1].at))
		*ret = (struct form){ .reading = 1, .status = 3 };
	else if (nr == 5 && is_number(cells[1]) && is_status(cells[2]))
		*ret = (struct form){ .status = 2, .reading = 4, .said = 4 };
	else if (nr == 10 && (is_status(cells[3]) || cell_begins(cells[3], "0x")) &&
		 (is_digit(*cells[1].at) || cell_is(cells[1], "na")))
		*ret = (struct form){ .reading = 1, .status = 3 };
	else if (nr >= 6 && is_digit(*cells[0].at) && *cells[nr - 1].at == '\'')
		*ret = (struct form){ .name = 1, .reading = nr - 3, .said = nr - 1 };
	return ret->reading != 0;
}

static const struct bmc_sign chassis_faults[] = {
	{ "Power Overload", NULL, BMC_SUPPLY, NULL }, { "Main Power Fault", NULL, BMC_SUPPLY, NULL },
	{ "Power Control Fault", NULL, BMC_SUPPLY, NULL }, { "Drive Fault", NULL, BMC_HOST, NULL },
	{ "Cooling/Fan Fault", NULL, BMC_LIMIT, NULL },
};

/* What the line of a chassis tells of; *ret_is: that it is so. NULL: it tells nothing of the kind. */
static const struct bmc_sign *chassis_fault(const char *text, bool *ret_is)
{
	text = past_blanks(text);
	for (size_t i = 0; i < ARRAY_SIZE(chassis_faults); i++) {
		size_t len = strlen(chassis_faults[i].words);
		const char *value =
			strncasecmp(text, chassis_faults[i].words, len) ? NULL : scan_behind(text + len, ":");

		*ret_is = value && !strcmp(value, "true");
		if (*ret_is || (value && !strcmp(value, "false")))
			return &chassis_faults[i];
	}
	return NULL;
}

/* Where the type of a sensor begins, " (Power Supply): "; NULL: none is there. *ret_end: what follows it. */
static const char *type_in(const char *text, const char **ret_end)
{
	for (const char *at = text; (at = strstr(at, " (")); at++) {
		size_t len = strcspn(at + 2, ")");

		*ret_end = at + 2 + len;
		if (bmc_is_type(at + 2, len) && text_begins(*ret_end, "): "))
			return at;
	}
	return NULL;
}

/* "58: Status (Power Supply): [Presence detected][Power Supply input lost (AC/DC)]" of older ipmi-sensors: states. */
static const char *states_in(const char *text, const char **ret_name, size_t *ret_len)
{
	const char *name = past_blanks(text) + strspn(past_blanks(text), "0123456789"), *type, *end;
	size_t len = strlen(text);

	name = name != past_blanks(text) ? scan_behind(name, ": ") : NULL;
	type = name && text[len - 1] == ']' ? type_in(name, &end) : NULL;
	if (!type || type == name)
		return NULL;
	*ret_name = name;
	*ret_len = (size_t)(type - name);
	return strchr(end, '[');
}

enum dump_begins bmc_sensor_begins(const struct dump_line *lines, size_t nr)
{
	struct bmc_cell cells[BMC_CELLS] = { { NULL, 0 } };
	struct form form;
	const char *name;
	size_t len;
	bool is;

	if (chassis_fault(lines->text, &is) || bmc_block_begins(lines->text) || states_in(lines->text, &name, &len) ||
	    bmc_row_begins(lines, nr))
		return BEGINS_MORE;
	return form_of(cells, bmc_cells(lines->text, cells), &form) ? BEGINS_MORE : BEGINS_NOT;
}

/* "98 degrees C", also where the unit is a cell of its own. */
static const char *reading_text(struct arena *arena, const struct bmc_cell *cells, const struct form *form)
{
	const char *ret = cell_text(arena, cells[form->reading]);

	if (form->status != form->reading + 2)
		return ret;
	return arena_printf(arena, "%s %s", ret, cell_text(arena, cells[form->reading + 1]));
}

static bool is_beyond(const struct bmc_cell *cells, const struct form *form)
{
	struct bmc_cell status = cells[form->status];

	return bmc_status_is_critical(status.at, status.len) && !bmc_reading_is_dead(cells[form->reading].at);
}

static void read_line(struct reading *reading, struct dump_line *line, struct bmc_events *events)
{
	struct bmc_cell cells[BMC_CELLS] = { { NULL, 0 } };
	struct form form;
	struct bmc_event event = { .line = line, .entry = line->text };

	if (!form_of(cells, bmc_cells(line->text, cells), &form))
		return;
	line->is_taken = true;
	event.sensor = cell_text(reading->arena, cells[form.name]);
	if (form.said) {
		event.said = cell_text(reading->arena, cells[form.said]);
		event.sign = bmc_sign_in(event.said, event.entry);
	}
	if (!event.sign && form.status && is_beyond(cells, &form)) {
		event.said = arena_printf(reading->arena, "%s (%s)", reading_text(reading->arena, cells, &form),
					  cell_text(reading->arena, cells[form.status]));
		event.sign = &bmc_beyond_limit;
	}
	if (event.sign)
		bmc_event_add(reading, events, &event);
}

static void read_states(struct reading *reading, struct dump_line *line, struct bmc_events *events)
{
	size_t len;
	const char *name, *states = states_in(line->text, &name, &len);
	struct bmc_event event = { .line = line, .entry = line->text };

	if (!states)
		return;
	line->is_taken = true;
	event.sensor = arena_strndup(reading->arena, name, len);
	event.said = states;
	event.sign = bmc_sign_in(states, event.entry);
	if (event.sign)
		bmc_event_add(reading, events, &event);
}

static void read_chassis(struct reading *reading, struct dump_line *line, struct bmc_events *events)
{
	bool is;
	struct bmc_event event = {
		.line = line, .sensor = "Chassis", .said = past_blanks(line->text), .entry = line->text,
		.sign = chassis_fault(line->text, &is),
	};

	line->is_taken |= event.sign != NULL;
	if (event.sign && is)
		bmc_event_add(reading, events, &event);
}

static void read_part(struct reading *reading, const struct dump_part *part, struct bmc_events *events)
{
	struct bmc_block block = { .sensor = NULL };
	struct bmc_rows rows = { .type = NULL };

	for (size_t i = 0; i < part->nr_lines; i++) {
		struct dump_line *line = &part->lines[i];

		if (bmc_block_take(reading, events, &block, line)) {
			line->is_taken = true;
			continue;
		}
		if (bmc_row_take(reading, events, &rows, line))
			continue;
		read_line(reading, line, events);
		read_states(reading, line, events);
		read_chassis(reading, line, events);
	}
}

void bmc_sensor_read(struct reading *reading)
{
	struct bmc_events events = { .nr = 0 };

	for (const struct dump_part *part = NULL; (part = reading_next_part(reading, part)); )
		read_part(reading, part, &events);
	bmc_events_put(reading, &events);
}
