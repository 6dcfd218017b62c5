// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_snapshot.c - a snapshot file from anybody: loaded, written, loaded
 * again to the same bytes, and judged.
 */
#include "base/compat.h"

#include <stdint.h>

#include "base/text.h"
#include "checks/playbook.h"
#include "eval/judge/report.h"
#include "render/render.h"
#include "tests/fuzz/fuzz.h"

static void render_all(const struct report *report)
{
	const struct render_options options = { .ascii = true };

	for (const struct format *format = formats; format->name; format++) {
		STRBUF_AUTO out = STRBUF_INIT;

		format->render(&out, report, &options);
		if (!utf8_valid(out.buf, out.len))
			abort();
	}
}

static void judge_twice(const struct snapshot *snapshot)
{
	STRBUF_AUTO text = STRBUF_INIT;
	STRBUF_AUTO again = STRBUF_INIT;
	struct merge_unknown unknown;
	struct snapshot replay;
	struct report report;
	struct json_error error;

	snapshot_write(&text, snapshot);
	if (snapshot_load(&replay, text.buf, text.len, &unknown, &error) || unknown.nr)
		abort();
	snapshot_write(&again, &replay);
	if (text.len != again.len || memcmp(text.buf, again.buf, text.len))
		abort();
	judge(&report, &replay, &playbook, &(struct judge_inputs){ .policy = &policy_built_in });
	render_all(&report);
	report_release(&report);
	snapshot_release(&replay);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct snapshot snapshot;
	struct merge_unknown unknown;
	struct json_error error;

	if (!snapshot_load(&snapshot, (const char *)data, size, &unknown, &error))
		judge_twice(&snapshot);
	snapshot_release(&snapshot);
	return 0;
}
