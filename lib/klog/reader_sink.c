// SPDX-License-Identifier: GPL-2.0-or-later
/* reader_sink.c - what every form of a source does with a line: may it matter, when was it, to the sink with it. */
#include "base/compat.h"
#include "klog/reader_internal.h"

#include "klog/prefilter.h"

bool klog_is_candidate(struct span text)
{
	return klog_next_candidate(text.at, text.end) != text.end;
}

bool klog_wants_stamp(const struct klog_reader *reader)
{
	return !reader->coverage.first.has_boot && !reader->coverage.first.has_wall &&
	       reader->coverage.lines <= FIRST_STAMP_LINES;
}

void klog_note_time(struct klog_reader *reader, const struct klog_time *time)
{
	if (!time->has_boot && !time->has_wall)
		return;
	if (!reader->coverage.first.has_boot && !reader->coverage.first.has_wall)
		reader->coverage.first = *time;
	reader->coverage.last = *time;
}

static void hand_one(struct klog_reader *reader, const struct klog_line *line)
{
	unsigned wanted;

	if (!reader->wanted && !klog_is_candidate(line->text))
		return;
	wanted = reader->sink.line(reader->sink.to, line);
	if (reader->wanted)
		reader->wanted--;
	if (wanted > reader->wanted)
		reader->wanted = wanted;
}

void klog_hand(struct klog_reader *reader, const struct klog_line *line)
{
	struct klog_line one = *line;
	struct span left = line->text;
	const char *feed;

	klog_note_time(reader, &line->time);
	/* Only a boundary between boots has an id without being an entry. */
	if (span_begins(left, "-- Boot ") || span_begins(left, "-- Reboot"))
		memcpy(reader->boot_id, line->boot_id, sizeof(reader->boot_id));
	else if (!one.boot_id[0])
		memcpy(one.boot_id, reader->boot_id, sizeof(one.boot_id));
	/* A record of several lines is split as dmesg shows it. */
	while ((feed = memchr(left.at, '\n', span_len(left)))) {
		one.text = (struct span){ left.at, feed };
		span_trim(&one.text);
		hand_one(reader, &one);
		left.at = feed + 1;
	}
	span_trim(&left);
	one.text = left;
	hand_one(reader, &one);
}

void klog_add_rest(struct klog_reader *reader, struct span piece)
{
	size_t room = MAX_LOG_LINE_BYTES + 1 - reader->rest.len;

	/* One byte more than the limit, to see that the line was longer. */
	if (span_len(piece) > room) {
		piece.end = piece.at + room;
		reader->rest_is_cut = true;
	}
	strbuf_add(&reader->rest, piece.at, span_len(piece));
}
