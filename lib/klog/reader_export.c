// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reader_export.c - journalctl -o export: a field a line, an empty line after
 * an entry; fields that hold line feeds or no text have their name alone on a
 * line, then their size in 8 bytes, least first, then so many bytes.
 */
#include "base/compat.h"
#include "klog/prefilter.h"
#include "klog/reader_internal.h"

#define MAX_DATA_BYTES ((uint64_t)1 << 30)	/* journald's own limit is less */

static void begin_entry(struct klog_reader *reader)
{
	reader->export.line = (struct klog_line){ .level = -1 };
	strbuf_reset(&reader->export.message);
	reader->export.is_begun = true;
}

static void end_entry(struct klog_reader *reader)
{
	struct strbuf *message = &reader->export.message;
	struct klog_line *line = &reader->export.line;

	if (!reader->export.is_begun)
		return;
	line->text = (struct span){ message->buf, message->buf + message->len };
	/* Without a message it says nothing, but when. */
	if (line->number)
		klog_hand(reader, line);
	else
		klog_note_time(reader, &line->time);
	reader->export.is_begun = false;
}

static bool take_time(struct span value, uint64_t *ret)
{
	return span_take_u64(&value, ret) && *ret <= KLOG_MAX_TIME_US;
}

static void take_field(struct klog_reader *reader, struct span name, struct span value)
{
	struct klog_line *line = &reader->export.line;
	bool is_kernel = span_is(value, "kernel");
	uint64_t number;

	if (span_is(name, "MESSAGE")) {
		strbuf_reset(&reader->export.message);
		strbuf_add(&reader->export.message, value.at, span_len(value));
		line->number = reader->export.number;
	} else if (span_is(name, "_TRANSPORT")) {
		line->origin = is_kernel ? KLOG_ORIGIN_KERNEL : KLOG_ORIGIN_USER;
	} else if (span_is(name, "SYSLOG_IDENTIFIER")) {
		/* A program may call itself the kernel, but no transport does. */
		if (line->origin == KLOG_ORIGIN_UNKNOWN)
			line->origin = is_kernel ? KLOG_ORIGIN_KERNEL : KLOG_ORIGIN_USER;
	} else if (span_is(name, "PRIORITY") && span_take_u64(&value, &number)) {
		line->level = (int)(number & 7);
	} else if (span_is(name, "__REALTIME_TIMESTAMP") && take_time(value, &number)) {
		line->time.has_wall = true;
		line->time.wall_us = (int64_t)number;
	} else if (span_is(name, "_SOURCE_MONOTONIC_TIMESTAMP") ||
		   (span_is(name, "__MONOTONIC_TIMESTAMP") && !line->time.has_boot)) {
		line->time.has_boot |= take_time(value, &line->time.boot_us);
	} else if (span_is(name, "_BOOT_ID")) {
		span_copy(value, line->boot_id, sizeof(line->boot_id));
	}
}

static bool is_name(struct span name)
{
	for (const char *c = name.at; c < name.end; c++)
		if (!is_digit(*c) && *c != '_' && (*c < 'A' || *c > 'Z'))
			return false;
	return span_len(name) > 0;
}

/* A line of text: a field, the name of one whose data follow, or the end of an entry. */
static void take_text(struct klog_reader *reader)
{
	struct span name = { reader->rest.buf, reader->rest.buf + reader->rest.len }, value;
	const char *equals;

	reader->coverage.lines++;
	if (!reader->export.is_data)
		reader->export.number = reader->coverage.lines;
	reader->export.is_data = false;
	if (!span_len(name)) {
		end_entry(reader);
		return;
	}
	equals = memchr(name.at, '=', span_len(name));
	if (!equals && is_name(name)) {
		/* The name stays, data are added after it. */
		reader->export.state = EXPORT_SIZE;
		reader->export.is_data = true;
		reader->export.left = 8;
		reader->export.size = 0;
		strbuf_addch(&reader->rest, '=');
		return;
	}
	if (equals) {
		if (!reader->export.is_begun)
			begin_entry(reader);
		value = (struct span){ equals + 1, name.end };
		name.end = equals;
		take_field(reader, name, value);
	}
	reader->coverage.cut_lines += reader->rest_is_cut;
	strbuf_reset(&reader->rest);
	reader->rest_is_cut = false;
}

static const char *feed_text(struct klog_reader *reader, struct span bytes)
{
	const char *feed = memchr(bytes.at, '\n', span_len(bytes));

	klog_add_rest(reader, (struct span){ bytes.at, feed ? feed : bytes.end });
	if (!feed)
		return bytes.end;
	take_text(reader);
	return feed + 1;
}

static const char *feed_size(struct klog_reader *reader, struct span bytes)
{
	unsigned shift = 8 * (unsigned)(8 - reader->export.left);

	reader->export.size |= (uint64_t)(unsigned char)*bytes.at << shift;
	reader->coverage.lines += *bytes.at == '\n';
	if (--reader->export.left)
		return bytes.at + 1;
	reader->export.left = reader->export.size;
	reader->export.state = EXPORT_DATA;
	/* Damaged: what follows is taken for text again. */
	if (reader->export.left > MAX_DATA_BYTES) {
		strbuf_reset(&reader->rest);
		reader->export.state = EXPORT_LINE;
		reader->export.is_data = false;
	}
	return bytes.at + 1;
}

/* Data end with a line feed, which is not theirs. */
static const char *feed_data(struct klog_reader *reader, struct span bytes)
{
	struct span piece = bytes;

	if (span_len(piece) > reader->export.left)
		piece.end = piece.at + reader->export.left;
	klog_add_rest(reader, piece);
	reader->coverage.lines += klog_count_lines(piece.at, piece.end);
	reader->export.left -= span_len(piece);
	if (reader->export.left || piece.end == bytes.end)
		return piece.end;
	reader->export.state = EXPORT_LINE;
	/* As a text's line, whose line feed was counted with it. */
	return feed_text(reader, (struct span){ piece.end, bytes.end });
}

void klog_feed_export(struct klog_reader *reader, struct span bytes)
{
	while (span_len(bytes)) {
		if (reader->export.state == EXPORT_LINE)
			bytes.at = feed_text(reader, bytes);
		else if (reader->export.state == EXPORT_SIZE)
			bytes.at = feed_size(reader, bytes);
		else
			bytes.at = feed_data(reader, bytes);
	}
}

void klog_end_export(struct klog_reader *reader)
{
	if (reader->rest.len && reader->export.state != EXPORT_SIZE)
		take_text(reader);
	end_entry(reader);
}
