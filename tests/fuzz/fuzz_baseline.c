// SPDX-License-Identifier: GPL-2.0-or-later
/* fuzz_baseline.c - baselines from anywhere: refused with a place, or taken, compared and written back the same. */
#include "base/compat.h"

#include "eval/baseline/drift.h"
#include "tests/fuzz/fuzz.h"

/* With what it recorded itself. */
static void compare(const struct baseline *baseline)
{
	const struct snapshot *snapshot = &baseline->snapshot;
	struct arena arena = { .blocks = NULL };

	for (size_t i = 0; i < snapshot->nr_ocl_devices && i < 4; i++) {
		struct drift_list drifts;

		drifts_of(&drifts, &arena, &policy_built_in, baseline, snapshot, &snapshot->ocl_devices[i]);
		MUST(drifts.nr <= baseline->nr_figures);
	}
	arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	STRBUF_AUTO first = STRBUF_INIT;
	STRBUF_AUTO second = STRBUF_INIT;
	struct json_error error = { .line = 0 };
	struct merge_unknown strangers;
	struct baseline baseline, again;

	if (baseline_parse(&baseline, "baseline.json", (const char *)data, size, &strangers, &error)) {
		MUST(error.what[0] && memchr(error.what, '\0', sizeof(error.what)));
	} else {
		compare(&baseline);
		baseline_write(&first, &baseline);
		MUST(!baseline_parse(&again, "again", first.buf, first.len, &strangers, &error));
		baseline_write(&second, &again);
		MUST(!strcmp(first.buf, second.buf));
		baseline_release(&again);
	}
	baseline_release(&baseline);
	return 0;
}
