// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bmc_syslog.c - entries that a program passes on, one a line: ipmitool's ipmievd and FreeIPMI's ipmiseld, OpenBMC's
 * log-util, Dell's controllers and its Server Administrator through syslog, racadm getsel -o, HPE's hponcfg.
 *
 *	… ipmievd[812]: Power Supply sensor PS2 Status - Failure detected Asserted
 *	{…, "SYSLOG_IDENTIFIER":"ipmievd", "MESSAGE":"Power Supply sensor PS2 Status - Failure detected Asserted", …}
 *	… ipmievd: Temperature sensor GPU3 Temp Upper Critical going high Asserted (Reading 95 > Threshold 92 degrees C)
 *	… ipmiseld[812]: SEL System Event: Mar-14-2024, 09:12:33, PS2 Status, Critical, Power Supply Failure detected
 *	… Severity: Critical, Category: System Health, MessageID: PSU0003, Message: The power input for power supply 2 is lost.
 *	… Server Administrator: Instrumentation Service EventID: 1354  Power supply detected a failure  Sensor location: PS 2 …
 *	03/14/2024 09:12:33  system  Critical  The power input for power supply 2 is lost.
 *	<EVENT SEVERITY="Critical" CLASS="Power" LAST_UPDATE="03/14/2024 09:12" DESCRIPTION="System Power Supply Failure (…)"/>
 */
#include "base/compat.h"
#include "import/bmc/bmc_syslog.h"

#include "base/text.h"
#include "base/text_scan.h"

enum { LONGEST = 4000 };

/* What a line tells, in place. */
struct told {
	const char *sensor, *said, *severity;
	size_t sensor_len, said_len, severity_len;
	bool is_over;
	bool is_undirected;	/* whether it came or went is not told */
	bool is_of_hardware;	/* worth a word where nobody knows its words, but it is called serious */
};

static const char *behind(const char *text, const char *words)
{
	const char *at = strstr(text, words);

	return at ? past_blanks(at + strlen(words)) : NULL;
}

static size_t trimmed(const char *text, size_t len)
{
	while (len && strchr(" -,", text[len - 1]))
		len--;
	return len;
}

/* The end of a message, of the text in quotes that it is, or a reading in parentheses? */
static bool is_end_or_reading(const char *at)
{
	at = past_blanks(at);
	if (*at == '"' || *at == '\'')
		return !at[1] || strchr(",}]", at[1]);
	return !*at || *at == '(';
}

/* The last of "Asserted" and "Deasserted" behind which nothing more is told; NULL: neither is there. */
static const char *direction_in(const char *text)
{
	const char *ret = NULL;

	for (const char *at = text; (at = strstr(at, "sserted")); at++) {
		const char *word = at;

		while (word > text && word[-1] != ' ')
			word--;
		if ((text_begins(word, "Asserted") || text_begins(word, "Deasserted")) &&
		    is_end_or_reading(at + strlen("sserted")))
			ret = word;
	}
	return ret;
}

/* What stands behind "ipmievd: " or "ipmievd[812]: ", or in the journal's JSON; NULL: the line is none of ipmievd's. */
static const char *ipmievd_message(const char *text)
{
	if (strstr(text, "\"SYSLOG_IDENTIFIER\":\"ipmievd\""))
		return behind(text, "\"MESSAGE\":\"");
	for (const char *at = text; (at = strstr(at, "ipmievd")); at++) {
		const char *end = at + strlen("ipmievd");

		if (*end == '[' && is_digit(end[1]) && end[1 + strspn(end + 1, "0123456789")] == ']')
			end = strchr(end, ']') + 1;
		if (text_begins(end, ": ") && (at == text || !is_letter_or_digit(at[-1])))
			return past_blanks(end + 1);
	}
	return NULL;
}

/* Where " sensor " stands behind a type of sensors, and the name of a host before it, if ipmievd asks another one's. */
static const char *named_sensor_in(const char *message)
{
	const char *ret = strstr(message, " sensor "), *type = message;

	for (const char *at = message; ret && (at = strstr(at, ": ")) && at < ret; at++)
		type = past_blanks(at + 1);
	return ret && bmc_is_type(type, (size_t)(ret - type)) ? ret : NULL;
}

/*
 * "Power Supply sensor PS2 Status - Failure detected Asserted": the words of the sign tell where the name ends. Without
 * a direction it is one of a sensor whose name ipmievd does not know, "Memory sensor - Uncorrectable ECC", or prose
 * about it.
 */
static bool take_ipmievd(const char *text, struct told *ret)
{
	const char *at = ipmievd_message(text), *sensor = at ? named_sensor_in(at) : NULL, *end, *said;
	const struct bmc_sign *sign = sensor ? bmc_sign_in(sensor, at) : NULL;

	if (!sign)
		return false;
	end = direction_in(sensor);
	said = strcasestr(sensor, sign->words);
	if (!said || (end ? said >= end : !text_begins(sensor, " sensor - ")))
		return false;
	ret->is_undirected = !end;
	ret->is_over = end && *end == 'D';
	ret->sensor = at;
	ret->sensor_len = trimmed(at, (size_t)(said - at));
	ret->said = said;
	ret->said_len = trimmed(said, end ? (size_t)(end - said) : strcspn(said, "\""));
	return true;
}

/* The cell that a text begins with; *at goes on behind it. */
static size_t take_cell(const char **at)
{
	size_t len = strcspn(*at, ",");

	*at = past_blanks(*at + len + ((*at)[len] == ','));
	return len;
}

/*
 * "SEL System Event: Mar-14-2024, 09:12:33, PS2 Status, Critical, Power Supply Failure detected", also without the
 * time.
 */
static bool take_ipmiseld(const char *text, struct told *ret)
{
	const char *event = strstr(text, "SEL System Event"), *at = event ? behind(event, ": ") : NULL;

	if (!at)
		return false;
	if (bmc_second(at)) {
		take_cell(&at);
		take_cell(&at);
	}
	ret->sensor = at;
	ret->sensor_len = take_cell(&at);
	ret->severity = at;
	ret->severity_len = take_cell(&at);
	ret->said = at;
	ret->said_len = strcspn(at, ";");
	ret->is_undirected = !text_begins(ret->severity, "Critical") && !text_begins(ret->severity, "Warning");
	return ret->sensor_len && ret->said_len;
}

/* "SEL Entry: FRU: 4, …, Sensor: PS2_STATUS (0x51), Event Data: (01FFFF) Power Supply Failure detected Assertion" */
static bool take_openbmc(const char *text, struct told *ret)
{
	const char *entry = strstr(text, "SEL Entry: FRU: "), *sensor = entry ? behind(entry, "Sensor: ") : NULL;
	const char *data = sensor ? behind(sensor, "Event Data: (") : NULL, *said = data ? strchr(data, ')') : NULL;
	const char *end = said ? strstr(said, " Assertion") : NULL;

	if (!said)
		return false;
	ret->is_over = !end && strstr(said, " Deassertion");
	end = ret->is_over ? strstr(said, " Deassertion") : end;
	ret->is_undirected = !end;
	ret->sensor = sensor;
	ret->sensor_len = trimmed(sensor, strcspn(sensor, "("));
	ret->said = past_blanks(said + 1);
	ret->said_len = end && end > ret->said ? (size_t)(end - ret->said) : strlen(ret->said);
	return true;
}

static bool take_idrac(const char *text, struct told *ret)
{
	const char *severity = behind(text, "Severity: "), *id = severity ? strstr(severity, ", MessageID: ") : NULL;
	const char *said = id ? behind(id, ", Message: ") : NULL;

	if (!said)
		return false;
	ret->severity = severity;
	ret->severity_len = strcspn(severity, ",");
	ret->said = said;
	ret->said_len = strlen(said);
	ret->is_of_hardware = strstr(severity, "Category: System Health,") || strstr(severity, "Category: Storage,");
	return true;
}

/* How long it is up to one of these, or to its end. */
static size_t len_up_to(const char *text, const char *const *ends, size_t nr)
{
	size_t ret = strlen(text);

	for (size_t i = 0; i < nr; i++) {
		const char *at = strstr(text, ends[i]);

		if (at && (size_t)(at - text) < ret)
			ret = (size_t)(at - text);
	}
	return trimmed(text, ret);
}

static bool take_server_administrator(const char *text, struct told *ret)
{
	static const char *const ends[] = { "  ", " Sensor location:", " Redundancy unit:", " Chassis location:",
					    " Previous " };
	const char *source = strstr(text, "Server Administrator: "), *at = source ? behind(source, "EventID: ") : NULL;

	if (!at || !is_digit(*at))
		return false;
	ret->said = past_blanks(at + strspn(at, "0123456789"));
	ret->said_len = len_up_to(ret->said, ends, ARRAY_SIZE(ends));
	at = behind(at, "Sensor location: ");
	at = at ? at : behind(ret->said, "Redundancy unit: ");
	ret->sensor = at ? at : "";
	ret->sensor_len = len_up_to(ret->sensor, ends, ARRAY_SIZE(ends));
	return true;
}

/* "03/14/2024 09:12:33  system  Critical  The power input …" */
static bool take_getsel(const char *text, struct told *ret)
{
	static const char *const severities[] = { "Ok ", "Critical ", "Non-Critical ", "Non-Recoverable ", "Unknown " };
	const char *at = past_blanks(text);

	if (!is_digit(*at) || at[strspn(at, "0123456789/")] != ' ' || !bmc_second(at))
		return false;
	at = past_blanks(at + strcspn(at, " "));
	at += strspn(at, "0123456789:");
	at = scan_behind(at, "system ");
	if (!at || !text_begins_any(at, severities, ARRAY_SIZE(severities)))
		return false;
	ret->severity = at;
	ret->severity_len = strcspn(at, " ");
	ret->said = past_blanks(at + ret->severity_len);
	ret->said_len = strlen(ret->said);
	ret->is_of_hardware = true;
	/* A sentence: programs write such a line, too. */
	return ret->said_len && ret->said[ret->said_len - 1] == '.';
}

static bool take_hponcfg(const char *text, struct told *ret)
{
	const char *severity = behind(text, "<EVENT SEVERITY=\""),
		   *said = severity ? behind(severity, "DESCRIPTION=\"") : NULL;

	if (!said)
		return false;
	ret->severity = severity;
	ret->severity_len = strcspn(severity, "\"");
	ret->said = said;
	ret->said_len = strcspn(said, "\"");
	ret->is_of_hardware = true;
	return true;
}

static bool take_any(const char *text, struct told *ret)
{
	static bool (*const takers[])(const char *, struct told *) = {
		take_ipmievd, take_ipmiseld, take_openbmc, take_idrac, take_server_administrator,
		take_getsel,  take_hponcfg,
	};

	if (strnlen(text, LONGEST + 1) > LONGEST)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(takers); i++) {
		*ret = (struct told){ .sensor = "", .severity = "" };
		if (takers[i](text, ret))
			return true;
	}
	return false;
}

/* Of the sensor and what is said of it, not of the whole line: what the sensor is of may stand in its name alone. */
static const struct bmc_sign *sign_of(const struct told *told)
{
	char said[LONGEST + 1], entry[2 * LONGEST + 2];

	snprintf(said, sizeof(said), "%.*s", (int)told->said_len, told->said);
	snprintf(entry, sizeof(entry), "%.*s %s", (int)told->sensor_len, told->sensor, said);
	return bmc_sign_in(said, entry);
}

/* What nobody knows the words of is one where it is called serious. */
static bool take_entry(const char *text, struct told *ret, const struct bmc_sign **ret_sign)
{
	char severity[32];

	if (!take_any(text, ret))
		return false;
	snprintf(severity, sizeof(severity), "%.*s", (int)ret->severity_len, ret->severity);
	*ret_sign = sign_of(ret);
	return *ret_sign || (ret->is_of_hardware && bmc_is_critical(severity));
}

bool bmc_syslog_is_entry(const char *text)
{
	const struct bmc_sign *sign;
	struct told told;

	return take_entry(text, &told, &sign);
}

bool bmc_syslog_take(struct arena *arena, struct dump_line *line, struct bmc_event *ret)
{
	const struct bmc_sign *sign;
	struct told told;
	const char *said, *sensor;

	if (!take_entry(line->text, &told, &sign))
		return false;
	said = arena_strndup(arena, told.said, told.said_len);
	sensor = arena_strndup(arena, told.sensor, told.sensor_len);
	*ret = (struct bmc_event){
		.line = line, .sensor = sensor, .said = said, .entry = arena_printf(arena, "%s %s", sensor, said),
		.sign = sign, .second = bmc_second(line->text), .is_over = told.is_over,
		.is_undirected = told.is_undirected, .is_sentence = !*sensor,
	};
	if (sign && sign->is != BMC_WELL && bmc_is_well(arena_strndup(arena, told.severity, told.severity_len)))
		ret->is_over = true;
	return true;
}
