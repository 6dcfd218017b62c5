// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fabric_log.c - /var/log/fabricmanager.log, "[Feb 27 2025 14:03:13] [INFO] [tid 1803] …": all of it is the daemon's,
 * and an error in it is one of a switch, or one that program_error.c knows.
 */
#include "base/compat.h"
#include "import/nvidia/fabric_log.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/dump/readers.h"
#include "import/program/program_error.h"
#include "klog/nvidia.h"

static const char payload[] = "Message payload details:";
/* So it says of each start that went well: what was before is over. */
static const char configured[] = "Successfully configured all the available";

/* Behind "[Feb 27 2025 14:03:13] [ERROR] [tid 12727] ", or NULL: the line has none. */
static const char *past_stamp(const char *text)
{
	static const char *const levels[] = { "INFO] [tid ", "WARNING] [tid ", "ERROR] [tid ", "DEBUG] [tid ",
					      "CRITICAL] [tid " };
	static const char form[] = "[Jan 00 0000 00:00:00] [";

	text = past_blanks(text);
	for (const char *at = form; *at; at++, text++)
		if (is_digit(*at) ? !is_digit(*text) : at > form && at < form + 4 ? *text <= ' ' : *text != *at)
			return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(levels); i++)
		if (text_begins(text, levels[i])) {
			text += strlen(levels[i]);
			text += strspn(text, "0123456789");
			return *text == ']' ? past_blanks(text + 1) : NULL;
		}
	return NULL;
}

/* "2025-02-27T14:03:13 ", of its own stamp; "" where there is none. */
static const char *time_of(struct arena *arena, const char *text)
{
	unsigned month;

	text = past_blanks(text) + 1;
	month = month_by_name(text);
	if (!month)
		return "";
	return arena_printf(arena, "%.4s-%02u-%.2sT%.8s ", text + strlen("Feb 27 "), month,
			    text + strlen("Feb "), text + strlen("Feb 27 2025 "));
}

/* "Mar 03 18:39:57 " before the host and the daemon's name in a journal; "" where there is none. */
static const char *journal_time(struct arena *arena, const char *text)
{
	const char *at = strstr(text, " nv-fabricmanager[");

	while (at && at > text && at[-1] != ' ')
		at--;
	return at ? arena_strndup(arena, text, (size_t)(at - text)) : "";
}

/*
 * ---- "detected NVSwitch non-fatal error 12028 on fid 0 on NVSwitch pci bus id 00000000:86:00.0 physical id 3 port 61"
 */

/* Behind such words, at the code; NULL: it is a sentence, or the source of who looks for it. */
static const char *error_in(const char *text, bool *ret_is_fatal)
{
	static const char *const words[] = { "detected NVSwitch non-fatal error ", "detected NVSwitch fatal error " };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		const char *at = strstr(text, words[i]);
		const char *code = at ? at + strlen(words[i]) : NULL;

		if (!code || !is_digit(*code) || !strstr(code, " on NVSwitch pci bus id "))
			continue;
		*ret_is_fatal = i > 0;
		return code;
	}
	return NULL;
}

static const char *address_in(struct arena *arena, const char *text)
{
	static const char words[] = " pci bus id ";
	const char *at = strstr(text, words);

	at = at ? at + strlen(words) : "";
	return dump_address(arena, arena_strndup(arena, at, strcspn(at, " ")));
}

/* "port 61" as the kernel has it. */
static const char *link_in(struct arena *arena, const char *text)
{
	static const char words[] = " port ";
	const char *at = strstr(text, words);
	size_t len = at ? strspn(at + strlen(words), "0123456789") : 0;

	return len ? arena_printf(arena, "Link %.*s ", (int)len, at + strlen(words)) : "";
}

const char *fabric_log_sxid(struct arena *arena, const char *text)
{
	bool is_fatal, fits = true;
	const char *at = error_in(text, &is_fatal), *address, *link, *time;
	const struct klog_sxid *sxid;
	uint64_t code;

	if (!at || !scan_u64(&at, 10, &code, &fits) || !fits)
		return NULL;
	address = address_in(arena, at);
	link = link_in(arena, at);
	sxid = klog_sxid_by_code(code);
	if (!address)
		return NULL;
	time = past_stamp(text) ? time_of(arena, text) : journal_time(arena, text);
	return arena_printf(arena, "%sSXid %llu reported of PCI:%s, %s, %s%s", time, (unsigned long long)code, address,
			    is_fatal ? "Fatal" : "Non-fatal", link, sxid ? sxid->what : "error of the switch");
}

size_t fabric_log_start(const struct dump_part *part)
{
	for (size_t i = part->nr_lines; i; i--)
		if (strstr(part->lines[i - 1].text, configured))
			return i;
	return 0;
}

/* ---- the log */

enum dump_begins fabric_log_begins(const struct dump_line *lines, size_t nr)
{
	bool is_fatal;

	(void)nr;
	return past_stamp(lines->text) || error_in(lines->text, &is_fatal) ? BEGINS_MORE : BEGINS_NOT;
}

/* What came right later: a team of GPUs that was made, and all switches. */
static void read_end(struct reading *reading, struct dump_line *line, const char *text)
{
	static const struct { const char *key, *text; } ends[] = {
		{ "multicast", "successfully setup multicast team" }, { "fabric", configured },
		{ "multicast", configured },
	};

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		struct program_error *error = list_find(reading->snapshot, program_errors, program_error, ends[i].key);

		if (error && text_begins(text, ends[i].text))
			put(reading, line, error->lines, val_u64(0));
	}
}

void fabric_log_read(struct reading *reading)
{
	for (size_t i = 0; i < reading->part->nr_lines; i++) {
		struct dump_line *line = &reading->part->lines[i];
		const char *text = past_stamp(line->text);

		line->is_taken |= text || text_begins(line->text, payload);
		if (!text)
			continue;
		read_end(reading, line, text);
		program_error_take(reading, line, text);
	}
}
