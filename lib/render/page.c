// SPDX-License-Identifier: GPL-2.0-or-later
/* page.c - putting words on lines. What they are made of is clean.c's business. */
#include "base/compat.h"
#include "render/page.h"

#include "base/text.h"

enum {
	DEFAULT_COLUMNS = 100,
	LEAST_COLUMNS = 40,
	MAX_CLINGING_BYTES = 24,	/* of words that keep together: a row of numbers is no word */
};

/* ECMA-48 SGR, the sixteen colours that every terminal and theme has. */
static const char *const ink_codes[] = {
	[INK_PLAIN] = "",
	[INK_DIM] = "\x1b[2m",
	[INK_PASS] = "\x1b[32m",
	[INK_NOTE] = "\x1b[36m",
	[INK_WARN] = "\x1b[1;33m",
	[INK_FAIL] = "\x1b[1;31m",
	[INK_UNKNOWN] = "\x1b[35m",
};
#define INK_OFF "\x1b[0m"

enum ink ink_of(enum outcome outcome)
{
	static const enum ink inks[NR_OUTCOMES] = {
		[OUTCOME_SKIP] = INK_DIM, [OUTCOME_PASS] = INK_PASS, [OUTCOME_NOTE] = INK_NOTE,
		[OUTCOME_UNKNOWN] = INK_UNKNOWN, [OUTCOME_WARN] = INK_WARN, [OUTCOME_FAIL] = INK_FAIL,
	};

	return inks[outcome];
}

void page_open(struct page *page, struct strbuf *out, const struct render_options *options)
{
	size_t columns = options->columns ? options->columns : DEFAULT_COLUMNS;

	*page = (struct page){
		.out = out, .columns = columns < LEAST_COLUMNS ? LEAST_COLUMNS : columns,
		.colour = options->colour, .ascii = options->ascii,
	};
}

void page_end_line(struct page *page)
{
	struct strbuf *out = page->out;

	while (page->at && out->len && out->buf[out->len - 1] == ' ')
		strbuf_setlen(out, out->len - 1);
	strbuf_addch(out, '\n');
	page->at = 0;
}

void page_move(struct page *page, size_t column)
{
	size_t spaces = page->at <= column ? column - page->at : 1;

	strbuf_addchars(page->out, ' ', spaces);
	page->at += spaces;
}

static void break_line(struct page *page, size_t hang)
{
	page_end_line(page);
	page_move(page, hang);
}

/* Clean text, coloured. */
static void put_clean(struct page *page, enum ink ink, const char *clean)
{
	bool painted = page->colour && ink != INK_PLAIN && *clean;

	if (painted)
		strbuf_addstr(page->out, ink_codes[ink]);
	strbuf_addstr(page->out, clean);
	if (painted)
		strbuf_addstr(page->out, INK_OFF);
	page->at += utf8_columns(clean);
}

void page_put(struct page *page, enum ink ink, const char *text)
{
	STRBUF_AUTO clean = STRBUF_INIT;

	page_clean(page, &clean, text);
	put_clean(page, ink, clean.buf);
}

void page_right(struct page *page, enum ink ink, const char *text)
{
	STRBUF_AUTO clean = STRBUF_INIT;
	size_t width;

	page_clean_cut(page, &clean, text, page->columns);
	width = utf8_columns(clean.buf);
	if (page->at && page->at + 2 + width > page->columns)
		page_end_line(page);
	page_move(page, page->columns - width);
	put_clean(page, ink, clean.buf);
}

/* ---- wrapping: text is clean, so every byte that does not continue a character begins one */

static bool begins_character(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

static size_t columns_of(const char *text, size_t len)
{
	size_t columns = 0;

	for (size_t i = 0; i < len; i++)
		columns += begins_character(text[i]);
	return columns;
}

/* The bytes of at most so many columns of text. */
static size_t bytes_of(const char *text, size_t len, size_t columns)
{
	size_t at = 0;

	for (; at < len; at++) {
		if (begins_character(text[at]) && !columns--)
			break;
	}
	return at;
}

static bool is_alphanumeric(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* A sign that stands alone ("×", "%", "->"): it begins no line. */
static bool is_sign(const char *word, size_t len)
{
	if (len && (unsigned char)word[0] >= 0x80)
		return columns_of(word, len) == 1;
	return len && len <= 2 && !is_alphanumeric(word[0]) && !is_alphanumeric(word[len - 1]) &&
	       !strchr("([{", word[0]);
}

static bool is_number(const char *word, size_t len)
{
	return len && strspn(word, "0123456789.") == len;
}

/* "GPU" of "GPU 3", "(pid" of "(pid 18422": the number after it is a name, and counts nothing. */
static bool is_numbered(const char *word, size_t len)
{
	static const char *const kinds[] = { "GPU", "GPUs", "pid", "Xid", "slot", "CPU", "CPUs", "job", "CUDA" };

	if (len && word[0] == '(') {
		word++;
		len--;
	}
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (strlen(kinds[i]) == len && !memcmp(word, kinds[i], len))
			return true;
	return false;
}

static bool begins_number(const char *word)
{
	return *word >= '0' && *word <= '9';
}

/* The bytes of the first word, with what it must not be parted from: its number, a lone sign, what it counts. */
static size_t word_len(const char *text)
{
	size_t start = 0, len = strcspn(text, " ");
	bool is_name = false;

	while (text[len] && len < MAX_CLINGING_BYTES) {
		const char *next = text + len + 1;
		size_t next_len = strcspn(next, " ");
		bool names = begins_number(next) && is_numbered(text + start, len - start);

		if (!names && !is_sign(next, next_len) && (is_name || !is_number(text + start, len - start)))
			break;
		is_name = names;
		start = len + 1;
		len += 1 + next_len;
	}
	return len;
}

/* A word that fits no line is cut where each line ends. */
static void put_word(struct page *page, size_t hang, const char *word, size_t len)
{
	size_t columns = columns_of(word, len);

	while (page->at + columns > page->columns) {
		size_t part = bytes_of(word, len, page->columns - page->at);

		strbuf_add(page->out, word, part);
		columns -= page->columns - page->at;
		page->at = page->columns;
		break_line(page, hang);
		word += part;
		len -= part;
	}
	strbuf_add(page->out, word, len);
	page->at += columns;
}

static void flow_clean(struct page *page, size_t hang, const char *clean)
{
	bool fresh = true;	/* nothing of this text stands on the line yet */
	size_t len;

	for (const char *rest = clean + strspn(clean, " "); *rest; rest += len, rest += strspn(rest, " ")) {
		len = word_len(rest);
		if (page->at > hang && page->at + !fresh + columns_of(rest, len) > page->columns) {
			break_line(page, hang);
			fresh = true;
		}
		if (!fresh)
			page_move(page, page->at + 1);
		put_word(page, hang, rest, len);
		fresh = false;
	}
}

void page_flow(struct page *page, size_t hang, const char *text)
{
	STRBUF_AUTO clean = STRBUF_INIT;

	page_clean(page, &clean, text);
	if (!page->at)
		page_move(page, hang);
	flow_clean(page, hang, clean.buf);
}

void page_fact(struct page *page, size_t hang, const char *text)
{
	STRBUF_AUTO clean = STRBUF_INIT;

	page_clean(page, &clean, text);
	if (!clean.len)
		return;
	if (page->at > hang && page->at + 3 + utf8_columns(clean.buf) > page->columns)
		break_line(page, hang);
	else if (page->at > hang)
		page_put(page, INK_PLAIN, " · ");
	flow_clean(page, hang, clean.buf);
}

/* A blank after one of these parts a command where a reader would. */
static bool ends_part(char c)
{
	return c == '|' || c == '&' || c == ';';
}

/* The last blank outside of quotes that a line of so many columns may break at, between parts if it can; 0: none. */
static size_t command_break(const char *command, size_t columns)
{
	size_t blank = 0, part = 0;
	char quote = '\0';

	for (size_t i = 0; command[i] && columns_of(command, i) <= columns; i++) {
		if (command[i] == '\\' && quote != '\'' && command[i + 1]) {
			i++;
		} else if (quote) {
			quote = command[i] == quote ? '\0' : quote;
		} else if (command[i] == '\'' || command[i] == '"') {
			quote = command[i];
		} else if (command[i] == ' ') {
			blank = i;
			part = i && ends_part(command[i - 1]) ? i : part;
		}
	}
	return part ? part : blank;
}

void page_command(struct page *page, size_t indent, const char *command)
{
	STRBUF_AUTO clean = STRBUF_INIT;
	const char *rest;

	page_clean(page, &clean, command);
	rest = clean.buf;
	page_move(page, indent);
	while (page->at + utf8_columns(rest) > page->columns) {
		size_t cut = command_break(rest, page->columns - page->at - 2);

		if (!cut)
			break;
		strbuf_add(page->out, rest, cut);
		strbuf_addstr(page->out, " \\");
		page_end_line(page);
		page_move(page, indent + 2);
		rest += cut + 1;
	}
	put_clean(page, INK_PLAIN, rest);
	page_end_line(page);
}
