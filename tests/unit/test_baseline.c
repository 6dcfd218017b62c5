// SPDX-License-Identifier: GPL-2.0-or-later
/* test_baseline.c - a baseline's file, its statistics, whose it is, and what is drift. */
#include "base/compat.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "eval/baseline/drift.h"

static struct baseline baseline;
static struct merge_unknown strangers;
static struct json_error error;

#define FIGURE "{\"gpu\":null,\"device\":\"opencl:pocl.icd:0\",\"test\":\"fp32\",\"method\":null,\"size_bytes\":null," \
	"\"numa_node\":null,\"unit\":\"GFLOP/s\",\"median\":100,\"spread\":1,\"noise\":2,\"n\":5}"
#define FILE_OF(schema, saved_at, figures, rest) \
	"{\"schema\":\"" schema "\",\n\"tool\":\"gpudiag 0\",\n\"saved_at\":\"" saved_at "\",\n\"runs\":5,\n" \
	"\"figures\":[" figures "],\n\"snapshot\":{\"schema\":\"gpudiag.snapshot/1\"}" rest "}"
#define NOW "2026-01-02T03:04:05.000Z"

static int parse(const char *text)
{
	baseline_release(&baseline);
	error = (struct json_error){ .line = 0 };
	return baseline_parse(&baseline, "b.json", text, strlen(text), &strangers, &error);
}

static void refused(const char *text, unsigned line, const char *what)
{
	assert_int_equal(parse(text), -EINVAL);
	assert_non_null(strstr(error.what, what));
	assert_int_equal(error.line, line);
}

static void test_a_file_reads_back_as_it_was(void **state)
{
	STRBUF_AUTO first = STRBUF_INIT;
	STRBUF_AUTO second = STRBUF_INIT;

	(void)state;
	assert_int_equal(parse(FILE_OF(BASELINE_SCHEMA, NOW, FIGURE, ",\"with_findings\":true")), 0);
	assert_int_equal(baseline.nr_figures, 1);
	assert_int_equal(baseline.figures[0].unit, UNIT_GFLOPS);
	assert_null(baseline.figures[0].gpu.address);
	assert_true(baseline.with_findings);
	baseline_write(&first, &baseline);
	assert_true(is_baseline(first.buf, first.len));
	assert_int_equal(parse(first.buf), 0);
	baseline_write(&second, &baseline);
	assert_string_equal(first.buf, second.buf);
}

static void test_what_is_wrong_is_named_with_its_line(void **state)
{
	(void)state;
	refused("{", 1, "");
	refused("{\"schema\":\"gpudiag.snapshot/1\"}", 1, "not a baseline");
	refused("[]", 1, "not a baseline");
	refused(FILE_OF("gpudiag.baseline/0", NOW, "", ""), 1, "save a new baseline");
	refused(FILE_OF("gpudiag.baseline/2", NOW, "", ""), 1, "gpudiag.baseline/2");
	refused(FILE_OF(BASELINE_SCHEMA, "yesterday", "", ""), 3, "saved_at");
	refused(FILE_OF(BASELINE_SCHEMA, NOW, "{}", ""), 5, "no \"device\"");
	refused(FILE_OF(BASELINE_SCHEMA, NOW, "7", ""), 5, "an object expected");
	refused(FILE_OF(BASELINE_SCHEMA, NOW, "", ",\n\"figurs\":1"), 7, "did you mean \"figures\"");
	refused("{\"schema\":\"" BASELINE_SCHEMA "\"}", 1, "no \"tool\"");
	assert_false(is_baseline("{\"schema\":\"gpudiag.snapshot/1\"}", 31));
	assert_false(is_baseline("not JSON", 8));
}

/* Runs of a device whose one test takes so long in each sample. */
static void make_run(struct snapshot *ret, const double *samples_ns, size_t nr)
{
	struct ocl_device *device;
	struct timing *timing;

	memset(ret, 0, sizeof(*ret));
	device = list_element(&ret->arena, ret, ocl_devices, ocl_device, "opencl:pocl.icd:0");
	timing = list_element(&ret->arena, device, timings, timing, "launch-latency");
	timing->method = val_str("empty kernel");
	for (size_t i = 0; i < nr; i++)
		f64s_add(&ret->arena, &timing->samples_ns, samples_ns[i]);
}

static void of_runs(const double *medians_ns, size_t nr)
{
	struct snapshot runs[8];

	baseline_release(&baseline);
	for (size_t i = 0; i < nr; i++) {
		const double samples[] = { medians_ns[i] - 10, medians_ns[i], medians_ns[i] + 10 };

		make_run(&runs[i], samples, ARRAY_SIZE(samples));
	}
	baseline_of_runs(&baseline, runs, nr);
	for (size_t i = 0; i < nr; i++)
		snapshot_release(&runs[i]);
	assert_int_equal(baseline.nr_figures, 1);
	assert_int_equal(baseline.figures[0].n, nr);
}

static void test_spread_by_how_many_runs_there_are(void **state)
{
	static const double ns[] = { 1000, 1010, 1020, 1030, 2000 };
	const struct baseline_figure *figure;

	(void)state;
	of_runs(ns, 1);
	figure = &baseline.figures[0];
	assert_true(fabs(figure->noise - 14.826) < 1e-9);
	assert_true(figure->spread == figure->noise);
	of_runs(ns, 2);
	assert_true(fabs(baseline.figures[0].spread - 10 / 1.128) < 1e-9);
	of_runs(ns, 3);
	assert_true(fabs(baseline.figures[0].spread - 20 / 1.693) < 1e-9);
	/* Of five the one that was disturbed does not count. */
	of_runs(ns, 5);
	assert_true(fabs(baseline.figures[0].spread - 14.826) < 1e-9);
	assert_true(baseline.figures[0].median == 1020.0);
}

static enum drift_kind drift_at(double now_ns)
{
	const double samples[] = { now_ns, now_ns, now_ns };
	struct arena arena = { .blocks = NULL };
	struct drift_list drifts;
	struct snapshot now;
	enum drift_kind kind;

	make_run(&now, samples, ARRAY_SIZE(samples));
	drifts_of(&drifts, &arena, &policy_built_in, &baseline, &now, &now.ocl_devices[0]);
	assert_int_equal(drifts.nr, 1);
	kind = drifts.items[0].kind;
	arena_release(&arena);
	snapshot_release(&now);
	return kind;
}

static void test_drift_is_beyond_the_recorded_noise(void **state)
{
	static const double steady[] = { 1000, 1001, 1000 }, loose[] = { 800, 1000, 900 }, wild[] = { 500, 1000, 2000 };

	(void)state;
	of_runs(steady, 3);
	assert_int_equal(drift_at(1019), DRIFT_WITHIN);
	assert_int_equal(drift_at(1021), DRIFT_WORSE);
	assert_int_equal(drift_at(970), DRIFT_BETTER);
	/* The same figures, on a node that scatters. */
	of_runs(loose, 3);
	baseline.figures[0].spread = 60;
	assert_int_equal(drift_at(1070), DRIFT_WITHIN);
	assert_int_equal(drift_at(1090), DRIFT_WORSE);
	of_runs(wild, 3);
	assert_int_equal(drift_at(5000), DRIFT_NOT_JUDGED);
	assert_true(is_too_noisy(&policy_built_in, &baseline.figures[0]));
}

static enum machines match(struct host then, struct host now, bool then_redacted)
{
	struct arena arena = { .blocks = NULL };
	struct baseline saved = { .snapshot = { .host = then } };
	struct snapshot b = { .host = now };
	enum machines match;
	const char *why;

	if (then_redacted)
		saved.snapshot.run.redacted = val_bool(true);
	match = baseline_match(&arena, &saved, &b, &why);
	assert_true((match == MACHINES_ONE) == !why);
	arena_release(&arena);
	return match;
}

static void test_whose_it_is(void **state)
{
	const struct host nobody = { .name = no_str(VAL_ABSENT, NULL) };
	const struct host one = { .name = val_str("a"), .machine_serial = val_str("1") };
	const struct host other = { .name = val_str("a"), .machine_serial = val_str("2") };
	const struct host rebooted = { .name = val_str("b"), .boot_id = val_str("x") };
	const struct host renamed = { .name = val_str("c"), .boot_id = val_str("x") };
	const struct host filled = { .machine_serial = val_str("0"), .product = val_str("A") };
	const struct host filled_too = { .machine_serial = val_str("0"), .product = val_str("B") };
	const struct host pod = { .name = val_str("pod-1"), .container = val_str("docker") };
	const struct host unserialled = { .name = val_str("a") }, elsewhere = { .name = val_str("b") };

	(void)state;
	assert_int_equal(match(one, one, false), MACHINES_ONE);
	/* Names are given twice, serial numbers are not. */
	assert_int_equal(match(one, other, false), MACHINES_TWO);
	assert_int_equal(match(one, unserialled, false), MACHINES_ONE);
	assert_int_equal(match(one, elsewhere, false), MACHINES_TWO);
	/* One boot is of one machine, whatever it is called; the same serial number may be no serial number. */
	assert_int_equal(match(rebooted, renamed, false), MACHINES_ONE);
	assert_int_equal(match(filled, filled_too, false), MACHINES_TWO);
	/* A container's name is its own. */
	assert_int_equal(match(elsewhere, pod, false), MACHINES_UNTOLD);
	assert_int_equal(match(nobody, nobody, false), MACHINES_UNTOLD);
	assert_int_equal(match(one, one, true), MACHINES_UNTOLD);
}

static void test_which_gpu_is_which(void **state)
{
	const struct gpu_identity a = { .serial = "1", .uuid = "GPU-1", .address = "0000:01:00.0", .model = "H100" };
	struct gpu_identity b = a;

	(void)state;
	b.address = "0000:02:00.0";
	assert_true(is_same_gpu(&a, &b));
	b = a;
	b.serial = "2";
	assert_false(is_same_gpu(&a, &b));
	/* One serial number on a board of several GPUs. */
	b = a;
	b.uuid = "GPU-2";
	b.address = "0000:02:00.0";
	assert_false(is_same_gpu(&a, &b));
	b = (struct gpu_identity){ .address = a.address, .model = "H100" };
	assert_true(is_same_gpu(&a, &b));
	b.model = "H200";
	assert_false(is_same_gpu(&a, &b));
}

static int end(void **state)
{
	(void)state;
	baseline_release(&baseline);
	return 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_file_reads_back_as_it_was),
		cmocka_unit_test(test_what_is_wrong_is_named_with_its_line),
		cmocka_unit_test(test_spread_by_how_many_runs_there_are),
		cmocka_unit_test(test_drift_is_beyond_the_recorded_noise),
		cmocka_unit_test(test_whose_it_is),
		cmocka_unit_test(test_which_gpu_is_which),
	};

	return cmocka_run_group_tests(tests, NULL, end);
}
