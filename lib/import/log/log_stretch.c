// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/log/log_stretch.h"

#include "base/text_scan.h"
#include "import/dump/json_text.h"

enum { KEY_LINES = 64 };	/* in so many of a document's lines its keys tell what it is */

static bool begins_export(const char *text)
{
	static const char *const fields[] = { "__CURSOR=", "__REALTIME_TIMESTAMP=", "__MONOTONIC_TIMESTAMP=",
					      "__SEQNUM=", "_BOOT_ID=", "_TRANSPORT=", "_MACHINE_ID=",
					      "_SOURCE_MONOTONIC_TIMESTAMP=", "SYSLOG_IDENTIFIER=", "SYSLOG_FACILITY=",
					      "PRIORITY=", "MESSAGE=" };

	/* Lines of a log begin with none of these letters as a rule. */
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (*text == *fields[i] && !strncmp(text, fields[i], strlen(fields[i])))
			return true;
	return false;
}

/* "_HOSTNAME=node7" */
static bool goes_on_export(const char *text)
{
	size_t len = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");

	return !*text || (len && text[len] == '=');
}

/* Behind a bracket stands no number, as in the stamps of a kernel's lines: of these each would be searched for keys. */
static bool may_begin_document(const char *text)
{
	text = past_blanks(text);
	if (*text != '[')
		return *text == '{';
	text = past_blanks(text + 1);
	return !*text || strchr("{[\"", *text);
}

/* How many lines are a document's that holds lines of a log; 0: none. One in a line of its own is read as such. */
static size_t document_lines(const struct log_origin *origin)
{
	static const char *const keys[] = { "dmesg", "MESSAGE", "msg", "log", "line", "message" };
	const struct dump_part *part = origin->part;
	size_t nr = origin->line ? (size_t)(part->lines + part->nr_lines - origin->line) : 0;
	bool has_key = false, is_cut;

	if (!nr || !may_begin_document(origin->text))
		return 0;
	/* Not to its end, which a bracket alone may lack, before it is known to be one. */
	for (size_t i = 0; i < ARRAY_SIZE(keys) && !has_key; i++)
		has_key = json_text_has_key(origin->line, nr < KEY_LINES ? nr : KEY_LINES, keys[i]);
	nr = has_key ? json_text_lines(origin->line, nr, &is_cut) : 0;
	return nr > 1 ? nr : 0;
}

/* Is the line one of the document that begins with the first? Some are in pieces, and parts may leave lines out. */
static bool is_within(const struct log_origin *first, const struct log_origin *origin, size_t nr_lines)
{
	return origin->part == first->part && origin->line >= first->line && origin->line < first->line + nr_lines;
}

/* Documents one after another are of one stretch, as journalctl -o json-pretty prints them. */
static size_t documents(const struct log_origin *origins, size_t nr)
{
	size_t at = 0, nr_lines;

	while (at < nr && (nr_lines = document_lines(&origins[at]))) {
		const struct log_origin *first = &origins[at];

		while (at < nr && is_within(first, &origins[at], nr_lines))
			at++;
		while (at < nr && !*origins[at].text)
			at++;
	}
	return at;
}

enum log_form log_stretch(const struct log_origin *origins, size_t nr, size_t *ret_nr)
{
	*ret_nr = documents(origins, nr);
	if (*ret_nr)
		return LOG_OBJECTS;
	*ret_nr = 1;
	if (begins_export(past_blanks(origins->text))) {
		while (*ret_nr < nr && origins[*ret_nr].part == origins->part &&
		       goes_on_export(past_blanks(origins[*ret_nr].text)))
			++*ret_nr;
		return LOG_EXPORT;
	}
	while (*ret_nr < nr && !begins_export(past_blanks(origins[*ret_nr].text)) && !document_lines(&origins[*ret_nr]))
		++*ret_nr;
	return LOG_LINES;
}
