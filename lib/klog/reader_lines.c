// SPDX-License-Identifier: GPL-2.0-or-later
/* reader_lines.c - plain lines: whole pieces are searched, and only where something is found lines are. */
#include "base/compat.h"
#include "klog/prefilter.h"
#include "klog/reader_internal.h"

enum { ESCAPE = 0x1b };

/* The next places in a piece where each kind of find stands, looked for once they are behind. */
struct finds {
	const char *candidate, *escape, *array;
};

static const char *find_byte(char byte, const char *at, const char *end)
{
	const char *found = memchr(at, byte, (size_t)(end - at));

	return found ? found : end;
}

static bool stands_before(const char *text, const char *at, const char *place)
{
	size_t len = strlen(text);

	return (size_t)(place - at) >= len && !memcmp(place - len, text, len);
}

/* Journald's numbers for a message that is no text: it must be decoded before it can be searched. */
static const char *find_array(const char *at, const char *end)
{
	const char *place = find_byte('[', at, end);

	while (place < end && !stands_before("\"MESSAGE\":", at, place) && !stands_before("\"MESSAGE\" : ", at, place))
		place = find_byte('[', place + 1, end);
	return place;
}

bool klog_is_encoded(const struct klog_reader *reader, struct span raw)
{
	return find_byte(ESCAPE, raw.at, raw.end) != raw.end ||
	       (reader->is_json && find_array(raw.at, raw.end) != raw.end);
}

static const char *next_find(const struct klog_reader *reader, struct finds *finds, const char *at, const char *end)
{
	const char *first;

	if (finds->candidate < at)
		finds->candidate = klog_next_candidate(at, end);
	if (finds->escape < at)
		finds->escape = find_byte(ESCAPE, at, end);
	if (finds->array < at)
		finds->array = reader->is_json ? find_array(at, end) : end;
	first = finds->escape < finds->candidate ? finds->escape : finds->candidate;
	return finds->array < first ? finds->array : first;
}

/* " DEVICE=+pci:0000:01:00.0": a record of /dev/kmsg has more than its text. */
static bool is_dictionary(struct span raw)
{
	const char *c = raw.at + 1;

	if (span_len(raw) < 3 || *raw.at != ' ')
		return false;
	while (c < raw.end && ((*c >= 'A' && *c <= 'Z') || *c == '_'))
		c++;
	return c > raw.at + 1 && c < raw.end && *c == '=';
}

/* A line of which nothing is known yet; its number is that of the lines so far. */
static void take_line(struct klog_reader *reader, struct span raw)
{
	struct klog_line line;

	reader->coverage.lines++;
	if (span_len(raw) > MAX_LOG_LINE_BYTES) {
		raw.end = raw.at + MAX_LOG_LINE_BYTES;
		reader->coverage.cut_lines++;
	}
	if (is_dictionary(raw) || (reader->held.nr && klog_hold_next(reader, raw)))
		return;
	if (!reader->wanted && !klog_wants_stamp(reader) && !klog_is_candidate(raw) && !klog_is_encoded(reader, raw))
		return;
	if (reader->wanted && reader->sink.passed && !klog_wants_stamp(reader) && !klog_may_go_on(raw.at, raw.end) &&
	    !klog_is_encoded(reader, raw)) {
		reader->wanted--;
		reader->sink.passed(reader->sink.to);
		return;
	}
	klog_line_parse(&reader->context, raw, &line);
	line.number = reader->coverage.lines;
	if (!klog_hold(reader, raw, &line))
		klog_hand(reader, &line);
}

/* Is nothing to be known of a line but whether something is found in it? */
static bool may_skip(const struct klog_reader *reader)
{
	return !reader->wanted && !reader->held.nr && !klog_wants_stamp(reader);
}

/* Lines that are passed over count as those that are looked at. end is behind a line feed. */
static void pass(struct klog_reader *reader, const char *at, const char *end)
{
	reader->coverage.lines += klog_count_lines(at, end);
	while (end - at > MAX_LOG_LINE_BYTES) {
		const char *feed = memrchr(at, '\n', MAX_LOG_LINE_BYTES + 1);

		if (!feed) {
			reader->coverage.cut_lines++;
			feed = memchr(at, '\n', (size_t)(end - at));
		}
		at = feed + 1;
	}
}

/* Whole lines, of which the last ends before end. */
static void take_whole(struct klog_reader *reader, const char *at, const char *end)
{
	struct finds finds = { 0 };

	while (at < end) {
		const char *feed, *start, *found = at;

		if (may_skip(reader)) {
			found = next_find(reader, &finds, at, end);
			start = memrchr(at, '\n', (size_t)(found - at));
			if (start) {
				pass(reader, at, start + 1);
				at = start + 1;
			}
			if (found == end)
				return;
		}
		feed = memchr(found, '\n', (size_t)(end - found));
		take_line(reader, (struct span){ at, feed });
		at = feed + 1;
	}
}

void klog_feed_lines(struct klog_reader *reader, struct span bytes)
{
	const char *feed;

	if (reader->rest.len) {
		feed = memchr(bytes.at, '\n', span_len(bytes));
		klog_add_rest(reader, (struct span){ bytes.at, feed ? feed : bytes.end });
		if (!feed)
			return;
		klog_end_lines(reader);
		bytes.at = feed + 1;
	}
	feed = memrchr(bytes.at, '\n', span_len(bytes));
	if (feed) {
		take_whole(reader, bytes.at, feed + 1);
		bytes.at = feed + 1;
	}
	klog_add_rest(reader, bytes);
}

void klog_end_lines(struct klog_reader *reader)
{
	struct strbuf line = reader->rest;

	if (!line.len)
		return;
	take_line(reader, (struct span){ line.buf, line.buf + line.len });
	strbuf_reset(&reader->rest);
}
