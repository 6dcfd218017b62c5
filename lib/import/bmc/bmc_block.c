// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bmc_block.c - a sensor as it is now in lines of its own, as ipmitool sensor get and ipmitool -v sdr print it:
 *
 *	Sensor ID              : PS2 Status (0x86)	Sensor ID              : GPU3 Temp (0x4d)
 *	 Entity ID             : 10.2 (Power Supply)	 Sensor Type (Threshold)  : Temperature (0x01)
 *	 Sensor Type (Discrete): Power Supply (0x08)	 Sensor Reading        : 96 (+/- 1) degrees C
 *	 States Asserted       : Power Supply		 Status                : Upper Critical
 *	                         [Presence detected]	 Upper Critical        : 92.000
 *	                         [Failure detected]
 *	 Assertions Enabled    : Power Supply
 *	                         [Failure detected]
 *
 * What may be told of a sensor, and what of it was an event at some time, stand in the same words below other names.
 */
#include "base/compat.h"
#include "import/bmc/bmc_block.h"
#include "import/bmc/bmc_status.h"

#include "base/text.h"
#include "base/text_scan.h"

/* What stands behind its name and a colon; NULL: the line is of another name. */
static const char *value_of(const char *text, const char *name)
{
	const char *at = scan_behind(text, name);

	/* "Sensor Type (Discrete): …" */
	if (at && *at == '(')
		at = past_blanks(at + strcspn(at, ":"));
	return at && *at == ':' ? past_blanks(at + 1) : NULL;
}

/* "PS2 Status (0x86)", without its number; NULL: it has none. */
static const char *name_in(struct arena *arena, const char *value)
{
	const char *number = value ? strstr(value, " (0x") : NULL;

	return number ? arena_strndup(arena, value, (size_t)(number - value)) : NULL;
}

bool bmc_block_begins(const char *text)
{
	const char *value = value_of(text, "Sensor ID");

	return value && strstr(value, " (0x");
}

/* What the value is of by its kind, "Power Supply (0x08)", or nothing by itself: "Digital State". */
static bool is_title(const struct bmc_block *block, const char *said)
{
	size_t len = strlen(said);

	if (len >= strlen(" State") && !strcmp(said + len - strlen(" State"), " State"))
		return true;
	return block->type && text_begins(block->type, said);
}

static void add(struct reading *reading, struct bmc_events *events, const struct bmc_block *block,
		struct bmc_event *event)
{
	event->sensor = block->sensor;
	event->entry =
		arena_printf(reading->arena, "%s %s %s", block->type ? block->type : "", block->sensor, event->said);
	event->sign = event->sign ? event->sign : bmc_sign_in(event->said, event->entry);
	if (event->sign)
		bmc_event_add(reading, events, event);
}

/* "[Failure detected]", or as far from the margin as the first one: what else follows is somebody's sentence. */
static bool is_state(const struct bmc_block *block, const char *text)
{
	const char *said = past_blanks(text);

	if (*said == '[')
		return said[strcspn(said, "]")] && !said[strcspn(said, "]") + 1];
	return said != text && (size_t)(said - text) == block->column && !strpbrk(said, ":|");
}

/* "[Failure detected]", and by older versions without brackets. */
static void add_state(struct reading *reading, struct bmc_events *events, const struct bmc_block *block,
		      struct dump_line *line, const char *said)
{
	size_t len;

	said = past_blanks(said);
	said += *said == '[';
	len = strcspn(said, "]");
	if (len && !is_title(block, said))
		add(reading, events, block, &(struct bmc_event){
			.line = line, .said = arena_strndup(reading->arena, said, len),
		});
}

static void begin_states(struct reading *reading, struct bmc_events *events, struct bmc_block *block,
			 struct dump_line *line, const char *value)
{
	add_state(reading, events, block, line, value);
	block->in_states = true;
	block->column = (size_t)(value - line->text);
}

static void add_limit(struct reading *reading, struct bmc_events *events, const struct bmc_block *block,
		      struct dump_line *line, const char *status)
{
	if (!bmc_status_is_critical(status, strlen(status)) || (block->reading && bmc_reading_is_dead(block->reading)))
		return;
	add(reading, events, block, &(struct bmc_event){
		.line = line, .sign = &bmc_beyond_limit,
		.said = arena_printf(reading->arena, "%s (%s)", block->reading ? block->reading : "a reading", status),
	});
}

/* "98 (+/- 1) degrees C" without what it may be off. */
static const char *reading_in(struct arena *arena, const char *value)
{
	const char *off = strstr(value, " (+/- "), *end = off ? strchr(off, ')') : NULL;

	return end ? arena_printf(arena, "%.*s%s", (int)(off - value), value, end + 1) : value;
}

static bool take_head(struct reading *reading, struct bmc_block *block, const char *text)
{
	const char *sensor = name_in(reading->arena, value_of(text, "Sensor ID"));

	if (sensor)
		*block = (struct bmc_block){ .sensor = sensor };
	return sensor != NULL;
}

/* What is told of each sensor, and says nothing of how it is. */
static bool is_other(const char *text)
{
	static const char *const names[] = {
		"Entity ID", "Event Message Control", "Assertion Events", "Assertions Enabled", "Deassertion Events",
		"Deassertions Enabled", "Event Enable", "Event Status", "Nominal Reading", "Normal Minimum",
		"Normal Maximum",
		"Upper ", "Lower ", "Positive Hysteresis", "Negative Hysteresis", "Minimum sensor range",
		"Maximum sensor range",
		"Readable Thresholds", "Settable Thresholds", "Threshold Read Mask", "OEM", "Unable to read sensor",
	};

	return text_begins_any(past_blanks(text), names, ARRAY_SIZE(names));
}

bool bmc_block_take(struct reading *reading, struct bmc_events *events, struct bmc_block *block, struct dump_line *line)
{
	const char *text = line->text, *value;

	if (take_head(reading, block, text))
		return true;
	/* Behind an empty line somebody tells of something else. */
	if (!*text)
		*block = (struct bmc_block){ .sensor = NULL };
	if (!block->sensor)
		return false;
	if (block->in_states && is_state(block, text)) {
		add_state(reading, events, block, line, text);
		return true;
	}
	block->in_states = false;
	if ((value = value_of(text, "Sensor Type")))
		block->type = value;
	else if ((value = value_of(text, "Sensor Reading")))
		block->reading = reading_in(reading->arena, value);
	else if ((value = value_of(text, "Status")))
		add_limit(reading, events, block, line, value);
	else if ((value = value_of(text, "States Asserted")))
		begin_states(reading, events, block, line, value);
	else
		return *past_blanks(text) == '[' || is_other(text);
	return true;
}
