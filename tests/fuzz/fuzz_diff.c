// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_diff.c - two files from anybody, snapshots or reports, with a byte 0 between them: compared and told in each
 * form. What is compared with itself has not changed.
 */
#include "base/compat.h"

#include <stdint.h>

#include "base/text.h"
#include "eval/diff/diff_side.h"
#include "render/diff.h"
#include "tests/fuzz/fuzz.h"

struct file {
	struct snapshot snapshot;
	struct diff_side side;
};

static bool load(struct file *ret, const char *text, size_t len)
{
	struct merge_unknown unknown;
	struct json_error error;
	struct json_doc doc;
	bool is_good;

	*ret = (struct file){ .side = { .nr_results = 0 } };
	if (!snapshot_load(&ret->snapshot, text, len, &unknown, &error)) {
		diff_side_of_snapshot(&ret->side, &ret->snapshot);
		return true;
	}
	if (json_parse(text, len, 0, &doc, &error))
		return false;
	is_good = !diff_side_of_document(&ret->side, &doc, &error);
	json_release(&doc);
	return is_good;
}

static void release(struct file *file)
{
	diff_side_release(&file->side);
	snapshot_release(&file->snapshot);
}

/* How many differences there are. */
static size_t compare(const struct file *before, const struct file *after)
{
	const struct render_options options = { .ascii = true };
	struct diff diff;
	size_t nr;

	diff_sides(&diff, &before->side, &after->side);
	nr = diff.nr;
	for (const struct diff_format *format = diff_formats; format->name; format++) {
		STRBUF_AUTO out = STRBUF_INIT;

		format->render(&out, &diff, &options);
		if (!utf8_valid(out.buf, out.len))
			abort();
	}
	diff_release(&diff);
	return nr;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data, *between = size ? memchr(text, '\0', size) : NULL;
	size_t len = between ? (size_t)(between - text) : size;
	struct file before, after;
	bool is_pair = load(&before, text, len);

	if (is_pair && compare(&before, &before))
		abort();
	if (between) {
		is_pair &= load(&after, between + 1, size - len - 1);
		if (is_pair) {
			compare(&before, &after);
			compare(&after, &before);
		}
		release(&after);
	}
	release(&before);
	return 0;
}
