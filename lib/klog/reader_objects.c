// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reader_objects.c - JSON over several lines: each object is a line of the log, if it has the message of one. What
 * stands in an object is taken by itself, and gone from what is around it: {"_source": {"agent": {…}, "message": "…"}}.
 */
#include "base/compat.h"
#include "klog/prefilter.h"
#include "klog/reader_internal.h"

/* The innermost that is open. */
static struct span object_of(const struct klog_reader *reader)
{
	return (struct span){ reader->rest.buf + reader->object.starts[reader->object.depth - 1].at,
			      reader->rest.buf + reader->rest.len };
}

/* Where the key of its message stands; NULL: it is none of a log's records. */
static const char *message_of(struct span object)
{
	static const char *const keys[] = { "\"MESSAGE\"", "\"msg\"", "\"log\"", "\"line\"", "\"message\"" };
	const char *found = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(keys) && !found; i++)
		found = memmem(object.at, span_len(object), keys[i], strlen(keys[i]));
	return found;
}

static void take_object(struct klog_reader *reader)
{
	struct span object = object_of(reader);
	const char *message = message_of(object);
	bool is_wanted = (reader->wanted && message) || klog_is_candidate(object) || klog_is_encoded(reader, object);
	struct klog_line line;

	reader->coverage.cut_lines += reader->rest_is_cut;
	if (!is_wanted && !klog_wants_stamp(reader))
		return;
	klog_line_parse(&reader->context, object, &line);
	/* The line that its message stands on. */
	line.number = reader->object.starts[reader->object.depth - 1].number +
		      (message ? klog_count_lines(object.at, message) : 0);
	if (is_wanted)
		klog_hand(reader, &line);
	else
		klog_note_time(reader, &line.time);
}

/* Where there is no room for what is around it, it is the only one. */
static void open_object(struct klog_reader *reader)
{
	if (reader->object.depth == MAX_OBJECTS || reader->rest.len > MAX_LOG_LINE_BYTES / 2)
		reader->object.depth = 0;
	if (!reader->object.depth) {
		strbuf_reset(&reader->rest);
		reader->rest_is_cut = false;
	}
	reader->object.starts[reader->object.depth].has_objects = false;
	reader->object.starts[reader->object.depth].at = reader->rest.len;
	reader->object.starts[reader->object.depth++].number = reader->coverage.lines + 1;
}

/* A member that was an object is null from now on, with as many lines, and what is around it was not cut with it. */
static void close_object(struct klog_reader *reader)
{
	struct span object = object_of(reader);
	uint64_t lines = reader->coverage.lines + 1 - reader->object.starts[reader->object.depth - 1].number;

	take_object(reader);
	reader->rest_is_cut = false;
	reader->object.depth--;
	if (!reader->object.starts[reader->object.depth].has_objects) {
		strbuf_reset(&reader->object.last);
		strbuf_add(&reader->object.last, object.at, span_len(object));
	}
	if (!reader->object.depth)
		return;
	reader->object.starts[reader->object.depth - 1].has_objects = true;
	strbuf_setlen(&reader->rest, reader->object.starts[reader->object.depth].at);
	strbuf_addstr(&reader->rest, "null");
	/* Half of the room was left when it was opened: some of it stays for what follows. */
	strbuf_addchars(&reader->rest, '\n', lines < MAX_LOG_LINE_BYTES / 4 ? lines : MAX_LOG_LINE_BYTES / 4);
}

static void take_byte(struct klog_reader *reader, const char *byte)
{
	bool is_escape = reader->object.is_escape;

	reader->object.is_escape = reader->object.is_string && *byte == '\\' && !is_escape;
	if (*byte == '"' && !is_escape)
		reader->object.is_string = !reader->object.is_string;
	if (!reader->object.is_string && *byte == '{')
		open_object(reader);
	if (!reader->object.depth)
		return;
	klog_add_rest(reader, (struct span){ byte, byte + 1 });
	if (!reader->object.is_string && *byte == '}')
		close_object(reader);
}

void klog_feed_objects(struct klog_reader *reader, struct span bytes)
{
	for (; bytes.at < bytes.end; bytes.at++) {
		take_byte(reader, bytes.at);
		if (*bytes.at == '\n') {
			reader->coverage.lines++;
			/* No string goes on in another line: one that seems to was damaged. */
			reader->object.is_string = false;
		}
	}
}

void klog_end_objects(struct klog_reader *reader)
{
	struct klog_line line;

	/* The last one, whether it was of interest or not; one that was cut short may be. */
	if (reader->object.depth) {
		take_object(reader);
	} else if (reader->object.last.len) {
		klog_line_parse(
			&reader->context,
			(struct span){ reader->object.last.buf, reader->object.last.buf + reader->object.last.len },
			&line);
		klog_note_time(reader, &line.time);
	}
}
