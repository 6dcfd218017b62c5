// SPDX-License-Identifier: GPL-2.0-or-later
/* fuzz_klog_line.c - one line of a log, with whatever it is wrapped in; and what the catalogue makes of it. */
#include "base/compat.h"

#include <stdint.h>

#include "klog/match.h"
#include "tests/fuzz/fuzz.h"

#define NOW_US INT64_C(1768000000000000)

static void require(bool holds)
{
	if (!holds)
		abort();
}

static bool lies_in(struct span text, const char *at, size_t len)
{
	return text.at >= at && text.at <= text.end && text.end <= at + len;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct klog_line_context context = { .now_us = NOW_US, .scratch = STRBUF_INIT };
	/* As long as it is and no longer, so that a byte too far is seen. */
	char *raw = malloc(size ? size : 1);
	struct klog_line line, again;
	struct klog_match match;
	size_t len;

	require(raw);
	memcpy(raw, data, size);
	klog_line_parse(&context, (struct span){ raw, raw + size }, &line);
	len = span_len(line.text);
	require(lies_in(line.text, raw, size) || lies_in(line.text, context.scratch.buf, context.scratch.len));
	require(len <= size && line.level >= -1 && line.level <= 7);
	require(memchr(line.boot_id, '\0', sizeof(line.boot_id)));
	require(!line.time.has_wall || line.time.wall_us > -INT64_C(86400000000));
	klog_match(&line, &match);
	klog_line_parse(&context, (struct span){ raw, raw + size }, &again);
	require(span_len(again.text) == len && again.origin == line.origin &&
		!memcmp(&again.time, &line.time, sizeof(line.time)));
	klog_line_context_release(&context);
	free(raw);
	return 0;
}
