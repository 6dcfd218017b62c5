// SPDX-License-Identifier: GPL-2.0-or-later
/* test_bench_collective.c - all_reduce_perf in a bench: table, rows, JSON, its verdict, and why there is none. */
#include "base/compat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"
#include "checks/playbook.h"
#include "render/bench.h"

#define PROGRAM "/opt/nccl-tests/build/all_reduce_perf"
#define HOSTILE "2.27\x1b[2J\x07, \"x\"\n"

static const struct playbook_row rows[] = { { .stage = STAGE_TIMING, .check = &check_collective } };
static const struct playbook one_check = { .rows = rows, .nr = 1 };

static void make_node(struct snapshot *snapshot, const char *version)
{
	static const char *const addresses[] = { "0000:17:00.0", "0000:5d:00.0" };
	struct collective_test *test;
	struct collective_size *size;

	memset(snapshot, 0, sizeof(*snapshot));
	snapshot->run.source = val_str("live");
	snapshot->request.level = val_str("standard");
	snapshot->request.collective = val_str(PROGRAM);
	strs_add(&snapshot->arena, &snapshot->request.tests, "collective");
	test = list_element(&snapshot->arena, snapshot, collective_tests, collective_test, PROGRAM);
	for (size_t i = 0; i < ARRAY_SIZE(addresses); i++) {
		struct gpu *gpu = list_element(&snapshot->arena, snapshot, gpus, gpu, addresses[i]);

		gpu->pci.vendor_id = val_str("0x10de");
		gpu->pci.driver = val_str("nvidia");
		strs_add(&snapshot->arena, &test->gpus, addresses[i]);
	}
	test->ended = val_str("exited");
	test->exit_status = test->out_of_bounds = test->wrong = val_u64(0);
	test->library_version = val_str(version);
	test->arguments = val_str("-b 8388608 -e 8388608");
	test->best_bus_bytes_per_s = val_f64(21.5e9);
	test->best_bytes = val_u64(8388608);
	size = list_element(&snapshot->arena, test, sizes, collective_size, "8388608");
	size->size_bytes = val_u64(8388608);
	size->out_of_place.time_ns = val_f64(390167.0);
	size->out_of_place.bus_bytes_per_s = val_f64(21.5e9);
	size->out_of_place.wrong = val_u64(0);
	size->in_place.bus_bytes_per_s = val_f64(20e9);
}

static void render(struct strbuf *out, struct snapshot *snapshot, const char *format, bool *ret_complete)
{
	const struct render_options options = { .columns = 100 };
	struct bench_report bench;

	bench_report_of(&bench, snapshot, &one_check, &(struct judge_inputs){ .policy = &policy_built_in });
	for (const struct bench_format *at = bench_formats; at->name; at++)
		if (!strcmp(at->name, format))
			at->render(out, &bench, &options);
	*ret_complete = bench.is_complete;
	assert_int_equal(bench.nr_devices, 0);
	bench_report_release(&bench);
}

static void test_table(void **state)
{
	STRBUF_AUTO out = STRBUF_INIT;
	struct snapshot snapshot;
	bool complete;

	(void)state;
	make_node(&snapshot, "NCCL 2.27.7");
	render(&out, &snapshot, "table", &complete);
	assert_true(complete);
	assert_non_null(strstr(out.buf, "All-reduce over GPUs 0-1"));
	assert_non_null(strstr(out.buf, "NCCL 2.27.7"));
	assert_non_null(strstr(out.buf, "8 MiB"));
	assert_non_null(strstr(out.buf, "All-reduce over GPUs 0-1 reached 21.5 GB/s at 8 MiB by PCIe"));
	assert_non_null(strstr(out.buf, PROGRAM " -b 8388608"));
	snapshot_release(&snapshot);
}

static void test_wrong(void **state)
{
	STRBUF_AUTO out = STRBUF_INIT;
	struct snapshot snapshot;
	bool complete;

	(void)state;
	make_node(&snapshot, "NCCL 2.27.7");
	snapshot.collective_tests[0].wrong = val_u64(7);
	render(&out, &snapshot, "table", &complete);
	assert_non_null(strstr(out.buf, "FAIL: All-reduce over GPUs 0-1 returned 7 wrong values"));
	assert_non_null(strstr(out.buf, "Next: "));
	strbuf_reset(&out);
	render(&out, &snapshot, "json", &complete);
	assert_non_null(strstr(out.buf, "\"id\": \"collective.wrong-results\""));
	assert_non_null(strstr(out.buf, "\"collective_reason\": null"));
	snapshot_release(&snapshot);
}

static void test_not_measured(void **state)
{
	static const char *const names[] = { "table", "json", "plot" };
	struct snapshot snapshot;
	bool complete;

	(void)state;
	make_node(&snapshot, "NCCL 2.27.7");
	snapshot.collective_tests[0].ended = val_str("timeout");
	snapshot.collective_tests[0].elapsed_ms = val_u64(60000);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		STRBUF_AUTO out = STRBUF_INIT;

		render(&out, &snapshot, names[i], &complete);
		assert_false(complete);
		assert_non_null(strstr(out.buf, "all_reduce_perf had not ended after 1 min and was killed"));
	}
	snapshot_release(&snapshot);
}

/* As many cells in each row as there are columns, whatever the program printed as its version. */
static void test_rows(void **state)
{
	STRBUF_AUTO out = STRBUF_INIT;
	struct snapshot snapshot;
	size_t columns = 0, lines = 0;
	bool complete;

	(void)state;
	make_node(&snapshot, HOSTILE);
	render(&out, &snapshot, "csv", &complete);
	assert_non_null(strstr(out.buf, ",all-reduce,all-reduce/out-of-place/8388608,8388608,,GB/s,21.5,"));
	assert_non_null(strstr(out.buf, ",all-reduce-time,all-reduce-time/out-of-place/8388608,8388608,,ns,390167,"));
	assert_null(strstr(out.buf, "\x1b"));
	for (const char *line = out.buf; *line; line = strstr(line, "\r\n") + 2, lines++) {
		bool quoted = false;
		size_t cells = 1;

		for (const char *at = line; *at && strncmp(at, "\r\n", 2); at++) {
			quoted ^= *at == '"';
			cells += *at == ',' && !quoted;
		}
		assert_true(!lines || cells == columns);
		columns = cells;
	}
	assert_int_equal(lines, 1 + 3);
	snapshot_release(&snapshot);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_not_measured),
		cmocka_unit_test(test_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
