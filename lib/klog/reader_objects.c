// SPDX-License-Identifier: GPL-2.0-or-later
/* reader_objects.c - JSON over several lines: each innermost object is a line of the log. */
#include "base/compat.h"
#include "klog/prefilter.h"
#include "klog/reader_internal.h"

static struct span object_of(const struct klog_reader *reader)
{
	return (struct span){ reader->rest.buf, reader->rest.buf + reader->rest.len };
}

/* The line that its message stands on. */
static uint64_t line_of(const struct klog_reader *reader, struct span object)
{
	static const char *const keys[] = { "\"MESSAGE\"", "\"msg\"", "\"log\"", "\"line\"", "\"message\"" };
	const char *found = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(keys) && !found; i++)
		found = memmem(object.at, span_len(object), keys[i], strlen(keys[i]));
	return reader->object.number + (found ? klog_count_lines(object.at, found) : 0);
}

static void take_object(struct klog_reader *reader)
{
	struct span object = object_of(reader);
	struct klog_line line;

	reader->object.is_open = false;
	reader->coverage.cut_lines += reader->rest_is_cut;
	if (!reader->wanted && !klog_wants_stamp(reader) && !klog_is_candidate(object) && !klog_is_encoded(reader, object))
		return;
	klog_line_parse(&reader->context, object, &line);
	line.number = line_of(reader, object);
	klog_hand(reader, &line);
}

static void take_byte(struct klog_reader *reader, const char *byte)
{
	bool is_escape = reader->object.is_escape;

	reader->object.is_escape = reader->object.is_string && *byte == '\\' && !is_escape;
	if (*byte == '"' && !is_escape)
		reader->object.is_string = !reader->object.is_string;
	if (reader->object.is_string) {
		if (reader->object.is_open)
			klog_add_rest(reader, (struct span){ byte, byte + 1 });
		return;
	}
	if (*byte == '{') {
		strbuf_reset(&reader->rest);
		reader->rest_is_cut = false;
		reader->object.is_open = true;
		reader->object.number = reader->coverage.lines + 1;
	}
	if (reader->object.is_open) {
		klog_add_rest(reader, (struct span){ byte, byte + 1 });
		if (*byte == '}')
			take_object(reader);
	}
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
	if (reader->object.is_open) {
		take_object(reader);
	} else if (reader->rest.len) {
		klog_line_parse(&reader->context, object_of(reader), &line);
		klog_note_time(reader, &line.time);
	}
}
