// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bmc_line.c - one line is an entry where it has its time and a sign, and tells in one of these ways that it is of such
 * a log:
 *
 *	12  2024/03/14 09:12:33  PS1 Status  Power Supply  Power Supply Failure detected - Asserted
 *	"126","Critical","CPU","03/14/2024 09:12","1","Uncorrectable Machine Check Exception (Processor 2)"
 *	2024-03-14 09:12:33 MEM0001 Multi-bit memory errors detected on a memory device at location(s) DIMM_B3.
 *	14 | E | Power | 2024-03-14T09:12:33 | FQXSPPW0031J | Power Supply 2 has lost input.
 */
#include "base/compat.h"
#include "import/bmc/bmc_line.h"

#include "base/text.h"
#include "base/text_scan.h"

enum { LONGEST = 400 };

static bool is_edge(const char *at)
{
	return !*at || strchr("\t,\"", *at) || text_begins(at, "  ");
}

/* A severity that fills a cell: NULL, there is none. */
static const char *severity_in(const char *text)
{
	static const char *const words[] = { "Critical", "Caution", "Warning", "Informational", "Repaired", "OK" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		const char *at = strstr(text, words[i]);
		size_t before = at ? (size_t)(at - text) : 0;

		if (at && is_edge(at + strlen(words[i])) &&
		    (!before || strchr("\t,\"", at[-1]) || (before > 1 && text_begins(at - 2, "  "))))
			return words[i];
	}
	return NULL;
}

/* "MEM0001": Dell's messages have a name of letters and a number. */
static bool has_message_name(const char *text)
{
	const char *at = text + strcspn(text, " \tT");

	at += strspn(at, " \tT");
	at += strspn(at, "0123456789:");
	at += strspn(at, " \t");
	return strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == 3 && strspn(at + 3, "0123456789") >= 3 && is_digit(*text);
}

static bool is_between_cells(char c)
{
	return !c || strchr("|\t,\"", c);
}

/* "FQXSPPW0031J": Lenovo's, of a controller, firmware, or its software, in a cell of its own: sentences name it too. */
static bool has_lenovo_name(const char *text)
{
	enum { LENGTH = 12 };
	const char *at = strstr(text, "FQX"), *before = at;

	if (!at || strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != 7 || strspn(at + 7, "0123456789") != 4 ||
	    at[LENGTH - 1] < 'A' || at[LENGTH - 1] > 'Z')
		return false;
	while (before > text && before[-1] == ' ')
		before--;
	return before > text && is_between_cells(before[-1]) && is_between_cells(*past_blanks(at + LENGTH));
}

/* At its end. */
static bool has_direction(const char *text)
{
	static const char *const directions[] = { "- Asserted", "- Deasserted", "- Assertion", "- Deassertion" };
	size_t len = strlen(text);

	while (len && strchr(" \t\",.", text[len - 1]))
		len--;
	for (size_t i = 0; i < ARRAY_SIZE(directions); i++) {
		size_t of = strlen(directions[i]);

		if (len > of && !strncasecmp(text + len - of, directions[i], of))
			return true;
	}
	return false;
}

bool bmc_line_is_entry(const char *text)
{
	if (strnlen(text, LONGEST + 1) > LONGEST || (strchr(text, '|') && !has_lenovo_name(text)))
		return false;
	return (has_direction(text) || severity_in(text) || has_message_name(text) || has_lenovo_name(text)) &&
	       bmc_second(text) && bmc_sign_in(text, text);
}

/* Behind its number and time, which its end has otherwise. */
static const char *said_in(const char *text)
{
	enum { STAMP = 32 };
	const char *clock = memchr(text, ':', strnlen(text, STAMP)), *bar = strrchr(text, '|');

	if (bar && has_lenovo_name(text))
		return past_blanks(bar + 1);
	return clock ? past_blanks(clock + strspn(clock, "0123456789:")) : text;
}

bool bmc_line_take(struct dump_line *line, struct bmc_event *ret)
{
	const char *text = line->tabbed ? line->tabbed : line->text, *severity = severity_in(text);

	if (!bmc_line_is_entry(text))
		return false;
	*ret = (struct bmc_event){
		.line = line, .sensor = "", .said = said_in(line->text), .entry = line->text,
		.second = bmc_second(text), .sign = bmc_sign_in(text, text), .is_over = bmc_says_over(text),
		.is_sentence = true,
	};
	if (ret->sign->is != BMC_WELL && severity && bmc_is_well(severity))
		ret->is_over = true;
	return true;
}
