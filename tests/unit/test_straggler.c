// SPDX-License-Identifier: GPL-2.0-or-later
/* test_straggler.c - a rank that the others of its job wait for: where it moves, stays, or only seems to. */
#include "base/compat.h"

#include "load_ticks.h"

enum { MOST_GPUS = 4 };

static struct snapshot sealed;
static struct load *load;

static void watch(unsigned gpus)
{
	sealed_of(&sealed, gpus);
	load = load_new(&sealed, &policy_built_in, 0);
}

static int end(void **state)
{
	(void)state;
	load_free(load);
	snapshot_release(&sealed);
	return 0;
}

/* What a GPU does in a tick: use, tensor and DRAM activity in per cent, power in watts. */
struct gpu_does { double busy, tensor, memory, watts; };

static const struct gpu_does works = { 99, 60, 40, 600 }, waits = { 100, 0, 0.5, 105 }, starves = { 20, 2, 3, 110 },
			     waits_warm = { 100, 0, 0.5, 300 }, decodes = { 100, 5, 65, 105 }, idles = { 0, 0, 0, 70 },
			     runs_little = { 100, 4, 8, 105 };

/* Each has a rank, of one launcher and group, or of its own. */
static void add_gpus(double at_s, unsigned nr, const struct gpu_does *const *does, bool one_job)
{
	struct strbuf gpus = STRBUF_INIT, processes = STRBUF_INIT;

	for (unsigned i = 0; i < nr; i++) {
		strbuf_addf(
			&gpus,
			"%s{'key': '0000:%02x:00.0', 'busy_percent': %g, 'busy_min_percent': %g, 'busy_max_percent': %g,"
			" 'sm_active_percent': %g, 'tensor_active_percent': %g, 'memory_active_percent': %g, 'power_mw': %.0f}",
			i ? ", " : "", i + 1, does[i]->busy, does[i]->busy, does[i]->busy, does[i]->tensor + 12.0,
			does[i]->tensor, does[i]->memory, does[i]->watts * 1e3);
		strbuf_addf(
			&processes,
			"%s{'key': '%u', 'parent': %u, 'comm': 'python3', 'role': 'holder', 'state': 'R', 'group': '/job%u',"
			" 'gpus': ['0000:%02x:00.0'], 'user_ns': %.0f, 'system_ns': 0}",
			i ? ", " : "", 100 + i, one_job ? 50 : 60 + i, one_job ? 0 : i, i + 1, at_s * 1e9);
	}
	add_tick(load, at_s, "'gpus': [%s], 'processes': [%s]", gpus.buf, processes.buf);
	strbuf_release(&gpus);
	strbuf_release(&processes);
}

/* Of those GPUs one does the first, another one every so many seconds, and all others the second. */
static void in_turn(unsigned nr, unsigned seconds, unsigned period_s, const struct gpu_does *one,
		    const struct gpu_does *others, bool one_job)
{
	for (unsigned at_s = 0; at_s <= seconds; at_s++) {
		const struct gpu_does *does[MOST_GPUS];

		for (unsigned i = 0; i < nr; i++)
			does[i] = at_s / period_s % nr == i ? one : others;
		add_gpus(at_s, nr, does, one_job);
	}
}

static void assert_one_at_a_time(bool expected)
{
	assert_int_equal(strstr(load_now(load)->headline, "one rank at a time") != NULL, expected);
}

static void test_one_that_moves(void **state)
{
	const struct load_group *group;

	(void)state;
	watch(4);
	in_turn(4, 20, 3, &works, &waits, true);
	group = &load_now(load)->groups[0];
	assert_int_equal(load_now(load)->nr_groups, 1);
	assert_string_equal(group->sentence,
			    "GPUs 0-3 wait for data of other GPUs: kernels wait for one rank at a time, "
			    "GPU 2 now, 4 of them in 10 s");
	assert_string_equal(group->next,
			    "Even out the work of the ranks: batches, experts, pipeline stages; look at what they "
			    "share: loader, disks, CPUs.");
	assert_int_equal(load_story(load)->exit_status, 0);
}

static void test_one_that_waits_for_its_input(void **state)
{
	(void)state;
	watch(3);
	in_turn(3, 20, 2, &starves, &waits, true);
	assert_word(load, 0, "link-bound");
	assert_one_at_a_time(true);
}

/* Parts that draw more while they wait: less than those that work, and their units tell that they do nothing. */
static void test_those_that_wait_draw_more(void **state)
{
	(void)state;
	watch(3);
	in_turn(3, 20, 2, &works, &waits_warm, true);
	assert_one_at_a_time(true);
}

static void test_what_only_seems_so(void **state)
{
	const struct { unsigned nr; const struct gpu_does *one, *others; bool one_job; } cases[] = {
		{ 2, &works, &waits, true },		/* of two, neither */
		{ 4, &works, &waits, false },		/* each of a job of its own */
		{ 4, &works, &decodes, true },		/* the others have work of their own */
		{ 4, &works, &idles, true },		/* nobody waits in a kernel */
		{ 4, &starves, &waits_warm, true },	/* none draws more than the others */
		{ 4, &starves, &runs_little, true },	/* trials of a sweep, of which one pauses */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		watch(cases[i].nr);
		in_turn(cases[i].nr, 20, 3, cases[i].one, cases[i].others, cases[i].one_job);
		assert_one_at_a_time(false);
		end(NULL);
	}
	watch(1);
}

/* Most of the seconds have to show it. */
static void test_too_seldom(void **state)
{
	const struct gpu_does *all[] = { &works, &works, &works };

	(void)state;
	watch(3);
	for (unsigned at_s = 0; at_s <= 30; at_s++) {
		const struct gpu_does *does[] = { &waits, &waits, &waits };

		does[at_s / 2 % 3] = &works;
		add_gpus(at_s, 3, at_s % 2 ? all : does, true);
		assert_one_at_a_time(false);
	}
}

static void test_one_that_stays(void **state)
{
	const struct gpu_does *does[] = { &waits, &works, &waits }, *once[] = { &works, &waits, &waits };

	(void)state;
	watch(3);
	/* A slot by chance is no move. */
	for (unsigned at_s = 0; at_s <= 90; at_s++) {
		add_gpus(at_s, 3, at_s % 15 == 14 ? once : does, true);
		assert_one_at_a_time(false);
	}
	/* The others wait for one that works, and are not stuck. */
	assert_word(load, 0, "spinning");
	assert_word(load, 1, "compute-bound");
	assert_non_null(
		strstr(load_now(load)->groups[0].sentence, ", kernels wait for a peer, maybe GPU 1 (99 % busy)"));
}

/* By then the others' frameworks give up. */
static void test_one_that_works_for_too_long(void **state)
{
	const struct gpu_does *does[] = { &waits, &works, &waits };

	(void)state;
	watch(3);
	for (unsigned at_s = 0; at_s <= 680; at_s++) {
		add_gpus(at_s, 3, does, true);
		if (at_s == 640)
			assert_word(load, 0, "spinning");
	}
	assert_word(load, 0, "stuck");
	assert_non_null(strstr(load_now(load)->headline, "GPU 1 differs (99 % busy): look at python3 (pid 101) there"));
}

static void test_one_that_stays_is_what_to_look_at(void **state)
{
	const struct gpu_does *does[] = { &waits_warm, &works, &waits_warm };

	(void)state;
	watch(3);
	for (unsigned at_s = 0; at_s <= 12; at_s++)
		add_gpus(at_s, 3, does, true);
	assert_word(load, 0, "link-bound");
	assert_string_equal(
		load_now(load)->groups[0].next,
		"Find out why GPU 1, which the others wait for, takes longer: it has more to do, or is slower "
		"(gpudiag run).");
}

static void test_one_that_does_nothing_is_waited_for_in_vain(void **state)
{
	const struct gpu_does *does[] = { &waits, &idles, &waits };

	(void)state;
	watch(3);
	for (unsigned at_s = 0; at_s <= 90; at_s++)
		add_gpus(at_s, 3, does, true);
	assert_word(load, 0, "stuck");
}

/*
 * A collective for a part of each second, on all GPUs of a job: they are not told from small kernels, and these not
 * said.
 */
static void test_even_ones_run_no_small_kernels(void **state)
{
	static const struct gpu_does even = { 100, 9, 6, 200 };
	const struct gpu_does *does[] = { &even, &even };

	(void)state;
	for (unsigned one_job = 0; one_job < 2; one_job++) {
		watch(2);
		for (unsigned at_s = 0; at_s <= 12; at_s++)
			add_gpus(at_s, 2, does, one_job);
		assert_word(load, 0, one_job ? "mixed" : "small-kernels");
		end(NULL);
	}
	watch(1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_one_that_moves, end),
		cmocka_unit_test_teardown(test_one_that_waits_for_its_input, end),
		cmocka_unit_test_teardown(test_those_that_wait_draw_more, end),
		cmocka_unit_test_teardown(test_what_only_seems_so, end),
		cmocka_unit_test_teardown(test_too_seldom, end),
		cmocka_unit_test_teardown(test_one_that_stays, end),
		cmocka_unit_test_teardown(test_one_that_works_for_too_long, end),
		cmocka_unit_test_teardown(test_one_that_stays_is_what_to_look_at, end),
		cmocka_unit_test_teardown(test_one_that_does_nothing_is_waited_for_in_vain, end),
		cmocka_unit_test_teardown(test_even_ones_run_no_small_kernels, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
