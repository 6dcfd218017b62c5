// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * log_pieces.c - a line of a paste that holds more than one of the log's, as its line feeds were lost on the way, or
 * one in something else. Only what can hardly be anything else begins one.
 */
#include "base/compat.h"
#include "import/line/log_pieces.h"

#include "base/strbuf.h"
#include "base/text.h"
#include "base/text_scan.h"

enum { SHORTEST = 24 };	/* of what is said between two stamps: two of them beside each other are of one line */

/* "[ 1234.567890] " */
static bool is_stamp(const char *text)
{
	const char *at = text + 1 + strspn(text + 1, " ");
	size_t seconds = strspn(at, "0123456789"), digits;

	if (*text != '[' || !seconds || at[seconds] != '.')
		return false;
	at += seconds + 1;
	digits = strspn(at, "0123456789");
	return digits == 6 && at[digits] == ']' && at[digits + 1] == ' ';
}

static const char *next_stamp(const char *text)
{
	const char *last = NULL;

	for (const char *at = strchr(text, '['); at; at = strchr(at + 1, '[')) {
		if (!is_stamp(at))
			continue;
		if (last && at - last >= SHORTEST && at[-1] == ' ')
			return at;
		last = at;
	}
	return NULL;
}

/* Where the word that ends before `at` begins, behind the blanks before `at`. */
static const char *word_before(const char *text, const char *at)
{
	while (at > text && at[-1] == ' ')
		at--;
	while (at > text && at[-1] != ' ')
		at--;
	return at;
}

/* "2026-01-02T03:04:05+0000 node kernel: ", "Nov  4 12:00:01 node kernel: ", of the last of these words. */
static const char *start_of_prefix(const char *text, const char *kernel)
{
	const char *host = word_before(text, kernel), *time = word_before(text, host);

	if (memchr(time, 'T', (size_t)(host - time)))
		return time;
	return is_digit(*time) && memchr(time, ':', (size_t)(host - time)) ? word_before(text, word_before(text, time))
									   : NULL;
}

static const char *next_kernel(const char *text)
{
	const char *first = strstr(text, " kernel: "), *next = first ? strstr(first + 1, " kernel: ") : NULL;
	const char *start = next ? start_of_prefix(text, next) : NULL;

	return start && start > first ? start : NULL;
}

const char *log_next_piece(const char *text)
{
	const char *next;

	if (!*text)
		return NULL;
	next = next_stamp(text);
	return next ? next : next_kernel(text);
}

/* ---- what is wrapped around a line */

/* "**" of Markdown and tags of HTML, "<code>", but no "<4>" of the kernel's. */
static const char *past_markup(const char *text)
{
	for (;;) {
		const char *end = *text == '<' && text[1] >= 'a' && text[1] <= 'z' ? strchr(text, '>') : NULL;

		if (end)
			text = end + 1;
		else if (text[0] == '*' && text[1] == '*')
			text += 2;
		else
			return text;
		text += strspn(text, " ");
	}
}

/* Behind "textPayload": or message: */
static const char *past_key(const char *text)
{
	static const char *const keys[] = { "message", "msg", "log", "line", "text", "textPayload", "MESSAGE" };
	const char *at = text + (*text == '"');

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		size_t len = strlen(keys[i]);

		if (strncmp(at, keys[i], len) != 0)
			continue;
		at += len;
		at += *at == '"' && *text == '"';
		at += strspn(at, " ");
		return *at == ':' ? at + 1 + strspn(at + 1, " ") : text;
	}
	return text;
}

/* "\u003cunknown\u003e": how many characters it takes. */
static size_t add_escaped(struct strbuf *out, const char *at)
{
	int high = at[0] == 'u' && at[1] == '0' && at[2] == '0' && at[3] ? hex_digit(at[3]) : -1;
	int low = high >= 0 ? hex_digit(at[4]) : -1;

	if (low >= 0) {
		strbuf_addch(out, (char)(high << 4 | low));
		return 5;
	}
	strbuf_addch(out, *at == 'n' || *at == 't' ? ' ' : *at);
	return 1;
}

/* Up to the mark that it began with, or all of it. */
static const char *unquoted(struct arena *arena, const char *text)
{
	char mark = *text == '"' || *text == '\'' ? *text : '\0';
	STRBUF_AUTO out = STRBUF_INIT;

	if (!mark)
		return text;
	for (const char *at = text + 1; *at && *at != mark; at++)
		if (*at == '\\' && mark == '"' && at[1])
			at += add_escaped(&out, at + 1);
		else
			strbuf_addch(&out, *at);
	return arena_strdup(arena, out.buf);
}

const char *log_unwrapped(struct arena *arena, const char *text)
{
	const char *at = past_markup(text + strspn(text, " ")), *value = past_key(at);
	const char *journal = *at == '{' ? strstr(at, "\"MESSAGE\":\"") : NULL;

	if (journal)
		return unquoted(arena, strchr(journal, ':') + 1);
	return value == at ? at : unquoted(arena, value);
}

/* ---- lines in sentences */

static bool is_of_command(const char *text, const char *end)
{
	static const char *const commands[] = { "ormat:", "ypical ", "grep", "echo", "logger", "printf", "COMMAND",
						"cmd=", "proctitle", "argc=", "inject", "attern", "egex", "xpect",
						"ssert", "--", "f you see ", "f you get ", "nown issue", "ook for ",
						"ixed: ", "Fix " };

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		const char *command = strstr(text, commands[i]);

		if (command && command < end)
			return true;
	}
	return false;
}

/* ("gpu_xid", "NVRM: …"): the second of two in a row of a table. */
static bool is_behind_string(const char *text, const char *quote)
{
	const char *first = past_blanks(text);

	return quote - text >= 3 && quote[-1] == ' ' && quote[-2] == ',' && strchr("\"'", quote[-3]) &&
	       strchr("({[", *first) && strchr("\"'", first[1]);
}

/*
 * Of a program's source, as a test of what it reads has it: msg = "NVRM: …", parse(b"NVRM: …"), return "NVRM: …". A log
 * has key="NVRM: …".
 */
static bool is_in_source(const char *text, const char *at)
{
	const char *quote = at;

	while (quote > text && !strchr("\"`'", quote[-1]))
		quote--;
	if (quote-- == text)
		return false;
	/* Prose quotes in backquotes: only in a call they are Go's. */
	if (*quote == '`')
		return quote - text >= 2 && quote[-1] == '(' && is_letter_or_digit(quote[-2]);
	while (quote > text && strchr("rbfuLR#&@$", quote[-1]))
		quote--;
	if ((*quote == '"' && is_behind_string(text, quote)) ||
	    (quote - text >= 7 && !strncmp(quote - 7, "return ", 7)))
		return true;
	if (quote - text >= 2 && quote[-1] == '(')
		return is_letter_or_digit(quote[-2]) || strchr("_!>", quote[-2]);
	return quote - text >= 3 && quote[-1] == ' ' && quote[-2] == '=' && strchr(" :+", quote[-3]);
}

/* "vfio-pci 0000:0b:00.0: ": a driver, and the full address of its device. */
static bool is_of_device(const char *text)
{
	static const char address[] = "xxxx:xx:xx.x: ";
	size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_-");

	if (!len || text[len] != ' ')
		return false;
	text += len + 1;
	for (const char *at = address; *at; at++, text++)
		if (*at == 'x' ? hex_digit(*text) < 0 : *text != *at)
			return false;
	return true;
}

/* "Error message: ", "NodeError: ", "**Error:** " before what is the rest of the line. */
static bool is_behind_error(const char *text, const char *at)
{
	enum { LONGEST = 40 };

	text = past_blanks(text);
	return at - text > 2 && at - text <= LONGEST && at[-1] == ' ' && strchr(":*", at[-2]) &&
	       !strchr("-#\"'`{|", *text) && memmem(text, (size_t)(at - text), "rror", strlen("rror"));
}

/*
 * The kernel's line with its figures, that is what somebody had: changes, rules and tests have it between other words.
 */
static bool is_of_oom(const char *text, const char *at)
{
	static const char words[] = "Out of memory: Killed process ";

	if (*at != 'O' && *at != 'o')
		return false;
	return ((text_begins(at, words) && is_digit(at[strlen(words)]) && strstr(at, ") total-vm:")) ||
		(text_begins(at, "oom-kill:constraint=") && strstr(at, ",task="))) &&
	       is_behind_error(text, at);
}

/* Who speaks: what anybody may say, as "Out of memory: …", is quoted in commits and reports. */
static bool is_start(const char *text)
{
	static const char *const starts[] = { "NVRM: ", "Xid (PCI:", "nvidia 0", "nvidia-nvswitch", "amdgpu 0",
					      "amdgpu: ", "i915 0", "xe 0", "nouveau 0", "pcieport 0", "[drm:",
					      "AMD-Vi: Event logged [", "DMAR: [", "DMAR:[", "EDAC MC",
					      "mce: [Hardware Error]: ", "MES might be in unrecoverable state",
					      "MES failed to respond to msg=" };

	if (is_stamp(text) || is_of_device(text))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(starts); i++)
		if (!strncmp(text, starts[i], strlen(starts[i])))
			return true;
	return false;
}

/* `NVRM: Xid (PCI:0000:61:00): 79, pid=..., …`: the form of a line, in which somebody left out a value. */
static bool is_form(const char *text, const char *at)
{
	const char *end = at > text && at[-1] == '`' ? strchr(at, '`') : NULL, *gap = end ? strstr(at, "=...") : NULL;

	return gap && gap < end;
}

/* It names no GPU: in a sentence it is what one may see, in a line of its own what somebody saw. */
static bool is_nameless(const char *text)
{
	static const char *const lines[] = { "NVRM: GPU has fallen off the bus", "NVRM: GPU lost from the bus" };

	return text_begins_any(text, lines, ARRAY_SIZE(lines));
}

/* "//     NVRM: …", "/// …", "#   NVRM: …": a comment of a source. With one blank behind it a title is such, too. */
static bool is_comment(const char *text)
{
	const char *first = past_blanks(text);

	return text_begins(first, "//") || text_begins(first, "#  ");
}

const char *log_quoted_line(const char *text, const char *from)
{
	for (const char *at = from; *at; at++) {
		bool is_word =
			at == text || strchr(" `'\"*]>)(:|,", at[-1]) || (at - text > 3 && text_begins(at - 3, "】"));

		if (is_word && (is_start(at) || is_of_oom(text, at)) && !(at > text && is_nameless(at)))
			return is_comment(text) || is_of_command(text, at) || is_in_source(text, at) ||
					is_form(text, at)
				? NULL
				: at;
	}
	return NULL;
}

/* "XID 79 (GPU has fallen off the bus) detected on PCI:0000:ae:00" of gpud, in its answer or behind its prefixes. */
static bool names_place(const char *text)
{
	static const char *const places[] = { "PCI:", "GPU ", "physical_chid:" };
	const char *at = strstr(text, " detected on ");

	return at && text_begins_any(at + strlen(" detected on "), places, ARRAY_SIZE(places));
}

const char *log_plugin_line(const char *text)
{
	static const struct { const char *words; bool has_place; } says[] = {
		{ "XidCriticalError: Xid=", false }, { "NvidiaXID", false }, { "XID ", true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(says); i++) {
		const char *at = strstr(text, says[i].words);

		/* Sentences and sources have no number there. */
		if (at && is_digit(at[strlen(says[i].words)]) && (!says[i].has_place || names_place(at)))
			return at;
	}
	return NULL;
}

bool log_respace(const char *text, struct strbuf *out)
{
	if (!strstr(text, " : ") && !strstr(text, "( PCI:"))
		return false;
	for (const char *at = text; *at; at++) {
		bool is_extra =
			*at == ' ' && at > text && ((at[1] && strchr(":,", at[1]) && at[2] == ' ') || at[-1] == '(');

		if (!is_extra)
			strbuf_addch(out, *at);
	}
	return true;
}
