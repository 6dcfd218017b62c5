// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bmc_row.c - rows of parts as they are now:
 *
 *	Sensor Type : TEMPERATURE
 *	<Sensor Name>             <Status>  <Reading>  <lc>  <uc>  <lnc>[R/W]  <unc>[R/W]
 *	System Board Inlet Temp   Ok        23C        -7C   42C   3C [Y]      38C [Y]
 *
 *	Verify installed DIMM memory sticks.......................... Healthy
 *
 * Empty bays and slots are "Absent" or "Unknown" in the first, and checks of what a model does not have are no
 * "Unhealthy" in the second, which is NVSM's on NVIDIA's DGX.
 */
#include "base/compat.h"
#include "import/bmc/bmc_row.h"

#include "base/text.h"
#include "base/text_scan.h"

enum { LINES_TO_HEAD = 3, LINES_TO_CHECK = 2, FEWEST_DOTS = 3, SHORTEST_ROW = 30, LONGEST_ROW = 200 };

/* ---- racadm */

/* "POWER" of "Sensor Type : POWER"; NULL: the line is none. */
static const char *type_of(const char *text)
{
	const char *at = scan_behind(text, "Sensor Type");

	at = at && *at == ':' ? past_blanks(at + 1) : NULL;
	return at && *at && !at[strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ _-")] ? at : NULL;
}

static bool is_head(const char *text)
{
	return text_begins(past_blanks(text), "<Sensor Name>");
}

/* The second column, behind two blanks at least; *ret_len: its length. NULL: there is none. */
static const char *status_in(const char *text, size_t *ret_len)
{
	const char *end = strstr(past_blanks(text), "  "), *at;

	if (!end)
		return NULL;
	at = past_blanks(end);
	end = strstr(at, "  ");
	*ret_len = end ? (size_t)(end - at) : strlen(at);
	return *at ? at : NULL;
}

static const struct bmc_sign *sign_of_type(const char *type)
{
	static const struct bmc_sign supply = { "Failed", NULL, BMC_SUPPLY, NULL },
				     host = { "Failed", NULL, BMC_HOST, NULL },
				     memory = { "Failed", NULL, BMC_MEMORY, NULL },
				     battery = { "Failed", NULL, BMC_NOTED, NULL };

	if (text_has_word_of(type, "TEMPERATURE|VOLTAGE|FAN|CURRENT|COOLING"))
		return &bmc_beyond_limit;
	if (text_has_word_of(type, "POWER|REDUNDANCY"))
		return &supply;
	if (text_has_word_of(type, "MEMORY"))
		return &memory;
	return text_has_word_of(type, "PROCESSOR|SD CARD|PCI") ? &host : &battery;
}

static bool is_bad(const char *status, size_t len)
{
	static const char *const words[] = { "Critical", "Failed", "Failure", "Non-Recoverable", "NonRecoverable",
					     "Lost", "Failure detected", "Input Lost", "AC Lost" };

	return text_word_is_any(status, len, words, ARRAY_SIZE(words));
}

/* Who prints them twice has mended something in between, or waited for it: what the part is now counts. */
static void end_earlier(struct bmc_events *events, const char *sensor, size_t len)
{
	for (size_t i = 0; i < events->nr; i++)
		if (events->v[i].is_row && strlen(events->v[i].sensor) == len &&
		    !strncmp(events->v[i].sensor, sensor, len))
			events->v[i].is_over = true;
}

static bool is_well(const char *status, size_t len)
{
	static const char *const words[] = { "Ok", "OK", "Present", "Good", "Normal", "Full" };

	return text_word_is_any(status, len, words, ARRAY_SIZE(words));
}

/* A line without columns ends the sensors: somebody's words. */
static void take_sensor(struct reading *reading, struct bmc_events *events, struct bmc_rows *rows,
			struct dump_line *line)
{
	const char *text = past_blanks(line->text), *status, *value;
	size_t len, value_len;

	status = status_in(text, &len);
	line->is_taken |= status != NULL;
	if (!status && *text)
		rows->type = NULL;
	if (!status)
		return;
	if (is_well(status, len))
		end_earlier(events, text, (size_t)(strstr(text, "  ") - text));
	if (!is_bad(status, len))
		return;
	value = past_blanks(status + len);
	value_len = strcspn(value, " ");
	bmc_event_add(reading, events, &(struct bmc_event){
		.line = line, .entry = line->text, .sign = sign_of_type(rows->type),
		.sensor = arena_strndup(reading->arena, text, (size_t)(strstr(text, "  ") - text)), .is_row = true,
		.said = !is_digit(*value) ? arena_strndup(reading->arena, status, len) :
			arena_printf(reading->arena, "%.*s (%.*s)", (int)value_len, value, (int)len, status),
	});
}

/* ---- NVSM */

/* Where the dots of a check begin, and how it ended in *ret_status; NULL: the line is none. */
static const char *check_in(const char *text, const char **ret_status)
{
	static const char *const ends[] = { "Healthy", "Unhealthy", "Unknown", "Informational" };
	const char *dots = strstr(text, "..."), *status;

	if (!dots || dots == past_blanks(text) || strnlen(text, LONGEST_ROW + 1) > LONGEST_ROW)
		return NULL;
	status = dots + strspn(dots, ".");
	if (status - dots < FEWEST_DOTS || status - past_blanks(text) < SHORTEST_ROW || *status != ' ')
		return NULL;
	*ret_status = past_blanks(status);
	return text_is_any(*ret_status, ends, ARRAY_SIZE(ends)) ? dots : NULL;
}

/* What the check looks at; the rest says by itself nothing that an operator would act on. */
static const struct bmc_sign *sign_of_check(const char *name)
{
	static const struct { const char *words; struct bmc_sign sign; } checks[] = {
		{ "GPU|NVSwitch|NVLink", { "Unhealthy", NULL, BMC_HOST, NULL } },
		{ "PSU|power suppl|power input", { "Unhealthy", NULL, BMC_SUPPLY, NULL } },
		{ "FAN|temperature|thermal|voltage", { "Unhealthy", NULL, BMC_LIMIT, NULL } },
		{ "DIMM|memory", { "Unhealthy", NULL, BMC_MEMORY, NULL } },
		{ "CPU|NVMe|drive|disk|RAID", { "Unhealthy", NULL, BMC_HOST, NULL } },
		{ NULL, { "Unhealthy", NULL, BMC_NOTED, NULL } },
	};
	size_t i = 0;

	while (checks[i].words && !text_has_word_of(name, checks[i].words))
		i++;
	return &checks[i].sign;
}

static void end_checks(struct bmc_events *events, const char *name)
{
	for (size_t i = 0; i < events->nr; i++)
		if (events->v[i].is_row && !strcmp(events->v[i].entry, name))
			events->v[i].is_over = true;
}

static bool take_check(struct reading *reading, struct bmc_events *events, struct dump_line *line)
{
	const char *status, *dots = check_in(line->text, &status), *name = past_blanks(line->text);

	if (!dots)
		return false;
	line->is_taken = true;
	name = arena_strndup(reading->arena, name, (size_t)(dots - name));
	if (!strcmp(status, "Healthy"))
		end_checks(events, name);
	if (strcmp(status, "Unhealthy") != 0)
		return true;
	bmc_event_add(reading, events, &(struct bmc_event){
		.line = line, .entry = name, .sensor = "", .said = arena_printf(reading->arena, "%s: unhealthy", name),
		.sign = sign_of_check(name), .is_sentence = true, .is_row = true,
	});
	return true;
}

/* ---- both */

/* One check does not stand alone: other programs and people write such a line, too. */
static bool is_among_checks(const struct dump_line *lines, size_t nr)
{
	const char *status;
	size_t seen = 0;

	for (size_t i = 1; i < nr && seen < LINES_TO_CHECK; i++) {
		if (check_in(lines[i].text, &status) || text_begins(past_blanks(lines[i].text), "Health Summary"))
			return true;
		seen += *lines[i].text != '\0';
	}
	return false;
}

bool bmc_row_begins(const struct dump_line *lines, size_t nr)
{
	const char *status;

	if (check_in(lines->text, &status) && is_among_checks(lines, nr))
		return true;
	for (size_t i = 1; type_of(lines->text) && i < nr && i <= LINES_TO_HEAD; i++)
		if (is_head(lines[i].text))
			return true;
	return false;
}

bool bmc_row_take(struct reading *reading, struct bmc_events *events, struct bmc_rows *rows, struct dump_line *line)
{
	const char *type = type_of(line->text);

	if (type) {
		rows->type = type;
		return true;
	}
	if (take_check(reading, events, line))
		return true;
	if (!rows->type)
		return false;
	if (!is_head(line->text))
		take_sensor(reading, events, rows, line);
	return true;
}
