// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "klog/reader.h"

#include "base/alloc.h"
#include "klog/prefilter.h"

struct klog_reader {
	struct klog_sink sink;
	struct klog_line_context context;
	struct klog_coverage coverage;
	struct strbuf rest;		/* a line without its end yet */
	unsigned wanted;		/* lines the sink wants whatever they say */
};

struct klog_reader *klog_reader_new(const struct klog_sink *sink, int64_t now_us)
{
	struct klog_reader *reader = xcalloc(1, sizeof(*reader));

	reader->sink = *sink;
	reader->context = (struct klog_line_context){ .now_us = now_us, .scratch = STRBUF_INIT };
	reader->rest = (struct strbuf)STRBUF_INIT;
	return reader;
}

void klog_reader_free(struct klog_reader *reader)
{
	if (!reader)
		return;
	klog_line_context_release(&reader->context);
	strbuf_release(&reader->rest);
	free(reader);
}

static void take_line(struct klog_reader *reader, struct span raw)
{
	struct klog_line line;
	unsigned wanted;

	reader->coverage.lines++;
	klog_line_parse(&reader->context, raw, &line);
	if (line.time.has_boot || line.time.has_wall) {
		if (!reader->coverage.first.has_boot && !reader->coverage.first.has_wall)
			reader->coverage.first = line.time;
		reader->coverage.last = line.time;
	}
	if (!reader->wanted && klog_next_candidate(raw.at, raw.end) == raw.end)
		return;
	line.number = reader->coverage.lines;
	wanted = reader->sink.line(reader->sink.to, &line);
	if (reader->wanted)
		reader->wanted--;
	if (wanted > reader->wanted)
		reader->wanted = wanted;
}

int klog_reader_feed(struct klog_reader *reader, const char *bytes, size_t len, const char **why)
{
	const char *end = bytes + len, *feed;

	(void)why;
	while ((feed = memchr(bytes, '\n', (size_t)(end - bytes)))) {
		strbuf_add(&reader->rest, bytes, (size_t)(feed - bytes));
		take_line(reader, (struct span){ reader->rest.buf, reader->rest.buf + reader->rest.len });
		strbuf_reset(&reader->rest);
		bytes = feed + 1;
	}
	strbuf_add(&reader->rest, bytes, (size_t)(end - bytes));
	return 0;
}

int klog_reader_end(struct klog_reader *reader, struct klog_coverage *ret, const char **why)
{
	(void)why;
	if (reader->rest.len)
		take_line(reader, (struct span){ reader->rest.buf, reader->rest.buf + reader->rest.len });
	*ret = reader->coverage;
	return 0;
}

void klog_reader_record(struct klog_reader *reader, const char *record, size_t len)
{
	take_line(reader, (struct span){ record, record + len });
}

void klog_reader_lost(struct klog_reader *reader, uint64_t records)
{
	reader->coverage.lost_records += records;
}
