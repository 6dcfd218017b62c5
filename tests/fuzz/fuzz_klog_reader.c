// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_klog_reader.c - a log of any form. Fed whole and in pieces that its own
 * bytes choose, it must tell the same. The first byte says how many lines the
 * sink wants after each, and how long the pieces are.
 */
#include "base/compat.h"

#include <stdint.h>

#include "klog/reader.h"
#include "tests/fuzz/fuzz.h"

#define NOW_US INT64_C(1768000000000000)

struct told {
	unsigned wants;
	size_t nr;
	uint64_t hash;
	int error;
	struct klog_coverage coverage;
};

static void require(bool holds)
{
	if (!holds)
		abort();
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	return (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15) + (hash >> 29);
}

static unsigned see(void *to, const struct klog_line *line)
{
	struct told *told = to;
	uint64_t hash = mix(told->hash, line->number);

	require(line->text.at <= line->text.end && span_len(line->text) <= MAX_LOG_LINE_BYTES + 1);
	require(line->number > 0);
	for (const char *c = line->text.at; c < line->text.end; c++)
		hash = mix(hash, (unsigned char)*c);
	hash = mix(hash, line->time.has_boot ? line->time.boot_us : 1);
	hash = mix(hash, line->time.has_wall ? (uint64_t)line->time.wall_us : 1);
	hash = mix(hash, (uint64_t)line->origin * 16 + (uint64_t)(line->level + 1));
	for (const char *c = line->boot_id; *c; c++)
		hash = mix(hash, (unsigned char)*c);
	told->hash = hash;
	told->nr++;
	return told->nr % 3 ? told->wants : 0;
}

/* Pieces end where the bytes say so; 0: it is one piece. */
static struct told feed(const char *bytes, size_t len, unsigned wants, unsigned splitting)
{
	struct told told = { .wants = wants };
	const struct klog_sink sink = { .line = see, .to = &told };
	struct klog_reader *reader = klog_reader_new(&sink, NOW_US);
	const char *why = NULL;
	size_t start = 0;
	uint64_t state = splitting;

	for (size_t i = 0; i < len && !told.error; i++) {
		state = mix(state, (unsigned char)bytes[i]);
		if (i + 1 < len && (!splitting || state >> 32 & splitting))
			continue;
		/* A copy of its own, so that a look beyond it is seen. */
		char *piece = malloc(i + 1 - start);

		require(piece);
		memcpy(piece, bytes + start, i + 1 - start);
		told.error = klog_reader_feed(reader, piece, i + 1 - start, &why);
		free(piece);
		start = i + 1;
	}
	told.error = klog_reader_end(reader, &told.coverage, &why);
	require(!told.error == !why);
	klog_reader_free(reader);
	return told;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned wants = size ? data[0] % 5 : 0;
	const char *bytes = (const char *)data + (size > 0);
	size_t len = size - (size > 0);
	struct told whole = feed(bytes, len, wants, 0);

	struct told split = feed(bytes, len, wants, (2U << (size ? data[0] / 5 % 8 : 0)) - 1);

	require(split.error == whole.error && split.nr == whole.nr && split.hash == whole.hash);
	require(whole.error || !memcmp(&split.coverage, &whole.coverage, sizeof(whole.coverage)));
	require(whole.error || whole.coverage.bytes == len);
	return 0;
}
