// SPDX-License-Identifier: GPL-2.0-or-later
/* test_policy.c - the policy file: what it may say, what is refused and where, and that its own print reads back. */
#include "base/compat.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"
#include "eval/policy/pins.h"
#include "eval/policy/policy.h"
#include "eval/findings/findings.h"
#include "render/render.h"

static const struct strs checks_of_test = { .nr = 1, .v = (const char *[]){ "pcie-width" } };

static struct arena arena;
static struct policy policy;
static struct policy_errors errors;

static int parse(const char *text)
{
	return policy_parse(&policy, &arena, &checks_of_test, "policy.json", text, strlen(text), &errors);
}

static void test_an_empty_object_is_the_built_in_policy(void **state)
{
	(void)state;
	assert_int_equal(parse("{}"), 0);
	assert_int_equal(policy_nr_set(&policy), 0);
	assert_true(policy.swap_used_ratio == policy_built_in.swap_used_ratio);
	assert_string_equal(policy_origin(&arena, &policy, POLICY_ROW_swap_used_ratio), "built in");
}

static void test_each_kind_is_read(void **state)
{
	(void)state;
	assert_int_equal(parse("{ // a comment\n\"swap.used_ratio\": 0.5,\n\n/* and\nanother */ "
			       "\"swap.require_off\": true,\n"
			       "\"pins.kernel\": \"6.8.*\", \"pins.vbios\": [\"a\", \"\", \"b\"],\n\"require\": "
			       "[\"pcie-width\"],\n\"runtime.opencl_version_min\": \"1.10\"}"),
			 0);
	assert_true(policy.swap_used_ratio == 0.5);
	assert_true(policy.swap_require_off);
	assert_int_equal(policy.pins_kernel.nr, 1);
	assert_string_equal(policy.pins_kernel.v[0], "6.8.*");
	assert_int_equal(policy.pins_vbios.nr, 2);
	assert_string_equal(policy.pins_vbios.v[1], "b");
	assert_string_equal(policy.require.v[0], "pcie-width");
	assert_true(policy.memory_available_ratio == policy_built_in.memory_available_ratio);
	assert_string_equal(policy.runtime_opencl_version_min, "1.10");
	assert_int_equal(policy_nr_set(&policy), 6);
	assert_string_equal(policy_origin(&arena, &policy, POLICY_ROW_swap_used_ratio), "policy.json:2");
	assert_string_equal(policy_origin(&arena, &policy, POLICY_ROW_swap_require_off), "policy.json:5");
}

static void test_what_pins_nothing(void **state)
{
	(void)state;
	assert_int_equal(parse("{\"pins.kernel\": \"\", \"pins.vbios\": []}"), 0);
	assert_int_equal(policy.pins_kernel.nr, 0);
	assert_int_equal(policy.pins_vbios.nr, 0);
}

static void test_an_empty_version_is_none(void **state)
{
	(void)state;
	assert_int_equal(parse("{\"runtime.opencl_version_min\": \"\"}"), 0);
	assert_null(policy.runtime_opencl_version_min);
}

/* A file with one mistake: where it stands, and what is said of it. */
struct refusal {
	const char *text;
	unsigned line;
	const char *what;
};

static void assert_refused(const struct refusal *wrong, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		assert_int_equal(parse(wrong[i].text), -EINVAL);
		assert_int_equal(errors.nr, 1);
		if (errors.items[0].line != wrong[i].line || !strstr(errors.items[0].what, wrong[i].what))
			fail_msg("%s: line %u: %s", wrong[i].text, errors.items[0].line, errors.items[0].what);
	}
}

static void test_what_is_refused(void **state)
{
	static const struct refusal wrong[] = {
		{ "", 0, "empty" },
		{ "[]", 1, "an object expected" },
		{ "{\n\"swap.used_rato\": 1}", 2,
		  "unknown key \"swap.used_rato\" (did you mean \"swap.used_ratio\"?)" },
		{ "{\"xyzzy\": 1}", 1, "unknown key \"xyzzy\"; see gpudiag policy" },
		{ "{\"swap\": {\"used_ratio\": 0.5}}", 1, "\"swap\": write the whole key, as in \"swap." },
		{ "{\"swap.used_ratio\": \"0.5\"}", 1, "\"swap.used_ratio\": a number expected" },
		{ "{\"swap.used_ratio\": null}", 1, "a number expected" },
		{ "{\"swap.used_ratio\": 25}", 1, "\"swap.used_ratio\": a share from 0 to 1 expected: 25 % is 0.25" },
		{ "{\"swap.used_ratio\": -0.1}", 1, "a share from 0 to 1 expected" },
		{ "{\"memory.pressure_percent\": 101}", 1, "a number from 0 to 100 expected" },
		{ "{\"transfer.twin_ratio\": 0.9}", 1, "\"transfer.twin_ratio\": 1 or more expected" },
		{ "{\"task.stuck_s\": -1}", 1, "0 or more expected" },
		{ "{\"probe.slow_ms\": \"30s\"}", 1, "a number expected, in ms, without quotes and without the unit" },
		{ "{\"inventory.gpus\": 7.5}", 1, "\"inventory.gpus\": a whole number expected, or null" },
		{ "{\"inventory.gpus\": -1}", 1, "a whole number expected, or null" },
		{ "{\"swap.require_off\": 1}", 1, "\"swap.require_off\": true or false expected" },
		{ "{\"pins.kernel\": 6.8}", 1, "\"pins.kernel\": a text or a list of texts expected" },
		{ "{\"pins.kernel\": [\n\"a\",\n7]}", 3, "a text or a list of texts expected" },
		{ "{\"runtime.opencl_version_min\": 3.0}", 1, "a version in quotes expected, as in \"3.0\"" },
		{ "{\"runtime.opencl_version_min\": \"OpenCL 3.0\"}", 1, "\"runtime.opencl_version_min\": a version" },
		{ "{\"runtime.opencl_version_min\": [\"3.0\"]}", 1, "a version in quotes expected" },
		{ "{\"require\": [\"pcie-widht\"]}", 1,
		  "unknown check \"pcie-widht\" (did you mean \"pcie-width\"?)" },
		{ "{\"require\": \"\"}", 1, "unknown check \"\"" },
		{ "{\"task.stuck_s\": 1,\n\"task.stuck_s\": 1}", 2, "twice" },
		{ "{\"task.stuck_s\": 1,}", 1, "" },
		{ "{\"task.stuck_s\": 1} {}", 1, "" },
	};

	(void)state;
	assert_refused(wrong, ARRAY_SIZE(wrong));
}

/* What is printed may be kept as a file: the same values, whatever they are. */
static void assert_reads_back(const struct policy *printed)
{
	STRBUF_AUTO first = STRBUF_INIT;
	struct policy again;

	render_policy(&first, printed);
	assert_int_equal(policy_parse(&again, &arena, &checks_of_test, "again", first.buf, first.len, &errors), 0);
	assert_int_equal(policy_nr_set(&again), NR_POLICY_ROWS);
	for (unsigned row = 0; row < NR_POLICY_ROWS; row++) {
		STRBUF_AUTO was = STRBUF_INIT;
		STRBUF_AUTO is = STRBUF_INIT;
		struct json_writer before = { .out = &was }, after = { .out = &is };

		policy_value_write(&before, printed, row);
		policy_value_write(&after, &again, row);
		assert_string_equal(was.buf, is.buf);
	}
}

/* A number, a wish, texts, a part of each kind, in an order that is not the print's. */
static const char whole[] =
	"{ \"quiet\": [{\"finding\": \"pcie-width\", \"until\": \"2026-12-31\", \"reason\": \"a "
	"\\u0022riser\\u0022\"},\n"
	"{\"finding\": \"swap-used.short-of-memory\", \"gpu\": \"*\", \"node\": \"g*\", \"until\": \"2028-02-29\", "
	"\"reason\": \"x\"}],\n"
	"\"nodes\": {\"GPU-17*\": {\"swap.used_ratio\": 0.7, \"vram.warn_ratio\": 0.8, \"require\": \"pcie-width\"},\n"
	"\"gpu-171\": {\"swap.used_ratio\": 0.8}},\n"
	"\"models\": {\"*h100*\": {\"vram.warn_ratio\": 0.9, \"vram.note_ratio\": 0.91,\n"
	"\"regrade\": {\"pcie-width.below-able\": \"note\"}}},\n"
	"\"regrade\": {\"pcie-width.below-able\": \"fail\", \"vram-holders.dead\": \"fail\"},\n"
	"\"swap.used_ratio\": 0.6, \"vram.note_ratio\": 0.5, \"inventory.gpus\": 8}";

static void test_what_comes_first(void **state)
{
	const struct policy *node, *gpu;

	(void)state;
	assert_int_equal(parse(whole), 0);
	assert_string_equal(policy_in_words(&arena, &policy),
			    arena_printf(&arena, "sets 3 of %d values, 3 overrides, 2 regrades, 2 quiet entries",
					 (int)NR_POLICY_ROWS));
	assert_ptr_equal(policy_resolve(&arena, &policy, "cpu-1", "NVIDIA A100"), &policy);
	assert_ptr_equal(policy_resolve(&arena, &policy, NULL, NULL), &policy);
	node = policy_resolve(&arena, &policy, "gpu-170", NULL);
	assert_true(node->swap_used_ratio == 0.7);
	assert_string_equal(policy_origin(&arena, node, POLICY_ROW_swap_used_ratio), "policy.json:3");
	assert_string_equal(policy_origin(&arena, node, POLICY_ROW_vram_note_ratio), "policy.json:8");
	assert_int_equal(node->require.nr, 1);
	/* Of two patterns that both mean it, the one that comes later. */
	assert_true(policy_resolve(&arena, &policy, "gpu-171", NULL)->swap_used_ratio == 0.8);
	/* A machine's exception comes before its model's rule. */
	gpu = policy_resolve(&arena, &policy, "gpu-170", "NVIDIA H100 SXM5 80GB");
	assert_true(gpu->vram_warn_ratio == 0.8 && gpu->vram_note_ratio == 0.91);
	assert_int_equal(gpu->nr_regrades, 3);
	assert_int_equal(gpu->regrades[2].outcome, OUTCOME_NOTE);
	assert_string_equal(gpu->regrades[2].place, "policy.json:6");
	/* To resolve what is resolved changes nothing. */
	assert_true(policy_resolve(&arena, gpu, "gpu-170", "NVIDIA H100")->vram_warn_ratio == 0.8);
}

static void test_inventory(void **state)
{
	(void)state;
	assert_int_equal(parse("{\"inventory.gpus\": 0}"), 0);
	assert_true(is_known(policy.inventory_gpus));
	assert_int_equal(parse("{\"inventory.gpus\": null}"), 0);
	assert_false(is_known(policy.inventory_gpus));
}

static void test_what_is_refused_inside_parts(void **state)
{
	static const struct refusal wrong[] = {
		{ "{\"models\": []}", 1, "\"models\": an object of patterns expected" },
		{ "{\"model\": {}}", 1, "unknown key \"model\" (did you mean \"models\"?)" },
		{ "{\"models\": {\"*H100*\":\n{\"vram.warm_ratio\": 0.9}}}", 2,
		  "unknown key \"models.*H100*.vram.warm_ratio\" (did you mean \"vram.warn_ratio\"?)" },
		{ "{\"models\": {\"*\": {\"vram.warn_ratio\": 90}}}", 1,
		  "\"models.*.vram.warn_ratio\": a share from 0 to 1 expected: 90 % is 0.9" },
		{ "{\"models\": {\"*\": {\"swap.used_ratio\": 0.5}}}", 1, "applies to the whole machine" },
		{ "{\"models\": {\"*\": {\"nodes\": {}}}}", 1, "\"models.*.nodes\": allowed only at the top level" },
		{ "{\"models\": {\"H100\": {}}}", 1, "\"models.H100\": a GPU model has more than one word" },
		{ "{\"nodes\": {\"gpu-[0-9]\": {}}}", 1, "only * and ? are wildcards" },
		{ "{\"regrade\": {\"pcie-width\": \"note\"}}", 1,
		  "\"pcie-width\" is a check, not a finding (for its findings: gpudiag explain pcie-width)" },
		{ "{\"require\": [\"pcie-width.below-able\"]}", 1, "is a finding; use its check, \"pcie-width\"" },
		{ "{\"pins.nvidia_driver\": [\"~550\"]}", 1, "not supported: use * and ?" },
		{ "{\"pins.nvidia_driver\": \"535.*, 550.*\"}", 1, "and a list for several" },
		{ "{\"pins.nvidia_driver\": [\">=550,<560\"]}", 1, "is not a range; use" },
		{ "{\"models\": {\"\": {}}}", 1, "a pattern expected" },
		{ "{\"nodes\": {\"a\": 1}}", 1, "\"nodes.a\": an object of values expected" },
		{ "{\"nodes\": {\"a\": {\"quiet\": []}}}", 1, "\"nodes.a.quiet\": allowed only at the top level" },
		{ "{\"regrade\": []}", 1, "\"regrade\": an object of findings expected" },
		{ "{\"regrade\": {\"pcie-width.below-abel\": \"note\"}}", 1,
		  "unknown finding \"pcie-width.below-abel\" (did you mean \"pcie-width.below-able\"?)" },
		{ "{\"regrade\": {\"pcie-width.below-able\": \"pass\"}}", 1,
		  "\"note\", \"warn\" or \"fail\" expected" },
		{ "{\"regrade\": {\"known-answer.wrong\": \"warn\"}}", 1,
		  "\"regrade.known-answer.wrong\": stays fail: a GPU" },
		{ "{\"nodes\": {\"a\": {\"regrade\": {\"klog-errors.nvidia-xid-79\": \"note\"}}}}", 1,
		  "\"nodes.a.regrade.klog-errors.nvidia-xid-79\": stays fail" },
		{ "{\"quiet\": {}}", 1, "\"quiet\": a list expected" },
		{ "{\"quiet\": [3]}", 1, "a list of objects expected" },
		{ "{\"quiet\": [{\"until\": \"2026-12-31\", \"reason\": \"x\"}]}", 1, "without \"finding\"" },
		{ "{\"quiet\": [{\"finding\": \"pcie-width\", \"reason\": \"x\"}]}", 1, "without \"until\"" },
		{ "{\"quiet\": [{\"finding\": \"pcie-width\", \"until\": \"2026-12-31\"}]}", 1, "without \"reason\"" },
		{ "{\"quiet\": [{\"finding\": \"pcie-width\", \"until\": \"2026-12-31\", \"reason\": \" \"}]}", 1,
		  "\"quiet.reason\": a text expected" },
		{ "{\"quiet\": [{\"finding\": \"pcie-width\", \"until\": \"2026-02-29\", \"reason\": \"x\"}]}", 1,
		  "\"quiet.until\": \"2026-02-29\" is not a date" },
		{ "{\"quiet\": [{\"finding\": \"pcie-width\", \"until\": \"31.12.2026\", \"reason\": \"x\"}]}", 1,
		  "is not a date" },
		{ "{\"quiet\": [{\"finding\": \"pcie-widht\", \"until\": \"2026-12-31\", \"reason\": \"x\"}]}", 1,
		  "(did you mean \"pcie-width\"?)" },
		{ "{\"quiet\": [{\"finding\": \"memory-test.errors\", \"until\": \"2026-12-31\", \"reason\": \"x\"}]}",
		  1,
		  "memory-test.errors cannot be quiet: " },
		{ "{\"quiet\": [{\"finding\": \"pcie-width\", \"until\": \"2026-12-31\", \"reason\": \"x\",\n"
		  "\"untill\": 1}]}", 2,
		  "unknown key \"quiet.untill\" (did you mean \"until\"?)" },
	};

	(void)state;
	assert_refused(wrong, ARRAY_SIZE(wrong));
}

static void test_pins_that_cannot_be_met(void **state)
{
	static const struct {
		const char *text, *what;	/* NULL: in order */
	} tries[] = {
		{ "{\"pins.nvidia_driver\": [\">=550.54.14 <580\", \"560.*\"]}", NULL },
		{ "{\"pins.nvidia_driver\": \">=580 <570\"}", "no version is in the range \">=580 <570\"" },
		{ "{\"pins.nvidia_driver\": [\"550.*\", \">570 <=570.0\"]}", "no version is in the range" },
		{ "{\"pins.nvidia_driver\": \"> 570\"}", NULL },
		{ "{\"pins.nvidia_driver\": \">=570 =580\"}", NULL },
		{ "{\"pins.nvidia_driver\": \"=580 =581\"}", "no version is in the range" },
		{ "{\"pins.nvidia_driver\": \">>570\"}", "\">>570\" is not a range" },
		{ "{\"pins.nvidia_driver\": \">=570 580.*\"}", "is not a range" },
		{ "{\"pins.vbios\": \">=96.00\"}", "only patterns allowed" },
		{ "{\"pins.nvidia_flavour\": \"opne\"}", "\"opne\" is neither open nor proprietary" },
		{ "{\"pins.nvidia_flavour\": \"*\"}", NULL },
		{ "{\"pins.nvidia_driver\": \"550.*\", \"runtime.cuda_version_min\": \"12.4\"}", NULL },
		{ "{\"pins.nvidia_driver\": \"550.*\", \"runtime.cuda_version_min\": \"13.0\"}",
		  "none of these drivers offers CUDA 13.0, which \"runtime.cuda_version_min\" asks for in line 1: that "
		  "takes 580.65.06" },
		{ "{\"pins.nvidia_driver\": [\"550.*\", \"580.*\"], \"runtime.cuda_version_min\": \"13.0\"}", NULL },
		{ "{\"pins.nvidia_driver\": \">=550 <580.65.06\", \"runtime.cuda_version_min\": \"13.0\"}",
		  "none of these" },
		{ "{\"pins.nvidia_driver\": \">=550 <=580.65.06\", \"runtime.cuda_version_min\": \"13.0\"}", NULL },
		{ "{\"pins.nvidia_driver\": \"*\", \"runtime.cuda_version_min\": \"13.0\"}", NULL },
		{ "{\"pins.nvidia_driver\": \"58*\", \"runtime.cuda_version_min\": \"13.0\"}", NULL },
		{ "{\"pins.nvidia_driver\": \"580.126.09\", \"runtime.cuda_version_min\": \"13.0\"}", NULL },
		{ "{\"runtime.cuda_version_min\": \"13.0\", \"nodes\": {\"a\": {\"pins.nvidia_driver\": \"550.*\"}}}",
		  "\"nodes.a.pins.nvidia_driver\": none of these" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(tries); i++) {
		int r = parse(tries[i].text);

		if (!tries[i].what ? r : errors.nr != 1 || !strstr(errors.items[0].what, tries[i].what))
			fail_msg("%s: %zu: %s", tries[i].text, errors.nr, errors.nr ? errors.items[0].what : "taken");
	}
}

static void test_all_that_is_wrong_is_told_in_order(void **state)
{
	(void)state;
	assert_int_equal(parse("{\"pins.nvidia_driver\": \"550.*\",\n\"a\": 1,\n\"swap.used_ratio\": 3,\n"
			       "\"runtime.cuda_version_min\": \"13.0\", \"b\": 1}"),
			 -EINVAL);
	assert_int_equal(errors.nr, 4);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(errors.items[i].line, i + 1);
}

static void test_pin_met(void **state)
{
	static const struct {
		const char *pin, *version;
		bool met;
	} tries[] = {
		{ ">=550.54.14 <580", "550.54.14", true }, { ">=550.54.14 <580", "550.54.13", false },
		{ ">=550.54.14 <580", "580", false },	   { ">=550.54.14 <580", "579.999.1", true },
		{ "<580", "580.0", false },		   { ">580.65", "580.159", true },
		{ ">=5.15", "6.1.0-9-amd64", true },	   { ">=5.15", "in-tree", false },
		{ ">0", "", false },			   { "550.*", "550.1", true },
		{ "=550.54", "550.54.0", true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(tries); i++)
		if (pin_met(tries[i].pin, tries[i].version) != tries[i].met)
			fail_msg("\"%s\" against \"%s\"", tries[i].pin, tries[i].version);
}

/* What may not be graded down is a fault by itself. */
static void test_fatal_findings_fail(void **state)
{
	size_t nr = 0;

	(void)state;
	for (int id = NO_FINDING + 1; id < NR_FINDINGS; id++) {
		if (!finding_is_fatal((enum finding_id)id))
			continue;
		assert_int_equal(finding_defs[id].outcome, OUTCOME_FAIL);
		nr++;
	}
	assert_true(nr > 20);
}

static void assert_same_print(const char *text)
{
	STRBUF_AUTO first = STRBUF_INIT;
	STRBUF_AUTO second = STRBUF_INIT;
	struct policy again;

	assert_int_equal(parse(text), 0);
	render_policy(&first, &policy);
	assert_int_equal(policy_parse(&again, &arena, &checks_of_test, "policy.json", first.buf, first.len, &errors),
			 0);
	assert_int_equal(again.nr_overrides, policy.nr_overrides);
	assert_int_equal(again.nr_regrades, policy.nr_regrades);
	assert_int_equal(again.nr_quiets, policy.nr_quiets);
	assert_string_equal(again.quiets[0].reason, policy.quiets[0].reason);
	assert_null(again.quiets[0].node);
	assert_string_equal(again.quiets[1].until, "2028-02-29");
	for (int host = 0; host < 2; host++) {
		const char *name = host ? "gpu-171" : "gpu-170";

		assert_true(policy_resolve(&arena, &again, name, NULL)->swap_used_ratio ==
			    policy_resolve(&arena, &policy, name, NULL)->swap_used_ratio);
		assert_int_equal(policy_resolve(&arena, &again, name, "H100")->nr_regrades, 3);
	}
}

static void test_the_parts_read_back(void **state)
{
	(void)state;
	assert_same_print(whole);
}

static void test_the_print_reads_back(void **state)
{
	(void)state;
	assert_reads_back(&policy_built_in);
	assert_int_equal(parse("{\"swap.used_ratio\": 0.30000000000000004, \"swap.require_off\": true, "
			       "\"pins.kernel\": [\"*/ \\u0022\\n//\", \"é\"], \"require\": \"pcie-width\", "
			       "\"runtime.opencl_version_min\": \"3.0\"}"),
			 0);
	policy.path = "a name\nof two lines \x1b[31m*/";
	assert_reads_back(&policy);
}

/* A built-in value that its own file would refuse could never be written down. */
static void test_built_in_values_are_in_range(void **state)
{
	(void)state;
	for (unsigned row = 0; row < NR_POLICY_ROWS; row++) {
		double min, max;

		policy_range(row, &min, &max);
		assert_true(policy_rows[row].value >= min && policy_rows[row].value <= max);
		assert_true(*policy_rows[row].source && *policy_rows[row].doc);
		for (unsigned other = 0; other < row; other++)
			assert_string_not_equal(policy_rows[row].key, policy_rows[other].key);
	}
}

static void test_glob_match(void **state)
{
	static const struct {
		const char *pattern, *text;
		bool matches;
	} tries[] = {
		{ "", "", true },	  { "", "a", false },	     { "*", "", true },	       { "*", "abc", true },
		{ "?", "", false },	  { "?", "a", true },	     { "a*c", "abbbc", true }, { "a*c", "abbb", false },
		{ "a*", "b", false },	  { "550.54.*", "550.54.14", true }, { "550.54.*", "550.540", false },
		{ "550.54.*", "550x54.1", false }, { "*.14", "550.54.14", true }, { "*a*b", "aab", true },
		{ "*ab", "aab", true },	  { "a**b", "ab", true },    { "*b*c*", "abxxcy", true }, { "A", "a", false },
		{ "a?c", "a*c", true },	  { "*?", "", false },	     { "x*x", "x", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(tries); i++)
		if (glob_match(tries[i].pattern, tries[i].text) != tries[i].matches)
			fail_msg("\"%s\" against \"%s\"", tries[i].pattern, tries[i].text);
}

static int release(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_empty_object_is_the_built_in_policy),
		cmocka_unit_test(test_each_kind_is_read),
		cmocka_unit_test(test_what_pins_nothing),
		cmocka_unit_test(test_an_empty_version_is_none),
		cmocka_unit_test(test_what_is_refused),
		cmocka_unit_test(test_what_comes_first),
		cmocka_unit_test(test_inventory),
		cmocka_unit_test(test_what_is_refused_inside_parts),
		cmocka_unit_test(test_pins_that_cannot_be_met),
		cmocka_unit_test(test_all_that_is_wrong_is_told_in_order),
		cmocka_unit_test(test_pin_met),
		cmocka_unit_test(test_fatal_findings_fail),
		cmocka_unit_test(test_the_parts_read_back),
		cmocka_unit_test(test_the_print_reads_back),
		cmocka_unit_test(test_built_in_values_are_in_range),
		cmocka_unit_test(test_glob_match),
	};

	return cmocka_run_group_tests(tests, NULL, release);
}
