// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/program/unit_back.h"

#include "base/text.h"
#include "base/text_scan.h"

enum { MOST_ABOVE = 8, MOST_BELOW = 4096 };	/* lines to a command, and from a unit's failure */

static const char service[] = ".service";

/* Which command printed a line; *ret_row: as which line of its output. NULL: none is near. */
static const char *command_of(const struct dump_part *part, size_t line, size_t *ret_row)
{
	for (*ret_row = 1; *ret_row <= MOST_ABOVE; ++*ret_row) {
		const char *above = *ret_row > line ? part->about : part->lines[line - *ret_row].text;

		if (above && strstr(above, "systemctl "))
			return above;
		if (*ret_row > line)
			break;
	}
	return NULL;
}

/* As which of its arguments a command of is-active names a unit, from 1; 0: not. */
static size_t argument_of(const char *command, const char *unit, size_t unit_len)
{
	const char *at = strstr(command, " is-active "), *word;
	size_t len, ret = 0;

	for (at = at ? at + strlen(" is-active ") : ""; (word = scan_word(&at, &len)) && len;) {
		if (*word == '-')
			continue;
		ret++;
		if (len == unit_len + strlen(service) && text_begins(word + unit_len, service))
			len = unit_len;
		if (len == unit_len && !strncmp(word, unit, len))
			return ret;
	}
	return 0;
}

static bool says_active(const struct dump_part *part, size_t line, const char *unit, size_t unit_len)
{
	size_t row;
	const char *command;

	if (strcmp(past_blanks(part->lines[line].text), "active") != 0)
		return false;
	command = command_of(part, line, &row);
	return command && argument_of(command, unit, unit_len) == row;
}

static bool says_none_failed(const struct dump_part *part, size_t line)
{
	static const char *const lists[] = { "systemctl --failed", "--state=failed", "--state failed" };
	size_t row;
	const char *command;

	if (!scan_behind(part->lines[line].text, "0 loaded units listed"))
		return false;
	command = command_of(part, line, &row);
	return command && text_has_any(command, lists, ARRAY_SIZE(lists));
}

static bool is_of_same(const struct dump_part *part, const struct dump_part *of)
{
	if (part->host.text && of->host.text && strcmp(part->host.text, of->host.text) != 0)
		return false;
	return part->kind == DUMP_LOG || part->kind == of->kind || part->kind == DUMP_PROGRAM_ERROR;
}

/* A unit by its name without ".service". */
static bool one_is_back(const struct dump_parts *parts, const struct dump_part *of, unsigned line, const char *unit,
			size_t unit_len)
{
	size_t nr_lines = 0;

	for (const struct dump_part *part = of; part < parts->v + parts->nr && !strcmp(part->file, of->file); part++) {
		for (size_t i = 0; is_of_same(part, of) && i < part->nr_lines; i++) {
			if (part == of && part->lines[i].number <= line)
				continue;
			if (++nr_lines > MOST_BELOW)
				return false;
			if (says_active(part, i, unit, unit_len) || says_none_failed(part, i))
				return true;
		}
	}
	return false;
}

bool unit_is_back(const struct dump_parts *parts, const struct dump_part *of, unsigned line, const char *words)
{
	const char *end = strstr(words, ".service: failed"), *next;

	/* "munge.service, slurmd.service: failed" */
	for (const char *at = words; end && at <= end; at = next + strlen(service) + strlen(", ")) {
		next = strstr(at, service);
		if (!one_is_back(parts, of, line, at, (size_t)(next - at)))
			return false;
	}
	return end;
}
