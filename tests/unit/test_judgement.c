// SPDX-License-Identifier: GPL-2.0-or-later
/* test_judgement.c - what the engine makes of a check: a pass is earned, unknown is not a pass, findings need evidence.
 */
#include "base/compat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "eval/judge/report.h"

/* Checks of the test's own, on memory: raise SWAP_USED_IDLE when less than half is available. */
static void below_half(struct judgement *j)
{
	const struct memory *memory = &j->snapshot->memory;
	uint64_t available = need(j, memory, memory, available_bytes);
	uint64_t total = need(j, memory, memory, total_bytes);

	derive(j, "used_bytes", UNIT_BYTES, (double)(total - available), "total - available");
	derive(j, "swap_areas", UNIT_COUNT, 1, "the test");
	if (available < total / 2)
		finding_add(j, SWAP_USED_IDLE);
}

static void looks_at_nothing(struct judgement *j)
{
	(void)j;
}

static void looks_only(struct judgement *j)
{
	want(j, memory, &j->snapshot->memory, oom_kills);
}

static void two_questions(struct judgement *j)
{
	need(j, memory, &j->snapshot->memory, swap_total_bytes);
	question(j);
	below_half(j);
}

static void skips(struct judgement *j)
{
	need(j, memory, &j->snapshot->memory, total_bytes);
	skip_check(j, "only {total_bytes} here");
}

static void gives_up(struct judgement *j)
{
	need(j, memory, &j->snapshot->memory, total_bytes);
	unknown(j, "no telling");
}

static void warns(struct judgement *j)
{
	derive(j, "available_bytes", UNIT_BYTES, 1, "the test");
	derive(j, "total_bytes", UNIT_BYTES, 2, "the test");
	finding_add(j, MEMORY_AVAILABLE_EXHAUSTED);
}

static void fails_each_gpu(struct judgement *j)
{
	need(j, pci_function, &j->gpu->pci, config_all_ones);
	if (bool_or(j->gpu->pci.config_all_ones, false))
		finding_add(j, GPU_LOST_ALL_ONES);
}

/* Two disks of one node with the same finding; the one of the second once more, as on the next day. */
static void warns_of_several(struct judgement *j)
{
	static const char *const which[] = { NULL, "sda", "sdb", "sdb" };

	derive(j, "available_bytes", UNIT_BYTES, 1, "the test");
	derive(j, "total_bytes", UNIT_BYTES, 2, "the test");
	for (size_t i = 0; i < ARRAY_SIZE(which); i++)
		finding_add_of(j, MEMORY_AVAILABLE_EXHAUSTED, which[i]);
}

static struct report judge_with(struct snapshot *snapshot, void (*eval)(struct judgement *j),
				enum subject_kind per, bool required)
{
	const struct check check = {
		.name = "memory-available", .title = "Test", .doc = "a test", .per = per, .eval = eval,
		.says = per == SUBJECT_NODE ? "all is well" : NULL, .may_emit = IDS(SWAP_USED_IDLE),
	};
	static struct check kept;
	const struct playbook_row row = { .stage = STAGE_SWAP, .check = &kept, .required = required };
	const struct playbook playbook = { .rows = &row, .nr = 1 };
	struct report report;

	kept = check;
	judge(&report, snapshot, &playbook, &(struct judge_inputs){ .policy = &policy_built_in });
	return report;
}

/* The judged snapshot has an index of its GPUs. */
static void end(struct report *report, struct snapshot *snapshot)
{
	report_release(report);
	arena_release(&snapshot->arena);
}

static struct snapshot memory_of(struct val_u64 available, struct val_u64 total)
{
	return (struct snapshot){
		.run.source = val_str("live"),
		.memory = { .available_bytes = available, .total_bytes = total },
	};
}

static const struct {
	const char *name;
	void (*eval)(struct judgement *j);
	struct val_u64 available, total;
	enum outcome outcome;
	int exit_status;
} cases[] = {
	{"both known, fine", below_half, {VAL_OK, 0, NULL, 8}, {VAL_OK, 0, NULL, 10}, OUTCOME_PASS, 0},
	{"both known, low", below_half, {VAL_OK, 0, NULL, 2}, {VAL_OK, 0, NULL, 10}, OUTCOME_NOTE, 0},
	{"one denied", below_half, {VAL_OK, 0, NULL, 2}, {VAL_DENIED, 0, "EACCES", 0}, OUTCOME_UNKNOWN, 3},
	{"nobody looked", below_half, {VAL_UNSET, 0, NULL, 0}, {VAL_UNSET, 0, NULL, 0}, OUTCOME_UNKNOWN, 3},
	{"a check that looks at nothing", looks_at_nothing, {VAL_OK, 0, NULL, 8}, {VAL_OK, 0, NULL, 10}, OUTCOME_UNKNOWN, 3},
	{"only what it can do without, missing", looks_only, {VAL_OK, 0, NULL, 8}, {VAL_OK, 0, NULL, 10}, OUTCOME_UNKNOWN, 3},
	{"an open question beside a note", two_questions, {VAL_OK, 0, NULL, 2}, {VAL_OK, 0, NULL, 10}, OUTCOME_UNKNOWN, 3},
	{"skip", skips, {VAL_OK, 0, NULL, 8}, {VAL_OK, 0, NULL, 10}, OUTCOME_SKIP, 3},
	{"unknown for a reason", gives_up, {VAL_OK, 0, NULL, 8}, {VAL_OK, 0, NULL, 10}, OUTCOME_UNKNOWN, 3},
	{"a warning", warns, {VAL_OK, 0, NULL, 8}, {VAL_OK, 0, NULL, 10}, OUTCOME_WARN, 1},
};

/* Each is the only check of its run: where it judges nothing, nothing was checked, required or not. */
static void test_outcomes(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		for (int required = 0; required <= 1; required++) {
			struct snapshot snapshot = memory_of(cases[i].available, cases[i].total);
			struct report report = judge_with(&snapshot, cases[i].eval, SUBJECT_NODE, required);

			if (report.results[0].outcome != cases[i].outcome)
				fail_msg("%s: %s", cases[i].name, outcome_name(report.results[0].outcome));
			assert_int_equal(report.exit_status, cases[i].exit_status);
			end(&report, &snapshot);
		}
	}
}

static void test_reasons_and_sentences(void **state)
{
	struct snapshot snapshot = memory_of(val_u64(2), no_u64(VAL_DENIED, "EACCES"));
	struct report report = judge_with(&snapshot, below_half, SUBJECT_NODE, true);

	(void)state;
	assert_string_equal(report.results[0].reason, "memory total: permission denied");
	assert_string_equal(report.headline, "Not judged: memory-available (memory total: permission denied).");
	assert_int_equal(report.nr_findings, 0);
	end(&report, &snapshot);

	snapshot = memory_of(val_u64(2), val_u64(10));
	report = judge_with(&snapshot, below_half, SUBJECT_NODE, true);
	assert_string_equal(report.findings[0]->title, "8 bytes of swap in use on 1 device or file");
	assert_string_equal(report.stages[STAGE_THROTTLE].summary, "no check was run");
	assert_int_equal(report.findings[0]->unfilled, 0);
	assert_int_equal(strlen(report.findings[0]->key), 16);
	end(&report, &snapshot);

	snapshot = memory_of(val_u64(2), val_u64(10));
	report = judge_with(&snapshot, skips, SUBJECT_NODE, true);
	assert_string_equal(report.results[0].reason, "only 10 bytes here");
	end(&report, &snapshot);
}

/* People read what is missing and why: an errno by its words, and what is missing alike once. */
static void test_missing_values_in_words(void **state)
{
	static const struct {
		struct val_u64 available, total;
		const char *reason;
	} missing[] = {
		{ { VAL_ABSENT, 0, "ENOENT", 0 }, { VAL_ABSENT, 0, "ENOENT", 0 },
		  "memory available, memory total: no such file" },
		{ { VAL_ABSENT, 0, "no MemAvailable there", 0 }, { VAL_ERROR, 0, "EIO", 0 },
		  "memory available: no MemAvailable there; memory total: input/output error" },
		{ { VAL_UNSUPPORTED, 0, "ENODATA", 0 }, { VAL_UNSUPPORTED, 0, NULL, 0 },
		  "memory available: unsupported: no data; memory total: unsupported" },
		{ { VAL_ERROR, 0, "ELOOP", 0 }, { VAL_OK, 0, NULL, 8 }, "memory available: ELOOP" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(missing); i++) {
		struct snapshot snapshot = memory_of(missing[i].available, missing[i].total);
		struct report report = judge_with(&snapshot, below_half, SUBJECT_NODE, true);

		assert_string_equal(report.results[0].reason, missing[i].reason);
		end(&report, &snapshot);
	}
}

static void needs_of_things(struct judgement *j)
{
	static const struct numa_node nodes[3];

	for (size_t i = 0; i < ARRAY_SIZE(nodes); i++) {
		about(j, (const char *const[]){ "0", "1", "7" }[i]);
		need(j, numa_node, &nodes[i], package);
	}
	need(j, numa_node, &nodes[0], cpus);
	about(j, NULL);
	need(j, pci_function, &j->snapshot->gpus[0].pci, link_width_able);
	need(j, room, &j->snapshot->rooms[0], available_files);
}

/* Who would have looked, and did not; whoever looked and did not tell. */
static void test_what_nobody_looked_at(void **state)
{
	struct gpu gpus[] = { { .key = val_str("0000:01:00.0") } };
	struct room rooms[] = { { .key = val_str("/") } };
	struct probe_run runs[] = {
		{ .key = val_str("host"), .probe = val_str("host") },
		{ .key = val_str("pci-link 0000:02:00.0"),
		  .probe = val_str("pci-link"),
		  .target = val_str("0000:02:00.0") },
	};
	struct snapshot snapshot = memory_of(val_u64(2), val_u64(10));
	struct report report;

	(void)state;
	snapshot.gpus = gpus;
	snapshot.nr_gpus = ARRAY_SIZE(gpus);
	snapshot.rooms = rooms;
	snapshot.nr_rooms = ARRAY_SIZE(rooms);
	snapshot.bus.gpus = val_u64(1);
	snapshot.probes = runs;
	snapshot.nr_probes = ARRAY_SIZE(runs);
	gpus[0].pci.class_code = val_str("0x030200");
	report = judge_with(&snapshot, needs_of_things, SUBJECT_GPU, true);
	assert_string_equal(report.results[0].reason,
			    "socket of NUMA node (0, 1, 7), NUMA node CPUs (7): not reported by probe host; "
			    "link width able: not collected (probe pci-link); file system available files: "
			    "not collected (probe upgrade runs in gpudiag gate only)");
	end(&report, &snapshot);
}

/* Eight GPUs with one finding are one line. */
static void test_equal_findings_are_told_once(void **state)
{
	struct gpu gpus[4] = {
		{ .key = val_str("0000:01:00.0"), .pci.config_all_ones = val_bool(true) },
		{ .key = val_str("0000:02:00.0"), .pci.config_all_ones = val_bool(true) },
		{ .key = val_str("0000:03:00.0"), .pci.config_all_ones = val_bool(false) },
		{ .key = val_str("0000:04:00.0"), .pci.config_all_ones = val_bool(true) },
	};
	struct snapshot snapshot = {.run.source = val_str("live"), .bus.gpus = val_u64(4), .gpus = gpus, .nr_gpus = 4};
	struct report report = judge_with(&snapshot, fails_each_gpu, SUBJECT_GPU, true);

	(void)state;
	assert_int_equal(report.nr_findings, 3);
	assert_int_equal(report.nr_groups, 1);
	assert_string_equal(report.groups[0].subjects, "GPUs 0-1 and 3");
	assert_int_equal(report.groups[0].nr_members, 3);
	for (size_t i = 0; i < report.nr_findings; i++) {
		assert_int_equal(report.groups[0].members[i], i);
		assert_ptr_equal(group_of(&report, report.findings[i]), report.groups);
	}
	assert_string_equal(report.groups[0].sentence,
			    "GPUs 0-1 and 3 have fallen off the bus: configuration space reads as all ones.");
	assert_int_equal(report.exit_status, 2);
	assert_int_equal(report.decision.nr_unusable, 3);
	assert_string_equal(report.decision.unusable[2], "0000:04:00.0");
	assert_int_equal(report.gpus[2].state, GPU_USABLE);
	assert_string_not_equal(report.findings[0]->key, report.findings[1]->key);
	end(&report, &snapshot);
}

/* A ticket is opened for each key: two disks are two, and one disk tomorrow is the same. */
static void test_several_of_a_kind_have_their_own_keys(void **state)
{
	struct snapshot snapshot = memory_of(val_u64(2), val_u64(10));
	struct report report = judge_with(&snapshot, warns_of_several, SUBJECT_NODE, false);

	(void)state;
	assert_int_equal(report.nr_findings, 4);
	assert_string_not_equal(report.findings[0]->key, report.findings[1]->key);
	assert_string_not_equal(report.findings[0]->key, report.findings[2]->key);
	assert_string_not_equal(report.findings[1]->key, report.findings[2]->key);
	assert_string_equal(report.findings[2]->key, report.findings[3]->key);
	end(&report, &snapshot);
}

static void test_no_gpu_is_not_the_same_as_not_looked(void **state)
{
	struct snapshot snapshot = { .run.source = val_str("live"), .bus.gpus = val_u64(0) };
	struct report report = judge_with(&snapshot, fails_each_gpu, SUBJECT_GPU, true);

	(void)state;
	assert_int_equal(report.results[0].outcome, OUTCOME_SKIP);
	end(&report, &snapshot);
	snapshot.bus.gpus = no_u64(VAL_TIMEOUT, "in scandir");
	report = judge_with(&snapshot, fails_each_gpu, SUBJECT_GPU, true);
	assert_int_equal(report.results[0].outcome, OUTCOME_UNKNOWN);
	assert_non_null(strstr(report.results[0].reason, "timeout: in scandir"));
	assert_int_equal(report.exit_status, 3);
	end(&report, &snapshot);
}

/* Beside a check that passes, one that is not required may be unknown. */
static void test_unknown_moves_the_exit_where_it_is_required(void **state)
{
	const struct check passes = {
		.name = "passes",
		.title = "Test",
		.doc = "a test",
		.per = SUBJECT_NODE,
		.eval = below_half,
		.may_emit = IDS(SWAP_USED_IDLE),
	};
	const struct check not_known = {
		.name = "not-known",
		.title = "Test",
		.doc = "a test",
		.per = SUBJECT_NODE,
		.eval = gives_up,
		.may_emit = IDS(SWAP_USED_IDLE),
	};
	struct snapshot snapshot = memory_of(val_u64(8), val_u64(10));

	(void)state;
	for (int required = 0; required <= 1; required++) {
		const struct playbook_row rows[] = {
			{.stage = STAGE_SWAP, .check = &passes},
			{.stage = STAGE_SWAP, .check = &not_known, .required = required},
		};
		const struct playbook playbook = { .rows = rows, .nr = ARRAY_SIZE(rows) };
		struct report report;

		judge(&report, &snapshot, &playbook, &(struct judge_inputs){ .policy = &policy_built_in });
		assert_int_equal(report.exit_status, required ? 3 : 0);
		assert_int_equal(report.verdict, required ? VERDICT_UNKNOWN : VERDICT_PASS);
		end(&report, &snapshot);
	}
}

static void test_a_note_moves_nothing(void **state)
{
	struct snapshot snapshot = memory_of(val_u64(2), val_u64(10));
	struct report report = judge_with(&snapshot, below_half, SUBJECT_NODE, true);

	(void)state;
	assert_int_equal(report.verdict, VERDICT_PASS);
	assert_int_equal(report.exit_status, 0);
	assert_string_equal(report.decision.schedulable, "yes");
	end(&report, &snapshot);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_outcomes),
		cmocka_unit_test(test_reasons_and_sentences),
		cmocka_unit_test(test_missing_values_in_words),
		cmocka_unit_test(test_what_nobody_looked_at),
		cmocka_unit_test(test_equal_findings_are_told_once),
		cmocka_unit_test(test_several_of_a_kind_have_their_own_keys),
		cmocka_unit_test(test_no_gpu_is_not_the_same_as_not_looked),
		cmocka_unit_test(test_unknown_moves_the_exit_where_it_is_required),
		cmocka_unit_test(test_a_note_moves_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
