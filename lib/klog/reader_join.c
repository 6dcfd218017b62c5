// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reader_join.c - lines that a mail or a terminal broke at its width.
 *
 * Joined is only what can be nothing else: a line with a stamp or name of the
 * kernel, then lines without any, then again one with or nothing; each as long
 * as one width makes them, which the next word did not fit into; and one that
 * ends, or goes on, as no sentence does. Otherwise the lines stay as they are.
 */
#include "base/compat.h"
#include "klog/prefilter.h"
#include "klog/reader_internal.h"

enum {
	MIN_WIDTH = 68, MAX_WIDTH = 80,	/* mails are broken within; terminals have more */
	MIN_LENGTH = 40,		/* a longer word than this would stand alone */
	MAX_LENGTH = 250,
	MAX_INDENT = 2,			/* more is how dmesg shows a record of several lines */
};

static struct span without_end(struct span raw)
{
	while (raw.end > raw.at && (raw.end[-1] == '\r' || raw.end[-1] == ' '))
		raw.end--;
	return raw;
}

static bool is_prefixed(const struct klog_line *line)
{
	return line->time.has_boot || line->time.has_wall || line->origin != KLOG_ORIGIN_UNKNOWN;
}

static void add_piece(struct klog_reader *reader, struct span raw)
{
	raw.end -= span_len(raw) && raw.end[-1] == '\r';
	strbuf_add(&reader->held.bytes, raw.at, span_len(raw));
	reader->held.numbers[reader->held.nr] = reader->coverage.lines;
	reader->held.ends[reader->held.nr++] = reader->held.bytes.len;
}

bool klog_hold(struct klog_reader *reader, struct span raw, const struct klog_line *line)
{
	struct span shown = without_end(raw), text = line->text;

	if (span_len(shown) < MIN_LENGTH || span_len(shown) > MAX_LENGTH || !is_prefixed(line) ||
	    line->origin == KLOG_ORIGIN_USER || !span_len(text) || text.end[-1] == '.' ||
	    text.end != shown.end || !klog_is_candidate(text))
		return false;
	add_piece(reader, raw);
	return true;
}

static struct span piece_of(const struct klog_reader *reader, size_t nr)
{
	const char *bytes = reader->held.bytes.buf;

	return (struct span){ bytes + (nr ? reader->held.ends[nr - 1] : 0), bytes + reader->held.ends[nr] };
}

static size_t first_word(struct span text)
{
	const char *blank = memchr(text.at, ' ', span_len(text));

	return (size_t)((blank ? blank : text.end) - text.at);
}

/* A line that ends so, or goes on so, is not whole. */
static bool is_unfinished(struct span text, struct span next)
{
	return memchr(",:=([{'\"<-", text.end[-1], 10) || !(*next.at >= 'A' && *next.at <= 'Z');
}

/* How a line was broken, if it was. */
enum breaking { WHOLE, AT_BLANKS, ANYWHERE };

/* At blanks: there is a width that holds each piece, but not with the next one's first word. */
static enum breaking breaking_of(struct klog_reader *reader)
{
	size_t longest = 0, least = SIZE_MAX, first = span_len(piece_of(reader, 0));
	bool is_open = true;
	bool is_hard = reader->held.nr > 2 || first == 80 || first == 100 || first == 120 || first == 132;

	if (reader->held.nr < 2)
		return WHOLE;
	for (size_t i = 0; i < reader->held.nr; i++) {
		size_t len = span_len(piece_of(reader, i));
		struct klog_line line;

		if (len > longest)
			longest = len;
		is_hard &= i + 1 < reader->held.nr ? len == first : len <= first;
		if (i == 0)
			continue;
		klog_line_parse(&reader->context, piece_of(reader, i), &line);
		is_open &= is_unfinished(without_end(piece_of(reader, i - 1)), line.text);
		len = span_len(piece_of(reader, i - 1)) + 1 + first_word(line.text);
		if (len < least)
			least = len;
	}
	if (is_hard && first >= MIN_WIDTH)
		return ANYWHERE;
	return is_open && longest < least && longest <= MAX_WIDTH && least > MIN_WIDTH ? AT_BLANKS : WHOLE;
}

/* One line again. Its first piece has the time and the source. */
static void hand_joined(struct klog_reader *reader, enum breaking breaking)
{
	STRBUF_AUTO text = STRBUF_INIT;
	struct klog_line line;

	for (size_t i = 0; i < reader->held.nr; i++) {
		struct span piece = piece_of(reader, i);

		klog_line_parse(&reader->context, piece, &line);
		if (i > 0 && (breaking == AT_BLANKS || *piece.at == ' ' || piece.at[-1] == ' '))
			strbuf_addch(&text, ' ');
		strbuf_add(&text, line.text.at, span_len(line.text));
	}
	klog_line_parse(&reader->context, piece_of(reader, 0), &line);
	line.number = reader->held.numbers[0];
	line.text = (struct span){ text.buf, text.buf + text.len };
	klog_hand(reader, &line);
}

static void hand_apart(struct klog_reader *reader)
{
	struct klog_line line;

	for (size_t i = 0; i < reader->held.nr; i++) {
		klog_line_parse(&reader->context, piece_of(reader, i), &line);
		line.number = reader->held.numbers[i];
		klog_hand(reader, &line);
	}
}

static void end_hold(struct klog_reader *reader, enum breaking breaking)
{
	if (!reader->held.nr)
		return;
	if (breaking == WHOLE)
		hand_apart(reader);
	else
		hand_joined(reader, breaking);
	reader->held.nr = 0;
	strbuf_reset(&reader->held.bytes);
}

void klog_let_go(struct klog_reader *reader)
{
	end_hold(reader, breaking_of(reader));
}

bool klog_hold_next(struct klog_reader *reader, struct span raw)
{
	struct klog_line line;
	bool may_go_on;

	klog_line_parse(&reader->context, raw, &line);
	if (is_prefixed(&line) || !span_len(line.text)) {
		klog_let_go(reader);
		return false;
	}
	may_go_on = reader->held.nr < MAX_PIECES && span_len(without_end(raw)) <= MAX_LENGTH &&
		    !(span_len(raw) > MAX_INDENT && !memcmp(raw.at, "   ", MAX_INDENT + 1)) &&
		    klog_next_candidate(line.text.at, line.text.end) != line.text.at;
	if (!may_go_on) {
		end_hold(reader, WHOLE);
		return false;
	}
	add_piece(reader, raw);
	return true;
}
