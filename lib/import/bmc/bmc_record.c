// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bmc_record.c - entries of a management controller's log in lines of their own: Dell's racadm getsel and lclog view,
 * the log of HPE's iLO in its shell and by hpasmcli, Supermicro's IPMICFG, alerts of NVIDIA's NVSM:
 *
 *	Record:      12				SeqNumber       = 210
 *	Date/Time:   03/14/2024 09:12:33	Severity        = Critical
 *	Source:      system			Timestamp       = 2024-03-14 09:12:33
 *	Severity:    Critical			Message         = The power input for power supply 2 is lost.
 *	Description: The power input …		SEVERITY="Critical"
 *						LAST_UPDATE="03/14/2024 09:12"
 *						DESCRIPTION="System Power Supply Failure (…)"
 *
 *	Event: 75 Added: 03/14/2024 09:12	Event:119 Time:2024-03-14 09:12:33 SensorType:Memory
 *	  CRITICAL: Power - System Power …	| Msg = Uncorrectable ECC (P1-DIMMB1) - Assertion
 */
#include "base/compat.h"
#include "import/bmc/bmc_event.h"
#include "import/bmc/bmc_flat.h"
#include "import/bmc/bmc_line.h"
#include "import/bmc/bmc_syslog.h"
#include "import/dump/readers.h"

#include "base/text.h"
#include "base/text_scan.h"

enum { MOST_LINES = 16 };

enum record_field { FIRST, WHEN, HOUR, CLEARED, TYPE, DIRECTION, SEVERITY, SAID, SEVERITY_AND_SAID, NR_FIELDS };

/* The sign behind the name may have blanks before it: "Message         = …". */
static const struct { const char *name; char sign; enum record_field field; } names[] = {
	{ "Record", ':', FIRST }, { "SeqNumber", '=', FIRST }, { "number", '=', FIRST }, { "Event", ':', FIRST },
	{ "SEL Record ID", ':', FIRST }, { "Timestamp", ':', WHEN }, { "Sensor Type", ':', TYPE },
	{ "Event Direction", ':', DIRECTION },
	{ "Date/Time", ':', WHEN }, { "Timestamp", '=', WHEN }, { "date", '=', WHEN }, { "time", '=', HOUR },
	{ "SEVERITY", '=', SEVERITY }, { "LAST_UPDATE", '=', WHEN }, { "DESCRIPTION", '=', SAID },
	{ "Severity", ':', SEVERITY }, { "Severity", '=', SEVERITY }, { "severity", '=', SEVERITY },
	{ "Description", ':', SAID }, { "description", '=', SAID }, { "Message", '=', SAID }, { "| Msg", '=', SAID },
	{ "Date and Time", ':', WHEN },
	{ "system_name", '=', FIRST }, { "component_id", '=', TYPE }, { "event_time", '=', WHEN },
	{ "clear_time", '=', CLEARED },
	{ "CRITICAL", ':', SEVERITY_AND_SAID }, { "CAUTION", ':', SEVERITY_AND_SAID },
	{ "REPAIRED", ':', SEVERITY_AND_SAID }, { "INFORMATION", ':', SEVERITY_AND_SAID },
	{ "INFORMATIONAL", ':', SEVERITY_AND_SAID },
};

/* Its value in *ret; NR_FIELDS: the line is none. */
static enum record_field field_of(const char *text, const char **ret)
{
	text = past_blanks(text);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *sign = scan_behind(text, names[i].name);

		if (!sign || *sign != names[i].sign)
			continue;
		*ret = past_blanks(sign + 1);
		return names[i].field;
	}
	return NR_FIELDS;
}

/* "Event: 75 Added: 03/14/2024 09:12", "Event:119 Time:2024-03-14 09:12:33 SensorType:BIOS" */
static bool is_event_head(const char *text)
{
	return scan_behind(text, "Event:") && (strstr(text, " Added: ") || strstr(text, " Time:")) && bmc_second(text);
}

static bool is_flat(const char *text)
{
	struct arena arena = { .blocks = NULL };
	struct bmc_flat flat;
	bool ret = bmc_flat_read(&arena, text, &flat);

	arena_release(&arena);
	return ret;
}

/* A few lines tell when it was, how serious and what. */
enum dump_begins bmc_record_begins(const struct dump_line *lines, size_t nr)
{
	bool has[NR_FIELDS + 1] = { false };
	const char *value;
	enum record_field first = field_of(lines->text, &value);

	if (bmc_syslog_is_entry(lines->text) || bmc_line_is_entry(lines->tabbed ? lines->tabbed : lines->text) ||
	    is_flat(lines->text))
		return BEGINS_MORE;
	if (first != FIRST && first != WHEN && first != SEVERITY)
		return BEGINS_NOT;
	for (size_t i = 0; i < nr && i < MOST_LINES; i++)
		has[field_of(lines[i].text, &value)] = true;
	if (is_event_head(lines->text))
		return has[SAID] || has[SEVERITY_AND_SAID] ? BEGINS_MORE : BEGINS_NOT;
	return (has[SEVERITY] || has[DIRECTION]) && has[SAID] && has[WHEN] ? BEGINS_MORE : BEGINS_NOT;
}

struct record_entry {
	const char *severity, *said, *sensor, *when;
	struct dump_line *line;
	uint64_t second;
	bool is_over;
};

static void end_record(struct reading *reading, struct bmc_events *events, struct record_entry *record)
{
	struct bmc_event event = {
		.line = record->line, .sensor = "", .said = record->said, .second = record->second, .is_sentence = true,
	};
	const char *severity = record->severity ? record->severity : "";

	bmc_events_saw(events, record->second);
	/* ipmitool's verbose form names the sensor beside what is said of it. */
	if (record->sensor)
		event.sensor = record->sensor;
	if (record->said) {
		event.entry = arena_printf(reading->arena, "%s %s", record->sensor ? record->sensor : "", record->said);
		event.sign = bmc_sign_in(event.said, event.entry);
		event.is_over = record->is_over || bmc_says_over(event.said);
		if (event.sign && event.sign->is != BMC_WELL && bmc_is_well(severity))
			event.is_over = true;
		if (event.sign || (bmc_is_critical(severity) && !event.is_over && !bmc_is_harmless(event.said)))
			bmc_event_add(reading, events, &event);
	}
	*record = (struct record_entry){ .line = NULL };
}

static void take_head(struct record_entry *record, const char *text)
{
	const char *type = strstr(text, "SensorType:");

	record->second = is_event_head(text) ? bmc_second(text) : 0;
	record->sensor = type ? type + strlen("SensorType:") : NULL;
}

/* HPE's hponcfg has it in quotes. */
static void take_said(struct arena *arena, struct record_entry *record, struct dump_line *line, const char *said)
{
	record->said = *said == '"' ? arena_strndup(arena, said + 1, strcspn(said + 1, "\"")) : said;
	record->line = line;
}

static void take_field(struct reading *reading, struct record_entry *record, struct dump_line *line,
		       enum record_field field, const char *value)
{
	switch (field) {
	case FIRST:
		take_head(record, line->text);
		break;
	case WHEN:
		record->when = value;
		record->second = bmc_second(value);
		record->second = record->second ? record->second : bmc_day_in_words(value);
		break;
	case HOUR:
		if (record->when)
			record->second = bmc_second(arena_printf(reading->arena, "%s %s", record->when, value));
		break;
	case CLEARED:
		record->is_over = bmc_second(value) != 0;
		break;
	case TYPE:
		record->sensor = value;
		break;
	case DIRECTION:
		record->is_over = text_begins(value, "Deassert");
		break;
	case SEVERITY:
		record->severity = value;
		break;
	case SAID:
		take_said(reading->arena, record, line, value);
		break;
	case SEVERITY_AND_SAID:
		record->severity = line->text;
		take_said(reading->arena, record, line, value);
		break;
	case NR_FIELDS:
		break;
	}
}

static bool take_flat(struct reading *reading, struct bmc_events *events, struct record_entry *record,
		      struct dump_line *line)
{
	struct bmc_flat flat;

	if (!bmc_flat_read(reading->arena, line->text, &flat))
		return false;
	line->is_taken = true;
	end_record(reading, events, record);
	*record = (struct record_entry){
		.severity = flat.severity, .said = flat.said, .line = line, .second = bmc_second(flat.when),
	};
	end_record(reading, events, record);
	return true;
}

/* HPE's shell and Dell's have their fields in other orders: what is told once more is another entry's. */
static bool is_next(const struct record_entry *record, enum record_field field)
{
	return field == FIRST || (record->said && (field == SAID || field == SEVERITY_AND_SAID)) ||
	       (record->severity && field == SEVERITY && record->said) ||
	       (record->when && field == WHEN && record->said);
}

static void take_line(struct reading *reading, struct bmc_events *events, struct dump_line *line)
{
	struct bmc_event event;

	if (!bmc_syslog_take(reading->arena, line, &event) && !bmc_line_take(line, &event))
		return;
	line->is_taken = true;
	bmc_events_saw(events, event.second);
	if (event.sign || !bmc_is_harmless(event.said))
		bmc_event_add(reading, events, &event);
}

static void read_part(struct reading *reading, const struct dump_part *part, struct bmc_events *events)
{
	struct record_entry record = { .line = NULL };

	for (size_t i = 0; i < part->nr_lines; i++) {
		struct dump_line *line = &part->lines[i];
		const char *value;
		enum record_field field = field_of(line->text, &value);

		if (take_flat(reading, events, &record, line))
			continue;
		if (field == NR_FIELDS) {
			take_line(reading, events, line);
			continue;
		}
		line->is_taken = true;
		if (is_next(&record, field))
			end_record(reading, events, &record);
		take_field(reading, &record, line, field, value);
	}
	end_record(reading, events, &record);
}

void bmc_record_read(struct reading *reading)
{
	struct bmc_events events = { .nr = 0 };

	for (const struct dump_part *part = NULL; (part = reading_next_part(reading, part)); )
		read_part(reading, part, &events);
	bmc_events_put(reading, &events);
}
