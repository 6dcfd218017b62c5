// SPDX-License-Identifier: GPL-2.0-or-later
/* term_writer.c - putting words on lines. What they are made of is clean.c's business. */
#include "base/compat.h"
#include "render/term_writer.h"

#include "base/text.h"
#include "base/text_scan.h"

enum {
	DEFAULT_COLUMNS = 100,
	LEAST_COLUMNS = 40,
	MAX_CLINGING_BYTES = 24,	/* of words that keep together: a row of numbers is no word */
};

/* ECMA-48 SGR, the sixteen colours that every terminal and theme has. */
static const char *const ink_codes[] = {
	[STYLE_PLAIN] = "",
	[STYLE_DIM] = "\x1b[2m",
	[STYLE_PASS] = "\x1b[32m",
	[STYLE_NOTE] = "\x1b[36m",
	[STYLE_WARN] = "\x1b[1;33m",
	[STYLE_FAIL] = "\x1b[1;31m",
	[STYLE_UNKNOWN] = "\x1b[35m",
};
#define INK_OFF "\x1b[0m"

enum style style_of(enum outcome outcome)
{
	static const enum style inks[NR_OUTCOMES] = {
		[OUTCOME_SKIP] = STYLE_DIM, [OUTCOME_PASS] = STYLE_PASS, [OUTCOME_NOTE] = STYLE_NOTE,
		[OUTCOME_UNKNOWN] = STYLE_UNKNOWN, [OUTCOME_WARN] = STYLE_WARN, [OUTCOME_FAIL] = STYLE_FAIL,
	};

	return inks[outcome];
}

void term_open(struct term_writer *term, struct strbuf *out, const struct render_options *options)
{
	size_t columns = options->columns ? options->columns : DEFAULT_COLUMNS;

	*term = (struct term_writer){
		.out = out, .columns = columns < LEAST_COLUMNS ? LEAST_COLUMNS : columns,
		.colour = options->colour, .ascii = options->ascii,
	};
}

void term_end_line(struct term_writer *term)
{
	struct strbuf *out = term->out;

	while (term->at && out->len && out->buf[out->len - 1] == ' ')
		strbuf_setlen(out, out->len - 1);
	strbuf_addch(out, '\n');
	term->at = 0;
}

void term_move(struct term_writer *term, size_t column)
{
	size_t spaces = term->at <= column ? column - term->at : 1;

	strbuf_addchars(term->out, ' ', spaces);
	term->at += spaces;
}

static void break_line(struct term_writer *term, size_t hang)
{
	term_end_line(term);
	term_move(term, hang);
}

/* Clean text, coloured. */
static void put_clean(struct term_writer *term, enum style style, const char *clean)
{
	bool painted = term->colour && style != STYLE_PLAIN && *clean;

	if (painted)
		strbuf_addstr(term->out, ink_codes[style]);
	strbuf_addstr(term->out, clean);
	if (painted)
		strbuf_addstr(term->out, INK_OFF);
	term->at += utf8_columns(clean);
}

void term_put(struct term_writer *term, enum style style, const char *text)
{
	STRBUF_AUTO clean = STRBUF_INIT;

	term_clean(term, &clean, text);
	put_clean(term, style, clean.buf);
}

void term_right(struct term_writer *term, enum style style, const char *text)
{
	STRBUF_AUTO clean = STRBUF_INIT;
	size_t width;

	term_clean_cut(term, &clean, text, term->columns);
	width = utf8_columns(clean.buf);
	if (term->at && term->at + 2 + width > term->columns)
		term_end_line(term);
	term_move(term, term->columns - width);
	put_clean(term, style, clean.buf);
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

/* A sign that stands alone ("×", "%", "->"): it begins no line. */
static bool is_sign(const char *word, size_t len)
{
	if (len && (unsigned char)word[0] >= 0x80)
		return columns_of(word, len) == 1;
	return len && len <= 2 && !is_letter_or_digit(word[0]) && !is_letter_or_digit(word[len - 1]) &&
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
static void put_word(struct term_writer *term, size_t hang, const char *word, size_t len)
{
	size_t columns = columns_of(word, len);

	while (term->at + columns > term->columns) {
		size_t part = bytes_of(word, len, term->columns - term->at);

		strbuf_add(term->out, word, part);
		columns -= term->columns - term->at;
		term->at = term->columns;
		break_line(term, hang);
		word += part;
		len -= part;
	}
	strbuf_add(term->out, word, len);
	term->at += columns;
}

static void flow_clean(struct term_writer *term, size_t hang, const char *clean)
{
	bool fresh = true;	/* nothing of this text stands on the line yet */
	size_t len;

	for (const char *rest = clean + strspn(clean, " "); *rest; rest += len, rest += strspn(rest, " ")) {
		len = word_len(rest);
		if (term->at > hang && term->at + !fresh + columns_of(rest, len) > term->columns) {
			break_line(term, hang);
			fresh = true;
		}
		if (!fresh)
			term_move(term, term->at + 1);
		put_word(term, hang, rest, len);
		fresh = false;
	}
}

void term_flow(struct term_writer *term, size_t hang, const char *text)
{
	STRBUF_AUTO clean = STRBUF_INIT;

	term_clean(term, &clean, text);
	if (!term->at)
		term_move(term, hang);
	flow_clean(term, hang, clean.buf);
}

void term_fact(struct term_writer *term, size_t hang, const char *text)
{
	STRBUF_AUTO clean = STRBUF_INIT;

	term_clean(term, &clean, text);
	if (!clean.len)
		return;
	if (term->at > hang && term->at + 3 + utf8_columns(clean.buf) > term->columns)
		break_line(term, hang);
	else if (term->at > hang)
		term_put(term, STYLE_PLAIN, " · ");
	flow_clean(term, hang, clean.buf);
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

void term_command(struct term_writer *term, size_t indent, const char *command)
{
	STRBUF_AUTO clean = STRBUF_INIT;
	const char *rest;

	term_clean(term, &clean, command);
	rest = clean.buf;
	term_move(term, indent);
	while (term->at + utf8_columns(rest) > term->columns) {
		size_t cut = command_break(rest, term->columns - term->at - 2);

		if (!cut)
			break;
		strbuf_add(term->out, rest, cut);
		strbuf_addstr(term->out, " \\");
		term_end_line(term);
		term_move(term, indent + 2);
		rest += cut + 1;
	}
	put_clean(term, STYLE_PLAIN, rest);
	term_end_line(term);
}
