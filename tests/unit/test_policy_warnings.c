// SPDX-License-Identifier: GPL-2.0-or-later
/* test_policy_warnings.c - what a policy file may say and hardly means. */
#include "base/compat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "eval/policy/policy.h"

static const struct strs checks_of_test = { .nr = 1, .v = (const char *[]){ "pcie-width" } };

static struct arena arena;
static struct policy_errors doubts;

static void doubt(const char *text)
{
	struct policy policy;
	struct policy_errors errors;

	if (policy_parse(&policy, &arena, &checks_of_test, "policy.json", text, strlen(text), &errors))
		fail_msg("%s: %s", text, errors.items[0].what);
	policy_warn(&arena, &policy, "2026-11-22", &doubts);
}

static void numbers_of_another_unit(void **state)
{
	static const struct {
		const char *text, *doubt;
	} cases[] = {
		{ "{\"throttle.percent\": 0.1}",
		  "\"throttle.percent\": 0.1 % looks wrong; did you mean 10 (a share of 0.1)?" },
		{ "{\"memory.pressure_percent\": 0.07}",
		  "\"memory.pressure_percent\": 0.07 % looks wrong; did you mean 7 (a share of 0.07)?" },
		{ "{\"transfer.twin_ratio\": 115}",
		  "\"transfer.twin_ratio\": 115 times looks wrong; did you mean 1.15 (115 %)?" },
		{ "{\"gate.held_bytes\": 2}",
		  "\"gate.held_bytes\": 2 bytes looks wrong; did you mean 2147483648 (2 GiB)?" },
		{ "{\"shm.size_bytes\": 512}",
		  "\"shm.size_bytes\": 512 bytes looks wrong; did you mean 536870912 (512 MiB)?" },
		{ "{\"power.limit_mw\": 350}",
		  "\"power.limit_mw\": 350 mW looks wrong; did you mean 350000 (350 W)?" },
		{ "{\"probe.slow_ms\": 5}", "\"probe.slow_ms\": 5 ms looks wrong; did you mean 5000 (5 s)?" },
		{ "{\"klog.current_s\": 72}", "\"klog.current_s\": 72 s looks wrong; did you mean 259200 (72 h)?" },
		{ "{\"throttle.samples\": 2.5}",
		  "\"throttle.samples\": 2.5 is not a whole number, and this counts whole things" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		doubt(cases[i].text);
		if (doubts.nr != 1)
			fail_msg("%s: %zu doubts", cases[i].text, doubts.nr);
		assert_string_equal(doubts.items[0].what, cases[i].doubt);
	}
}

/* Strict is not wrong. */
static void what_may_well_be_meant(void **state)
{
	static const char *const texts[] = {
		"{\"throttle.percent\": 1}", "{\"throttle.percent\": 0}", "{\"memory.pressure_percent\": 0.5}",
		"{\"vram.note_ratio\": 0.01}", "{\"vram.note_ratio\": 1}", "{\"launch.twin_ratio\": 20}",
		"{\"gate.held_bytes\": 0}", "{\"memlock.min_bytes\": 65536}", "{\"power.limit_mw\": 0}",
		"{\"power.limit_mw\": 10000}", "{\"storage.read_ms\": 0.5}", "{\"probe.slow_ms\": 100}",
		"{\"klog.current_s\": 3600}", "{\"task.stuck_s\": 0.5}", "{\"baseline.sigmas\": 2.5}",
		"{\"pcie.replays_per_min\": 0.5}", "{\"swap.in_bytes_per_s\": 1}", "{\"inventory.gpus\": 8}",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		doubt(texts[i]);
		if (doubts.nr)
			fail_msg("%s: %s", texts[i], doubts.items[0].what);
	}
	policy_warn(&arena, &policy_built_in, "2026-11-22", &doubts);
	assert_int_equal(doubts.nr, 0);
}

static void entries_past_their_day(void **state)
{
	(void)state;
	doubt("{\"quiet\": [\n"
	      "{\"finding\": \"pcie-width\", \"until\": \"2026-11-22\", \"reason\": \"the last day is one\"},\n"
	      "{\"finding\": \"pcie-width.below-able\", \"until\": \"2026-11-21\", \"reason\": \"x\", \"node\": \"other\"}]}");
	assert_int_equal(doubts.nr, 1);
	assert_int_equal(doubts.items[0].line, 3);
	assert_string_equal(doubts.items[0].what, "\"quiet\": the last day of pcie-width.below-able was 2026-11-21 "
						  "(today is 2026-11-22, in UTC): it counts again");
}

static void overrides_are_looked_at_and_lines_are_in_order(void **state)
{
	(void)state;
	doubt("{\"quiet\": [{\"finding\": \"pcie-width\", \"until\": \"2025-01-01\", \"reason\": \"x\"}],\n"
	      "\"models\": {\"*H100*\": {\"throttle.percent\": 0.2}},\n\"nodes\": {\"gpu-1*\": {\"gate.held_bytes\": 1}},\n"
	      "\"throttle.percent\": 0.1}");
	assert_int_equal(doubts.nr, 4);
	for (unsigned i = 0; i < doubts.nr; i++)
		assert_int_equal(doubts.items[i].line, i + 1);
	assert_non_null(strstr(doubts.items[1].what, "\"models.*H100*.throttle.percent\": 0.2 %"));
	assert_non_null(strstr(doubts.items[2].what, "\"nodes.gpu-1*.gate.held_bytes\": 1 byte looks"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_of_another_unit),
		cmocka_unit_test(what_may_well_be_meant),
		cmocka_unit_test(entries_past_their_day),
		cmocka_unit_test(overrides_are_looked_at_and_lines_are_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
