// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_load.c - words, when they change, what they say, and the story: the rules one by one are tried by tests/watch.
 */
#include "base/compat.h"

#include "load_ticks.h"

static struct snapshot sealed;
static struct load *load;

static void watch(unsigned gpus, uint64_t pid)
{
	sealed_of(&sealed, gpus);
	load = load_new(&sealed, &policy_built_in, pid);
}

static int end(void **state)
{
	(void)state;
	load_free(load);
	snapshot_release(&sealed);
	return 0;
}

#define GPU(address, busy, sm, tensor, watts)                                                                         \
	"{'key': '0000:0" address ":00.0', 'busy_percent': " busy ", 'busy_min_percent': " busy ","                  \
	" 'busy_max_percent': " busy ", 'sm_active_percent': " sm ", 'tensor_active_percent': " tensor ","           \
	" 'memory_active_percent': 1, 'power_mw': " watts "000}"
#define COMPUTES(address) GPU(address, "99", "90", "60", "650")
#define SPINS(address) GPU(address, "100", "12", "0", "90")
#define IDLES(address) GPU(address, "0", "0", "0", "70")
#define STARVES(address) GPU(address, "20", "10", "5", "200")
#define JOB(gpu, pid) "{'key': '" pid "', 'parent': 50, 'comm': 'python3', 'role': 'holder', 'state': 'S',"          \
		      " 'gpus': ['0000:0" gpu ":00.0'], 'user_ns': 0, 'system_ns': 0, 'group': '/job'}"

/* A worker that uses so many per cent of a CPU. */
static void add_loading(double at_s, double percent)
{
	unsigned long long used_ns = (unsigned long long)(at_s * percent * 1e7);

	add_tick(load, at_s,
		 "'gpus': [" STARVES("1") "], 'processes': [" JOB("1", "100") ","
		 "{'key': '101', 'parent': 100, 'comm': 'pt_data_worker', 'role': 'child', 'state': 'R',"
		 " 'user_ns': %llu, 'system_ns': 0},"
		 "{'key': '102', 'parent': 100, 'comm': 'pt_data_worker', 'role': 'child', 'state': 'R',"
		 " 'user_ns': %llu, 'system_ns': 0}]", used_ns, used_ns);
}

static void test_nothing_before_a_second(void **state)
{
	(void)state;
	watch(1, 0);
	assert_non_null(load_now(load)->headline);
	add_tick(load, 0, "'gpus': [" COMPUTES("1") "]");
	assert_word(load, 0, "not-judged");
	assert_non_null(strstr(load_now(load)->headline, "less than a second"));
	assert_int_equal(load_story(load)->exit_status, 3);
	add_tick(load, 1, "'gpus': [" COMPUTES("1") "]");
	assert_word(load, 0, "compute-bound");
	assert_int_equal(load_now(load)->gpus[0].confidence, LOAD_SETTLING);
	for (int i = 2; i < 12; i++)
		add_tick(load, i, "'gpus': [" COMPUTES("1") "]");
	assert_int_equal(load_now(load)->gpus[0].confidence, LOAD_SURE);
	assert_int_equal(load_story(load)->exit_status, 0);
}

static void test_a_word_changes_when_it_won_three_of_five(void **state)
{
	(void)state;
	watch(1, 0);
	for (int i = 0; i < 20; i++)
		add_tick(load, i, "'gpus': [" COMPUTES("1") "]");
	/* The new phase is seen in its third tick, and has won three in its fifth. */
	for (int i = 20; i < 24; i++) {
		add_tick(load, i, "'gpus': [" SPINS("1") "]");
		assert_word(load, 0, "compute-bound");
		assert_non_null(strstr(load_now(load)->headline, "tensor 60 %"));
	}
	for (int i = 24; i < 27; i++)
		add_tick(load, i, "'gpus': [" SPINS("1") "]");
	assert_word(load, 0, "spinning");
	assert_true(load_now(load)->gpus[0].held_ns < UINT64_C(4000000000));
}

static void test_gpus_with_one_word_are_one_line(void **state)
{
	const struct load_view *view;

	(void)state;
	watch(4, 0);
	for (int i = 0; i < 12; i++)
		add_tick(load, i, "'gpus': [" COMPUTES("1") "," COMPUTES("2") "," COMPUTES("3") "," IDLES("4") "]");
	view = load_now(load);
	assert_int_equal(view->nr_gpus, 4);
	assert_int_equal(view->nr_groups, 2);
	assert_int_equal(view->groups[0].nr_gpus, 3);
	assert_int_equal(strncmp(view->groups[0].sentence, "GPUs 0-2 are compute-bound: ", 28), 0);
	assert_int_equal(strncmp(view->groups[1].sentence, "GPU 3 is idle: ", 15), 0);
	assert_ptr_equal(view->headline, view->groups[0].sentence);
}

static void test_the_loader_by_its_workers(void **state)
{
	const struct load_group *group;

	(void)state;
	watch(1, 0);
	for (int i = 0; i < 12; i++)
		add_loading(i, 97);
	assert_word(load, 0, "starved-loader");
	group = &load_now(load)->groups[0];
	assert_non_null(strstr(group->sentence, "2 of 2 worker processes"));
	assert_non_null(strstr(group->sentence, "python3 (pid 100)"));
	assert_non_null(group->next);
	assert_int_equal(load_now(load)->host.workers_pegged, 2);
	assert_string_equal(load_now(load)->gpus[0].holder, "python3 100");
	assert_int_equal(load_story(load)->exit_status, 1);
}

static void test_workers_at_89_are_no_limit(void **state)
{
	(void)state;
	watch(1, 0);
	for (int i = 0; i < 12; i++)
		add_loading(i, 89);
	assert_word(load, 0, "mixed");
	assert_non_null(strstr(load_now(load)->headline, "nearest: starved-loader"));
	assert_int_equal(load_story(load)->exit_status, 0);
}

/* A pid that another process has by now has used none of the CPU time of the first. */
static void test_a_pid_that_is_used_again(void **state)
{
	(void)state;
	watch(1, 0);
	for (int i = 0; i < 12; i++)
		add_tick(load, i,
			 "'gpus': [" STARVES("1") "], 'processes': [{'key': '100', 'comm': 'python3', 'role': 'holder',"
			 " 'gpus': ['0000:01:00.0'], 'started_ns': %d, 'state': 'S', 'user_ns': %.0f, 'system_ns': 0}]",
			 i < 11 ? 7 : 9, i < 11 ? i * 1e6 : 9e11);
	assert_word(load, 0, "waits-elsewhere");
}

static void test_unknown_is_not_0(void **state)
{
	(void)state;
	watch(1, 0);
	for (int i = 0; i < 12; i++)
		add_tick(load, i, "'gpus': [{'key': '0000:01:00.0', 'busy_percent': null,"
				  " 'unknown': {'busy_percent': 'unsupported: MIG is on'}}]");
	assert_word(load, 0, "not-judged");
	assert_non_null(strstr(load_now(load)->headline, "not supported (MIG is on)"));
	assert_int_equal(load_story(load)->exit_status, 3);
}

static void test_a_lost_gpu_is_faulted(void **state)
{
	(void)state;
	watch(2, 0);
	for (int i = 0; i < 12; i++)
		add_tick(load, i, "'gpus': [" COMPUTES("1") "," COMPUTES("2") "]");
	for (int i = 12; i < 18; i++)
		add_tick(load, i, "'gpus': [" COMPUTES("1") ", {'key': '0000:02:00.0', 'busy_percent': null,"
				  " 'unknown': {'busy_percent': 'lost: GPU_IS_LOST'}}]");
	assert_word(load, 1, "faulted");
	assert_int_equal(load_now(load)->groups[0].word, BOTTLENECK_FAULTED);
	assert_non_null(strstr(load_now(load)->headline, "GPU_IS_LOST"));
	assert_int_equal(load_story(load)->exit_status, 2);
	assert_non_null(
		strstr(load_story(load)->headline, "GPU 1 is faulted: the GPU does not respond any more: GPU_IS_LOST"));
}

static void test_a_fault_in_the_log_is_the_gpus(void **state)
{
	static const char line[] = "{'key': '%d', 'level': 4, 'text': 'NVRM: Xid (PCI:0000:02:00): %s'}";
	char fault[200], milder[200];

	(void)state;
	watch(2, 0);
	snprintf(fault, sizeof(fault), line, 1,
		 "119, pid=77, name=python3, Timeout after 6s of waiting for RPC response from GPU0 GSP!");
	snprintf(milder, sizeof(milder), line, 2, "31, pid=77, name=python3, Ch 00000010");
	for (int i = 0; i < 12; i++)
		add_tick(load, i, "'gpus': [" COMPUTES("1") "," COMPUTES("2") "]");
	/* What a program did wrong is no fault of its GPU. */
	add_tick(load, 12, "'gpus': [" COMPUTES("1") "," COMPUTES("2") "], 'log_lines': [%s]", milder);
	for (int i = 13; i < 16; i++)
		add_tick(load, i, "'gpus': [" COMPUTES("1") "," COMPUTES("2") "]");
	assert_word(load, 1, "compute-bound");
	add_tick(load, 16, "'gpus': [" COMPUTES("1") "," COMPUTES("2") "], 'log_lines': [%s]", fault);
	for (int i = 17; i < 23; i++)
		add_tick(load, i, "'gpus': [" COMPUTES("1") "," COMPUTES("2") "]");
	assert_word(load, 0, "compute-bound");
	assert_word(load, 1, "faulted");
	assert_non_null(strstr(load_now(load)->headline, "Xid 119"));
	assert_int_equal(load_story(load)->exit_status, 2);
}

static void test_what_a_program_repeats_is_no_fault(void **state)
{
	(void)state;
	watch(1, 0);
	for (int i = 0; i < 16; i++)
		add_tick(
			load, i, "'gpus': [" COMPUTES("1") "]%s",
			i == 6 ? ", 'log_lines': [{'key': '1', 'level': 4, 'relayed': true, 'process': 'node-agent', 'text': 'NVRM: Xid "
				 "(PCI:0000:01:00): 79, pid=7, GPU has fallen off the bus.'}]"
			       : "");
	assert_word(load, 0, "compute-bound");
	assert_int_equal(load_story(load)->exit_status, 0);
}

/* Those that are left keep the word for some ticks, and with it the figures by which it fitted. */
static void test_a_group_that_loses_one_keeps_its_figures(void **state)
{
	const char *headline;

	(void)state;
	watch(3, 0);
	for (int i = 0; i < 14; i++)
		add_tick(load, i, "'gpus': [" COMPUTES("1") "," COMPUTES("2") "," COMPUTES("3") "]");
	for (int i = 14; i < 27; i++)
		add_tick(load, i,
			 "'gpus': [" SPINS("1") "," SPINS("2") ", {'key': '0000:03:00.0', 'busy_percent': null,"
							       " 'unknown': {'busy_percent': 'lost: GPU_IS_LOST'}}]");
	headline = load_story(load)->headline;
	assert_non_null(strstr(headline, "GPUs 0-1 are compute-bound: 99 % busy, SM 90 %"));
	assert_non_null(strstr(headline, "GPU 2 is faulted"));
}

#define INSTANCE(key, sm, tensor, dram)                                                                                \
	"{'key': '" key "', 'sm_active_percent': " sm ", 'tensor_active_percent': " tensor                             \
	", 'memory_active_percent': " dram "}"
#define DIVIDED(instances)                                                                                             \
	"'gpus': [{'key': '0000:01:00.0', 'busy_percent': null, 'power_mw': 300000, 'processes': 2, 'instances': [" instances  \
	"], 'unknown': {'busy_percent': 'unsupported'}}]"

/* Utilization is refused of it: its instances tell. */
static void test_a_divided_gpu_is_what_its_busiest_instance_is(void **state)
{
	(void)state;
	watch(1, 0);
	for (int i = 0; i < 12; i++)
		add_tick(load, i, DIVIDED(INSTANCE("1/0", "4", "0", "1") "," INSTANCE("2/0", "92", "60", "20")));
	assert_word(load, 0, "compute-bound");
	assert_non_null(strstr(load_now(load)->headline, "in instance 2/0, the busiest, SM 92 %, tensor 60 %"));
	assert_int_equal(load_story(load)->exit_status, 0);
	for (int i = 12; i < 40; i++)
		add_tick(load, i, DIVIDED(INSTANCE("1/0", "70", "10", "85")));
	assert_word(load, 0, "memory-bound");
	assert_non_null(strstr(load_now(load)->headline, "in instance 1/0, SM 70 %"));
}

/* As Intel's drivers tell it: the time of each process, and none where there is none. */
static void test_a_gpu_is_as_busy_as_its_clients(void **state)
{
	(void)state;
	watch(1, 0);
	for (int i = 0; i < 12; i++)
		add_tick(load, i,
			 "'gpus': [{'key': '0000:01:00.0', 'busy_percent': null, 'power_mw': 650000, 'processes': 1,"
			 " 'clients': [{'key': '9', 'busy_ns': %.0f}], 'unknown': {'busy_percent': 'unsupported'}}]",
			 i * 0.98e9);
	assert_word(load, 0, "compute-bound");
	for (int i = 12; i < 40; i++)
		add_tick(load, i,
			 "'gpus': [{'key': '0000:01:00.0', 'busy_percent': null, 'power_mw': 70000, 'processes': 0,"
			 " 'vram_used_bytes': 0, 'unknown': {'busy_percent': 'unsupported'}}]");
	assert_word(load, 0, "idle");
}

/* The others of a job wait for the one that writes: by no fault of the storage. */
static void test_a_checkpoint_is_one_of_all_its_ranks(void **state)
{
	(void)state;
	watch(2, 0);
	for (int i = 0; i < 14; i++)
		add_tick(
			load, i,
			"'gpus': [" IDLES("1") "," IDLES(
				"2") "], 'groups': [{'key': '/job', 'io_full_ns': %.0f}], 'processes': ["
				     "{'key': '101', 'parent': 50, 'comm': 'python3', 'role': 'holder', 'state': 'D', 'gpus': ['0000:01:00.0'],"
				     " 'user_ns': 0, 'system_ns': 0, 'written_bytes': %.0f, 'read_bytes': 0, 'group': '/job'},"
				     "{'key': '102', 'parent': 50, 'comm': 'python3', 'role': 'holder', 'state': 'S', 'gpus': ['0000:02:00.0'],"
				     " 'user_ns': 0, 'system_ns': 0, 'written_bytes': 0, 'read_bytes': 0, 'group': '/job'}]",
			i * 2e8, i * 2e9);
	assert_word(load, 0, "checkpoint");
	assert_word(load, 1, "checkpoint");
}

#define DESKTOP(bytes)                                                                                                 \
	"'gpus': [{'key': '0000:01:00.0', 'busy_percent': 1, 'power_mw': 33000, 'vram_used_bytes': " bytes ", 'processes': 1,"  \
	" 'clients': [{'key': '1203', 'memory_bytes': 740000000}]}], 'processes': [{'key': '1203', 'parent': 1, 'comm': 'Xorg',"\
	" 'role': 'holder', 'state': 'S', 'gpus': ['0000:01:00.0'], 'user_ns': 0, 'system_ns': 0}]"

static void test_a_display_holds_nothing(void **state)
{
	(void)state;
	watch(1, 0);
	for (int i = 0; i < 90; i++)
		add_tick(load, i, DESKTOP("770000000"));
	assert_word(load, 0, "idle");
	/* What is more than the display's own, somebody else holds. */
	for (int i = 90; i < 180; i++)
		add_tick(load, i, DESKTOP("9000000000"));
	assert_word(load, 0, "held-idle");
}

/* Its threads are in the driver at every tick: in one sleep, or each in one of its own. */
static void add_in_driver(double at_s, unsigned thread, unsigned switches)
{
	add_tick(load, at_s,
		 "'gpus': [" IDLES(
			 "1") "], 'processes': [{'key': '100', 'parent': 50, 'comm': 'python3', 'role': 'holder',"
			      " 'state': 'S', 'gpus': ['0000:01:00.0'], 'threads_seen': [{'key': '%u', 'state': 'D',"
			      " 'wchan': 'uvm_va_space_register_gpu', 'voluntary_switches': %u}]}]",
		 thread, switches);
}

static void test_starting_gpus_is_no_fault(void **state)
{
	(void)state;
	watch(1, 0);
	for (unsigned i = 0; i < 30; i++)
		add_in_driver(i, 101 + i % 8, 7);
	for (unsigned i = 30; i < 60; i++)
		add_in_driver(i, 101, 7 + i);
	assert_false(load_now(load)->gpus[0].word == BOTTLENECK_FAULTED);
	/* One that does not wake up any more. */
	for (unsigned i = 60; i < 75; i++)
		add_in_driver(i, 101, 7);
	assert_word(load, 0, "faulted");
	/* It has ended, after all. */
	for (unsigned i = 75; i < 80; i++)
		add_tick(load, i, "'gpus': [" IDLES("1") "]");
	assert_false(load_now(load)->gpus[0].word == BOTTLENECK_FAULTED);
}

static void test_a_model_has_its_own_thresholds(void **state)
{
	static const char text[] = "{\"models\": "
				   "{\"*H200*\": {\"watch.spin_power_ratio\": 0.05}}}";
	struct policy policy = policy_built_in;
	struct policy_errors errors = { .nr = 0 };
	struct strs checks = { .nr = 0 };
	struct arena arena = { 0 };

	(void)state;
	assert_int_equal(policy_parse(&policy, &arena, &checks, "policy.json", text, strlen(text), &errors), 0);
	sealed_of(&sealed, 2);
	sealed.gpus[1].pci.model = val_str("GH100 [H200 SXM5 141GB]");
	load = load_new(&sealed, &policy, 0);
	for (int i = 0; i < 12; i++)
		add_tick(load, i, "'gpus': [" SPINS("1") "," SPINS("2") "]");
	assert_word(load, 0, "spinning");
	assert_int_not_equal(load_now(load)->gpus[1].word, BOTTLENECK_SPINNING);
	arena_release(&arena);
}

/* Its launcher has ended, and it belongs to no watched process but by what the sampler knows. */
static void test_a_family_outlives_its_parents(void **state)
{
	(void)state;
	watch(2, 100);
	for (int i = 0; i < 12; i++)
		add_tick(
			load, i,
			"'gpus': [" IDLES("1") "," COMPUTES(
				"2") "], 'processes': [{'key': '100', 'parent': 1,"
				     " 'comm': 'sh', 'role': 'asked', 'requested': true, 'state': 'S'}, {'key': '200',"
				     " 'parent': 1, 'comm': 'python3', 'role': 'holder', 'requested': true, 'state': 'S',"
				     " 'gpus': ['0000:02:00.0']}]");
	assert_int_equal(load_now(load)->nr_gpus, 1);
	assert_int_equal(load_now(load)->gpus[0].index, 1);
	assert_word(load, 0, "compute-bound");
}

static void test_processes_that_cannot_be_seen(void **state)
{
	static const char hidden[] = "'gpus': [{'key': '0000:01:00.0', 'busy_percent': 0, 'processes': null,"
				     " %s 'unknown': {'processes': 'unsupported: pid namespace'%s}}]";

	(void)state;
	watch(1, 0);
	for (int i = 0; i < 12; i++)
		add_tick(load, i, hidden, "'vram_used_bytes': 1048576,", "");
	assert_non_null(strstr(load_now(load)->headline, "no processes visible here"));
	end(NULL);
	watch(1, 0);
	for (int i = 0; i < 12; i++)
		add_tick(load, i, hidden, "'vram_used_bytes': null,", ", 'vram_used_bytes': 'error: EIO'");
	assert_false(load_now(load)->gpus[0].word == BOTTLENECK_IDLE);
}

/* Where one of two is visible, the other one is hidden because it is not of the same user or container. */
static void test_those_that_share_and_cannot_be_seen(void **state)
{
	static const char gpu[] =
		"'gpus': [{'key': '0000:01:00.0', 'busy_percent': 99, 'sm_active_percent': 90, 'power_mw': 650000,"
		" 'clients': [{'key': '100', 'busy_percent': 50}, {'key': '200', 'busy_percent': 45}]}]";

	(void)state;
	for (int nr_seen = 0; nr_seen < 2; nr_seen++) {
		watch(1, 0);
		for (int at_s = 0; at_s < 5; at_s++)
			add_tick(load, at_s, "%s, 'processes': [%s]", gpu, nr_seen ? JOB("1", "100") : "");
		assert_word(load, 0, nr_seen ? "shared" : "compute-bound");
		end(NULL);
	}
	watch(1, 0);
}

static void test_a_source_that_is_refused_is_told(void **state)
{
	(void)state;
	watch(1, 0);
	for (int i = 0; i < 3; i++)
		add_tick(load, i,
			 "'gpus': [" IDLES("1") "], 'sources': [{'key': 'sample-nvml', 'state': null, 'unknown':"
						" {'state': 'skipped: a task is stuck in the nvidia driver'}}]");
	assert_string_equal(load_now(load)->trouble,
			    "NVIDIA's management library: not read: a task is stuck in the nvidia driver");
}

/* ---- stuck */

static void spin(int from, int to, bool with_odd_one)
{
	for (int i = from; i < to; i++)
		add_tick(load, i,
			 "'gpus': [" SPINS("1") "," SPINS("2") ", %s], 'processes': [" JOB("1", "100") "," JOB(
				 "2", "101") "," JOB("3", "102") "]",
			 with_odd_one ? IDLES("3") : SPINS("3"));
}

static void test_all_of_a_job_spin(void **state)
{
	(void)state;
	watch(3, 0);
	spin(0, 200, false);
	assert_word(load, 0, "spinning");
	assert_int_equal(load_story(load)->exit_status, 0);
}

static void test_one_of_a_job_does_not_spin(void **state)
{
	(void)state;
	watch(3, 0);
	spin(0, 55, true);
	assert_word(load, 0, "spinning");
	spin(55, 70, true);
	assert_word(load, 0, "stuck");
	assert_non_null(strstr(load_now(load)->headline, "GPU 2 differs (0 % busy): look at python3 (pid 102) there"));
	assert_string_equal(load_now(load)->groups[0].command, "py-spy dump --pid 100");
}

/* ---- a process alone */

static void add_asked(double at_s, const char *holds)
{
	add_tick(load, at_s,
		 "'gpus': [" COMPUTES("1") "," COMPUTES(
			 "2") "], 'processes': [{'key': '100', 'comm': 'train', 'role': 'asked',"
			      " 'gpus': [%s], 'state': 'R', 'threads': 1, 'user_ns': %.0f, 'system_ns': 0}]",
		 holds, at_s * 1e9);
}

static void test_a_process_until_it_holds_gpus(void **state)
{
	const struct load_view *view;

	(void)state;
	watch(2, 100);
	for (int i = 0; i < 12; i++)
		add_asked(i, "");
	view = load_now(load);
	assert_int_equal(view->nr_gpus, 0);
	assert_int_equal(view->nr_groups, 1);
	assert_int_equal(view->groups[0].nr_gpus, 0);
	assert_string_equal(bottleneck_defs[view->groups[0].word].word, "starved-thread");
	assert_int_equal(strncmp(view->headline, "train (pid 100) waits for one thread", 36), 0);
	for (int i = 12; i < 16; i++)
		add_asked(i, "'0000:02:00.0'");
	assert_int_equal(load_now(load)->nr_gpus, 1);
	assert_int_equal(load_now(load)->gpus[0].index, 1);
	assert_word(load, 0, "compute-bound");
}

/* A thread that is always ready and gets 9 % of a CPU, as 50 others want the same two. */
static void add_crowded(double at_s, double wait, double quota)
{
	add_tick(
		load, at_s,
		"'gpus': [], 'host': {'cpus': 2, 'cpu_busy_ns': %.0f, 'cpu_idle_ns': 0}, 'groups': [{'key': '/job',"
		" 'throttled_ns': %.0f}], 'processes': [{'key': '100', 'comm': 'python3', 'role': 'asked', 'group': '/job',"
		" 'state': 'R', 'threads': 1, 'cpus_allowed': 2, 'user_ns': %.0f, 'system_ns': 0, 'threads_seen': [{'key': '100',"
		" 'state': 'R', 'user_ns': %.0f, 'system_ns': 0, 'wait_ns': %.0f, 'voluntary_switches': 0}]}]",
		at_s * 2e9, at_s * quota * 1e9, at_s * 0.09e9, at_s * 0.09e9, at_s * wait * 1e9);
}

static const char *crowded_word(double wait, double quota)
{
	watch(0, 100);
	for (int i = 0; i < 12; i++)
		add_crowded(i, wait, quota);
	assert_int_equal(load_now(load)->nr_groups, 1);
	return bottleneck_defs[load_now(load)->groups[0].word].word;
}

static void test_a_thread_that_gets_no_cpu(void **state)
{
	(void)state;
	assert_string_equal(crowded_word(0.91, 0.0), "starved-cpu");
	assert_string_equal(
		load_now(load)->headline,
		"python3 (pid 100) waits for a CPU, others use them: its threads waited 91 % of the time that they"
		" were ready to run, 2 CPUs allowed, 2 CPUs of the node 100 % busy, python3 (pid 100) at 9 % of a CPU");
	end(NULL);
	/* The same, held back by its quota. */
	assert_string_equal(crowded_word(0.91, 0.9), "starved-cpu-quota");
	end(NULL);
	/* Always ready by its state, without a figure of the queue that says so: it does not sleep. */
	assert_string_equal(crowded_word(0.0, 0.0), "mixed");
}

/* In FUSE, whose sleep can be interrupted: before samples suffice to accuse a disk, it is not told to be elsewhere. */
static void test_asleep_in_a_file_system(void **state)
{
	(void)state;
	watch(0, 100);
	for (int i = 0; i < 9; i++) {
		add_tick(
			load, i * 0.5,
			"'processes': [{'key': '100', 'comm': 'train', 'role': 'asked', 'state': 'S', 'user_ns': 0,"
			" 'system_ns': 0, 'threads_seen': [{'key': '100', 'state': 'S', 'wchan': 'request_wait_answer',"
			" 'user_ns': 0, 'system_ns': 0}]}]");
		assert_string_equal(bottleneck_defs[load_now(load)->groups[0].word].word,
				    i < 6 ? "not-judged" : "starved-storage");
	}
}

static void test_a_process_that_yields(void **state)
{
	(void)state;
	watch(0, 100);
	for (int i = 0; i < 4; i++)
		add_tick(load, i,
			 "'processes': [{'key': '100', 'comm': 'train', 'role': 'asked', 'state': 'R', 'user_ns': %.0f,"
			 " 'system_ns': %.0f, 'threads_seen': [{'key': '100', 'state': 'R', 'user_ns': %.0f,"
			 " 'system_ns': %.0f}]}]", i * 2e8, i * 8e8, i * 2e8, i * 8e8);
	assert_string_equal(
		load_now(load)->headline,
		"train (pid 100) waits for something outside this node or for a lock: train (pid 100) at 0 % of "
		"a CPU beside 100 % given away (sched_yield)");
}

/* Together they use more than one that sleeps may, and each of them sleeps. */
static void test_many_that_sleep(void **state)
{
	struct strbuf workers = STRBUF_INIT;

	(void)state;
	watch(1, 0);
	for (int at_s = 0; at_s < 12; at_s++) {
		strbuf_reset(&workers);
		for (int i = 1; i <= 9; i++)
			strbuf_addf(
				&workers,
				", {'key': '%d', 'parent': 100, 'comm': 'pt_data_worker', 'role': 'child', 'state': 'S',"
				" 'user_ns': %.0f, 'system_ns': 0}",
				100 + i, at_s * 5e7);
		add_tick(load, at_s, "'gpus': [" STARVES("1") "], 'processes': [" JOB("1", "100") "%s]", workers.buf);
	}
	strbuf_release(&workers);
	assert_string_equal(
		load_now(load)->headline,
		"GPU 0 waits for something outside this node or for a lock: 20 % busy, python3 (pid 100) and 9 worker "
		"processes at 45 % of a CPU");
}

/* So many share their work: none of them is the one that feeds the GPU. */
static void test_threads_that_share_their_work(void **state)
{
	(void)state;
	for (int nr = 1; nr <= 3; nr++) {
		struct strbuf threads = STRBUF_INIT;

		watch(1, 0);
		for (int at_s = 0; at_s < 12; at_s++) {
			strbuf_reset(&threads);
			for (int i = 0; i < nr; i++)
				strbuf_addf(
					&threads,
					"%s{'key': '%d', 'comm': 'adam', 'state': 'R', 'user_ns': %.0f, 'system_ns': 0}",
					i ? ", " : "", 100 + i, at_s * 98e7);
			add_tick(load, at_s, "'gpus': [" STARVES("1") "], 'processes': [{'key': '100', 'comm': 'python3',"
				 " 'role': 'holder', 'state': 'R', 'gpus': ['0000:01:00.0'], 'user_ns': %.0f, 'system_ns': 0,"
				 " 'threads_seen': [%s]}]", at_s * nr * 98e7, threads.buf);
		}
		strbuf_release(&threads);
		assert_word(load, 0, nr < 3 ? "starved-thread" : "mixed");
		if (nr == 3)
			assert_non_null(strstr(load_now(load)->headline,
					       ", 3 threads of python3 (pid 100) at the limit of a CPU"));
		end(NULL);
	}
	watch(1, 0);
}

static void test_nothing_to_watch(void **state)
{
	(void)state;
	watch(0, 0);
	for (int i = 0; i < 3; i++)
		add_tick(load, i, "'gpus': []");
	assert_int_equal(load_now(load)->nr_groups, 0);
	assert_int_equal(load_story(load)->exit_status, 3);
}

static void test_a_source_that_is_late(void **state)
{
	(void)state;
	watch(1, 0);
	for (int i = 0; i < 12; i++)
		add_tick(load, i,
			 "'gpus': [" COMPUTES("1") "], 'sources': [{'key': 'nvml', 'state': '%s', 'call': 'nvmlX'}]",
			 i < 5 ? "ok" : "late");
	assert_string_equal(load_now(load)->trouble, "nvml: no answer for 7 s (in nvmlX)");
	assert_int_equal(load_now(load)->late, 7);
}

/* ---- the window of a run */

static void window_of(double busy, double system, const char *word)
{
	struct gpu_process process = {
		.key = val_str("100"), .pid = val_u64(100), .comm = val_str("python3"),
		.use = { .cpu_percent = val_f64(101.0), .busiest_thread = val_u64(101),
			 .busiest_thread_percent = val_f64(100.0), .busiest_thread_system_percent = val_f64(system),
			 .busiest_thread_cpu = val_u64(7) },
	};
	struct holder holder = { .key = val_str("100:/dev/nvidia0"), .pid = val_u64(100), .comm = val_str("python3") };

	sealed_of(&sealed, 2);
	sealed.window.length_ms = val_u64(1000);
	sealed.gpus[0].use.busy_percent = val_f64(busy);
	holder.gpu = sealed.gpus[0].key;
	sealed.gpu_processes = &process;
	sealed.holders = &holder;
	sealed.nr_gpu_processes = sealed.nr_holders = 1;
	load = load_of_window(&sealed, &policy_built_in);
	assert_string_equal(bottleneck_defs[load_word_of(load, &sealed.gpus[0])].word, word);
	/* Of the other GPU nothing is known. */
	assert_int_equal(load_word_of(load, &sealed.gpus[1]), BOTTLENECK_NOT_JUDGED);
	end(NULL);
}

static void test_a_window_is_judged_as_ticks(void **state)
{
	(void)state;
	window_of(45.0, 12.0, "starved-thread");
	window_of(81.0, 12.0, "not-judged");
	window_of(45.0, 85.0, "waits-elsewhere");
	sealed_of(&sealed, 1);
	load = load_of_window(&sealed, &policy_built_in);
	assert_null(load);
	assert_int_equal(load_word_of(load, &sealed.gpus[0]), BOTTLENECK_NOT_JUDGED);
}

/* Its mean alone would be half a load. */
static void test_a_window_in_which_a_gpu_swings(void **state)
{
	static const struct { double p5, p95; uint64_t length_ms; bool swings; } cases[] = {
		{ 0, 100, 1000, true }, { 9, 70, 1000, true }, { 10, 100, 1000, false }, { 0, 69, 1000, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		sealed_of(&sealed, 1);
		sealed.window.length_ms = val_u64(cases[i].length_ms);
		sealed.gpus[0].use = (struct gpu_use){
			.busy_percent = val_f64(55), .busy_max_percent = val_f64(100),
			.busy_p5_percent = val_f64(cases[i].p5), .busy_p95_percent = val_f64(cases[i].p95),
		};
		load = load_of_window(&sealed, &policy_built_in);
		assert_int_equal(load_gpu_of(load, &sealed.gpus[0])->swings, cases[i].swings);
		assert_int_equal(load_gpu_of(load, &sealed.gpus[0])->waits, cases[i].swings);
		end(NULL);
	}
	sealed_of(&sealed, 1);
	sealed.window.length_ms = val_u64(500);
	sealed.gpus[0].use.busy_percent = val_f64(55);
	load = load_of_window(&sealed, &policy_built_in);
	assert_null(load_gpu_of(load, &sealed.gpus[0]));
}

/* --pid means the GPUs of that process and of those below it; one that holds none means them all. */
static void test_a_window_is_that_of_a_process(void **state)
{
	struct gpu_process processes[2] = {
		{ .key = val_str("100"),
		  .pid = val_u64(100),
		  .comm = val_str("python3"),
		  .requested = val_bool(false) },
		{ .key = val_str("200"), .pid = val_u64(200), .comm = val_str("python3"), .requested = val_bool(true) },
	};
	struct holder holders[2] = {
		{ .key = val_str("100:/dev/nvidia0"), .pid = val_u64(100) },
		{ .key = val_str("200:/dev/nvidia1"), .pid = val_u64(200) },
	};

	(void)state;
	for (unsigned asked = 0; asked < 2; asked++) {
		sealed_of(&sealed, 2);
		sealed.window.length_ms = val_u64(1000);
		sealed.request.pid = val_u64(50);
		for (size_t i = 0; i < 2; i++) {
			sealed.gpus[i].use.busy_percent = val_f64(97.0);
			sealed.gpus[i].use.power_mw = val_u64(650000);
			holders[i].gpu = sealed.gpus[i].key;
		}
		processes[1].requested = val_bool(asked);
		sealed.gpu_processes = processes;
		sealed.holders = holders;
		sealed.nr_gpu_processes = sealed.nr_holders = 2;
		load = load_of_window(&sealed, &policy_built_in);
		assert_int_equal(load_now(load)->nr_gpus, asked ? 1 : 2);
		assert_ptr_equal(load_now(load)->gpus[0].gpu, &sealed.gpus[asked]);
		end(NULL);
	}
	sealed_of(&sealed, 1);
	load = NULL;
}

/* ---- the story */

static void test_phases_and_their_shares(void **state)
{
	const struct load_story *story;

	(void)state;
	watch(1, 0);
	for (int i = 0; i <= 60; i++)
		add_loading(i, 97);
	for (int i = 61; i <= 100; i++)
		add_tick(load, i, "'gpus': [" COMPUTES("1") "]");
	story = load_story(load);
	assert_int_equal(story->nr_phases, 2);
	assert_true(story->phases[0].share > 0.57 && story->phases[0].share < 0.68);
	assert_int_equal(story->phases[0].times, 1);
	assert_int_equal(story->watched_ns, UINT64_C(100000000000));
	assert_non_null(strstr(story->headline, "% waiting for the loader, "));
	assert_non_null(strstr(story->headline, "% compute-bound: GPU 0 waits for the loader: 20 % busy"));
	assert_int_equal(story->exit_status, 1);
}

static void test_stamps_that_go_back_cost_a_tick(void **state)
{
	(void)state;
	watch(1, 0);
	for (int i = 0; i < 12; i++)
		add_tick(load, i == 6 ? 2 : i, "'gpus': [" COMPUTES("1") "]");
	add_tick(load, 1e9, "'gpus': [" COMPUTES("1") "]");
	assert_word(load, 0, "compute-bound");
	assert_true(load_story(load)->watched_ns < UINT64_C(20000000000));
}

static void test_every_word_says_something(void **state)
{
	(void)state;
	watch(0, 0);
	for (enum bottleneck i = 0; i < NR_BOTTLENECKS; i++) {
		assert_non_null(bottleneck_defs[i].word);
		assert_non_null(bottleneck_defs[i].phase);
		assert_non_null(bottleneck_defs[i].why);
		assert_non_null(strstr(bottleneck_defs[i].title, "{figures}"));
		assert_true(bottleneck_defs[i].counts == COUNTS_NOTHING || bottleneck_defs[i].next);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_nothing_before_a_second, end),
		cmocka_unit_test_teardown(test_a_word_changes_when_it_won_three_of_five, end),
		cmocka_unit_test_teardown(test_gpus_with_one_word_are_one_line, end),
		cmocka_unit_test_teardown(test_the_loader_by_its_workers, end),
		cmocka_unit_test_teardown(test_workers_at_89_are_no_limit, end),
		cmocka_unit_test_teardown(test_a_pid_that_is_used_again, end),
		cmocka_unit_test_teardown(test_unknown_is_not_0, end),
		cmocka_unit_test_teardown(test_a_lost_gpu_is_faulted, end),
		cmocka_unit_test_teardown(test_a_model_has_its_own_thresholds, end),
		cmocka_unit_test_teardown(test_a_fault_in_the_log_is_the_gpus, end),
		cmocka_unit_test_teardown(test_what_a_program_repeats_is_no_fault, end),
		cmocka_unit_test_teardown(test_a_group_that_loses_one_keeps_its_figures, end),
		cmocka_unit_test_teardown(test_a_divided_gpu_is_what_its_busiest_instance_is, end),
		cmocka_unit_test_teardown(test_a_gpu_is_as_busy_as_its_clients, end),
		cmocka_unit_test_teardown(test_a_checkpoint_is_one_of_all_its_ranks, end),
		cmocka_unit_test_teardown(test_a_display_holds_nothing, end),
		cmocka_unit_test_teardown(test_starting_gpus_is_no_fault, end),
		cmocka_unit_test_teardown(test_a_family_outlives_its_parents, end),
		cmocka_unit_test_teardown(test_processes_that_cannot_be_seen, end),
		cmocka_unit_test_teardown(test_those_that_share_and_cannot_be_seen, end),
		cmocka_unit_test_teardown(test_a_source_that_is_refused_is_told, end),
		cmocka_unit_test_teardown(test_all_of_a_job_spin, end),
		cmocka_unit_test_teardown(test_one_of_a_job_does_not_spin, end),
		cmocka_unit_test_teardown(test_a_process_until_it_holds_gpus, end),
		cmocka_unit_test_teardown(test_a_thread_that_gets_no_cpu, end),
		cmocka_unit_test_teardown(test_asleep_in_a_file_system, end),
		cmocka_unit_test_teardown(test_a_process_that_yields, end),
		cmocka_unit_test_teardown(test_many_that_sleep, end),
		cmocka_unit_test_teardown(test_threads_that_share_their_work, end),
		cmocka_unit_test_teardown(test_nothing_to_watch, end),
		cmocka_unit_test_teardown(test_a_window_is_judged_as_ticks, end),
		cmocka_unit_test_teardown(test_a_window_in_which_a_gpu_swings, end),
		cmocka_unit_test_teardown(test_a_window_is_that_of_a_process, end),
		cmocka_unit_test_teardown(test_a_source_that_is_late, end),
		cmocka_unit_test_teardown(test_phases_and_their_shares, end),
		cmocka_unit_test_teardown(test_stamps_that_go_back_cost_a_tick, end),
		cmocka_unit_test_teardown(test_every_word_says_something, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
