// SPDX-License-Identifier: GPL-2.0-or-later
/* reader.c - what a source is, and the way of each line to the sink. */
#include "base/compat.h"
#include "klog/reader_internal.h"

#include <errno.h>

#include "base/alloc.h"

struct klog_reader *klog_reader_new(const struct klog_sink *sink, int64_t now_us)
{
	struct klog_reader *reader = xcalloc(1, sizeof(*reader));
	const struct strbuf empty = STRBUF_INIT;

	reader->sink = *sink;
	reader->context = (struct klog_line_context){ .now_us = now_us, .scratch = STRBUF_INIT };
	reader->head = reader->rest = reader->tail = reader->held.bytes = reader->export.message = reader->object.last =
		empty;
	return reader;
}

void klog_reader_free(struct klog_reader *reader)
{
	if (!reader)
		return;
	klog_line_context_release(&reader->context);
	strbuf_release(&reader->head);
	strbuf_release(&reader->rest);
	strbuf_release(&reader->tail);
	strbuf_release(&reader->held.bytes);
	strbuf_release(&reader->export.message);
	strbuf_release(&reader->object.last);
	free(reader);
}

/* ---- to the sink */

/* ---- from the source */

static void keep_tail(struct klog_reader *reader, struct span bytes)
{
	struct strbuf *tail = &reader->tail;

	if (span_len(bytes) > TAIL_BYTES) {
		strbuf_reset(tail);
		bytes.at = bytes.end - TAIL_BYTES;
	}
	if (tail->len + span_len(bytes) > (size_t)4 * TAIL_BYTES) {
		memmove(tail->buf, tail->buf + tail->len - TAIL_BYTES, TAIL_BYTES);
		strbuf_setlen(tail, TAIL_BYTES);
	}
	strbuf_add(tail, bytes.at, span_len(bytes));
}

static void process(struct klog_reader *reader, struct span bytes)
{
	switch (reader->form) {
	case KLOG_FORM_EXPORT:
		klog_feed_export(reader, bytes);
		break;
	case KLOG_FORM_OBJECTS:
		klog_feed_objects(reader, bytes);
		break;
	default:
		keep_tail(reader, bytes);
		klog_feed_lines(reader, bytes);
		break;
	}
}

/* The first line that is not empty, with its end. Empty: not all of it is here. */
static struct span first_line(struct span head)
{
	const char *feed = head.at;

	while ((feed = memchr(feed, '\n', (size_t)(head.end - feed)))) {
		feed++;
		for (const char *c = head.at; c < feed; c++)
			if (*c != ' ' && *c != '\t' && *c != '\r' && *c != '\n')
				return (struct span){ head.at, feed };
	}
	return (struct span){ head.at, head.at };
}

/*
 * Text has next to none of them, anything else has one in ten bytes. An export may hold anything, so the form is
 * known first. The same lines have been handed on by then however the bytes came.
 */
static void check_text(struct klog_reader *reader)
{
	uint64_t seen = reader->coverage.bytes < HEAD_BYTES ? reader->coverage.bytes : HEAD_BYTES;

	if (!reader->refused && reader->nr_control * 20 > seen && reader->form != KLOG_FORM_EXPORT)
		reader->refused = "not text: name a kernel log, as dmesg or journalctl -k print it";
}

/* The first byte that is no blank; 0: there is none. */
static char first_byte(struct span text)
{
	while (text.at < text.end && (*text.at == ' ' || *text.at == '\t' || *text.at == '\r' || *text.at == '\n'))
		text.at++;
	return text.at < text.end ? *text.at : '\0';
}

/* Once enough is there to know what it is, so that the answer does not hang on how it came. */
static void decide(struct klog_reader *reader, bool is_end)
{
	struct span head = { reader->head.buf, reader->head.buf + reader->head.len };
	struct span first = first_line(head);
	char next = first_byte((struct span){ first.end, head.end });

	if (!is_end && (!span_len(first) || (!next && klog_is_bracket_alone(first))))
		return;
	if (!span_len(first))
		first = head;
	reader->refused = klog_foreign(first);
	if (reader->refused)
		return;
	reader->form = klog_form_of(first, next, &reader->is_json);
	process(reader, head);
	strbuf_release(&reader->head);
}

/* A part that lies within the first HEAD_BYTES, or behind them. */
static void take_part(struct klog_reader *reader, struct span part)
{
	bool is_head = reader->coverage.bytes < HEAD_BYTES;

	reader->coverage.bytes += span_len(part);
	if (is_head)
		reader->nr_control += klog_count_control(part);
	if (reader->form != KLOG_FORM_UNKNOWN) {
		process(reader, part);
	} else {
		strbuf_add(&reader->head, part.at, span_len(part));
		decide(reader, reader->coverage.bytes >= HEAD_BYTES);
	}
}

static int answer(const struct klog_reader *reader, const char **why)
{
	if (!reader->refused)
		return 0;
	*why = reader->refused;
	return -EILSEQ;
}

int klog_reader_feed(struct klog_reader *reader, const char *bytes, size_t len, const char **why)
{
	struct span left = { bytes, bytes + len };

	while (span_len(left) && !reader->refused) {
		struct span part = left;
		uint64_t seen = reader->coverage.bytes;

		if (seen < HEAD_BYTES && span_len(part) > HEAD_BYTES - seen)
			part.end = part.at + (HEAD_BYTES - seen);
		take_part(reader, part);
		if (seen < HEAD_BYTES && reader->coverage.bytes >= HEAD_BYTES)
			check_text(reader);
		left.at = part.end;
	}
	return answer(reader, why);
}

void klog_reader_pause(struct klog_reader *reader)
{
	if (!reader->refused)
		klog_let_go(reader);
}

/* The last line that has a stamp, of those that no one looked at. */
static void find_last(struct klog_reader *reader)
{
	struct span tail = { reader->tail.buf, reader->tail.buf + reader->tail.len }, raw;
	struct klog_line line;
	const char *feed;

	if (span_len(tail) > TAIL_BYTES)
		tail.at = tail.end - TAIL_BYTES;
	while (span_len(tail)) {
		feed = memrchr(tail.at, '\n', span_len(tail));
		/* Of the first one there the beginning may be missing. */
		if (!feed && reader->coverage.bytes > TAIL_BYTES)
			return;
		raw = (struct span){ feed ? feed + 1 : tail.at, tail.end };
		klog_line_parse(&reader->context, raw, &line);
		if (line.time.has_boot || line.time.has_wall) {
			klog_note_time(reader, &line.time);
			return;
		}
		tail.end = feed ? feed : tail.at;
	}
}

static void end_form(struct klog_reader *reader)
{
	switch (reader->form) {
	case KLOG_FORM_EXPORT:
		klog_end_export(reader);
		break;
	case KLOG_FORM_OBJECTS:
		klog_end_objects(reader);
		break;
	default:
		klog_end_lines(reader);
		klog_let_go(reader);
		find_last(reader);
		break;
	}
}

int klog_reader_end(struct klog_reader *reader, struct klog_coverage *ret, const char **why)
{
	if (!reader->refused && reader->form == KLOG_FORM_UNKNOWN && reader->head.len)
		decide(reader, true);
	if (reader->coverage.bytes < HEAD_BYTES)
		check_text(reader);
	if (!reader->refused)
		end_form(reader);
	*ret = reader->coverage;
	return answer(reader, why);
}

void klog_reader_record(struct klog_reader *reader, const char *record, size_t len)
{
	struct klog_line line;

	reader->coverage.lines++;
	reader->coverage.bytes += len;
	klog_line_parse(&reader->context, (struct span){ record, record + len }, &line);
	line.number = reader->coverage.lines;
	klog_hand(reader, &line);
}

void klog_reader_lost(struct klog_reader *reader, uint64_t records)
{
	reader->coverage.lost_records += records;
}
