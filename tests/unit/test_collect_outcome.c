// SPDX-License-Identifier: GPL-2.0-or-later
/* test_collect_outcome.c - how the end of a worker becomes an outcome, and what is recorded of it. */
#include "base/compat.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "collect/collect_internal.h"
#include "sys/worker.h"
#include "tests/unit/support.h"

enum { CALLS_MS = 5000, OWN_MS = 35000, TOTAL_MS = 80000 };

static const char *const paths[] = { "host.kernel", NULL };
static const struct probe library_probe = { .name = "it", .touches = TOUCHES_LIBRARY, .provides = paths };
static const struct probe files_probe = { .name = "it", .touches = TOUCHES_FILES, .provides = paths };

static struct snapshot snapshot;
static struct collection collection = { .snapshot = &snapshot };
static struct worker worker;
static struct job job;

/* A worker that was silent at its last call, for the 5 s of a call and the 30 s of watching that it may be. */
static int begin(void **state)
{
	(void)state;
	worker = (struct worker){
		.deadline_ms = TOTAL_MS, .quiet_ms = OWN_MS, .was_quiet = true, .silent_ns = OWN_MS * UINT64_C(1000000),
		.output = STRBUF_INIT,
	};
	job = (struct job){
		.probe = &library_probe, .key = "it", .worker = &worker,
		.calls_deadline_ms = CALLS_MS, .own_deadline_ms = OWN_MS, .total_ms = TOTAL_MS,
		.reader = { .call = "nvmlInit_v2", .scope = { .paths = paths } },
	};
	return 0;
}

static int end(void **state)
{
	(void)state;
	snapshot_release(&snapshot);
	strbuf_release(&worker.output);
	return 0;
}

static void judge(enum worker_end end, int status)
{
	worker.end = end;
	worker.status = status;
	judge_end(&collection, &job);
}

static void assert_outcome(enum probe_outcome outcome, const char *why)
{
	assert_string_equal(probe_outcome_name(job.outcome), probe_outcome_name(outcome));
	if (why)
		assert_string_equal(job.why ? job.why : "(nothing)", why);
	else
		assert_null(job.why);
}

/* The worker said its last frame. */
static void said_end(enum probe_outcome outcome, const char *why)
{
	job.reader.ended = true;
	job.reader.outcome = outcome;
	snprintf(job.reader.why, sizeof(job.reader.why), "%s", why);
}

static void one_that_said_how_it_went_is_believed(void **state)
{
	(void)state;
	said_end(PROBE_OK, "");
	judge(WORKER_EXITED, 0);
	assert_outcome(PROBE_OK, NULL);
	said_end(PROBE_DENIED, "EACCES");
	judge(WORKER_EXITED, 0);
	assert_outcome(PROBE_DENIED, "EACCES");
	assert_string_equal(last_call(&job), "nvmlInit_v2");
}

static void one_that_left_without_a_word_has_crashed(void **state)
{
	(void)state;
	judge(WORKER_EXITED, 0);
	assert_outcome(PROBE_CRASHED, "exited with status 0 before it was done");
	judge(WORKER_EXITED, 101);
	assert_outcome(PROBE_CRASHED, "exited with status 101 before it was done");
	judge(WORKER_SIGNALLED, SIGSEGV);
	assert_outcome(PROBE_CRASHED, "killed by SIGSEGV");
	judge(WORKER_SIGNALLED, 39);
	assert_outcome(PROBE_CRASHED, "killed by signal 39");
	assert_string_equal(last_call(&job), "nvmlInit_v2");
}

static void assert_exit(const char *why)
{
	assert_outcome(PROBE_OK, NULL);
	assert_string_equal(job.exit_why ? job.exit_why : "(nothing)", why);
	assert_string_equal(last_call(&job), "nvmlInit_v2");
}

/* A library's destructor. */
static void what_fails_when_all_was_said_costs_no_answer(void **state)
{
	(void)state;
	said_end(PROBE_OK, "");
	judge(WORKER_SIGNALLED, SIGABRT);
	assert_exit("killed by SIGABRT");
	judge(WORKER_EXITED, 7);
	assert_exit("exit status 7");
	worker.quiet_ms = 5000;
	judge(WORKER_TIMED_OUT, 0);
	assert_exit("still there after 5 s");
	worker.pid = 4711;
	worker.state = 'D';
	judge(WORKER_STUCK, 0);
	assert_exit("still there after 5 s, and it cannot be killed");
	assert_int_equal(job.pid, 4711);
	record_job(&snapshot, &job);
	assert_string_equal(str_or(snapshot.probes[0].exit_why, ""), job.exit_why);
	assert_int_equal(snapshot.host.kernel.state, VAL_UNSET);
	/* Ended by somebody else, or by the run's own limit. */
	judge(WORKER_SIGNALLED, SIGKILL);
	assert_exit("(nothing)");
	worker.was_quiet = false;
	judge(WORKER_TIMED_OUT, 0);
	assert_exit("(nothing)");
	judge(WORKER_CANCELLED, 0);
	assert_outcome(PROBE_INTERRUPTED, NULL);
	/* What says more than its end cannot be believed. */
	judge(WORKER_GARBLED, 0);
	assert_outcome(PROBE_GARBLED, "a line or a stream too long, or cut short");
}

/* A memory limit, an administrator, a job that ends. */
static void one_that_somebody_killed_says_nothing_of_a_driver(void **state)
{
	(void)state;
	collection.room = (struct host_room){ .group_kills = HOST_ROOM_UNKNOWN, .host_kills = HOST_ROOM_UNKNOWN };
	judge(WORKER_SIGNALLED, SIGKILL);
	assert_outcome(PROBE_INTERRUPTED, "killed by SIGKILL from outside: by a person, a supervisor or a job's limit");
	judge(WORKER_SIGNALLED, SIGTERM);
	assert_outcome(PROBE_INTERRUPTED, "ended by SIGTERM from outside");
	worker.was_dismissed = true;
	judge(WORKER_SIGNALLED, SIGKILL);
	assert_outcome(PROBE_INTERRUPTED, "killed by SIGKILL from outside: by a person, a supervisor or a job's limit");
}

/* Many slow answers, and no time for all of them. */
static void one_that_answers_to_the_end_hangs_in_nothing(void **state)
{
	(void)state;
	worker.was_quiet = false;
	worker.silent_ns = 60000000;
	judge(WORKER_TIMED_OUT, 0);
	assert_outcome(PROBE_INTERRUPTED, "answers, but slowly: not done within 1 min 20 s (last call: nvmlInit_v2)");
	/* Nor where its last call was in the kernel when it was killed. */
	worker.state = 'D';
	judge(WORKER_STUCK, 0);
	assert_outcome(PROBE_INTERRUPTED, "answers, but slowly: not done within 1 min 20 s (last call: nvmlInit_v2)");
	worker.silent_ns = 600000000;
	worker.longest_ns = 400000000;
	judge(WORKER_STUCK, 0);
	assert_outcome(PROBE_INTERRUPTED, "answers, but slowly: not done within 1 min 20 s (last call: nvmlInit_v2)");
	record_job(&snapshot, &job);
	assert_int_equal(snapshot.host.kernel.state, VAL_SKIPPED);
}

static void silence_until_its_deadline_is_a_timeout(void **state)
{
	(void)state;
	judge(WORKER_TIMED_OUT, 0);
	assert_outcome(PROBE_TIMEOUT, "no answer within 35 s");
	/* A call that was announced to take 2 s and did not come back. */
	worker.quiet_ms = 2000;
	assert_int_equal(held_to_ms(&worker), 2000);
	judge(WORKER_TIMED_OUT, 0);
	assert_outcome(PROBE_TIMEOUT, "no answer within 2 s");
	/* So it is where the run had less time left: the call had all it was to have. */
	worker.deadline_ms = 3000;
	judge(WORKER_TIMED_OUT, 0);
	assert_outcome(PROBE_TIMEOUT, "no answer within 2 s");
}

static void the_runs_own_limit_blames_nobody(void **state)
{
	(void)state;
	worker.was_quiet = false;
	worker.deadline_ms = OWN_MS - 1;
	judge(WORKER_TIMED_OUT, 0);
	assert_outcome(PROBE_INTERRUPTED,
		       "no answer from nvmlInit_v2 when the time for the whole run was up (--timeout), "
		       "after 34999 of 35000 ms");
	*job.reader.call = '\0';
	judge(WORKER_TIMED_OUT, 0);
	assert_non_null(strstr(job.why, "no answer from its start when"));
}

static void work_without_end_is_no_hang_where_only_files_are_read(void **state)
{
	(void)state;
	worker.was_running = true;
	judge(WORKER_TIMED_OUT, 0);
	assert_outcome(PROBE_TIMEOUT, "no answer within 35 s");
	job.probe = &files_probe;
	judge(WORKER_TIMED_OUT, 0);
	assert_outcome(PROBE_INTERRUPTED, "still at work in nvmlInit_v2 after 35000 ms, and nothing kept it waiting");
}

static void only_one_that_sits_in_the_kernel_is_stuck(void **state)
{
	(void)state;
	worker.pid = 4711;
	worker.state = 'D';
	judge(WORKER_STUCK, 0);
	assert_outcome(PROBE_STUCK, "no answer within 35 s, and it cannot be killed");
	assert_int_equal(job.pid, 4711);
	/* It takes its time to die. */
	job.pid = 0;
	worker.state = 'R';
	judge(WORKER_STUCK, 0);
	assert_outcome(PROBE_TIMEOUT, "no answer within 35 s");
	assert_int_equal(job.pid, 0);
	/* The run's own limit came first, and all the same it cannot be killed. */
	worker.state = 'D';
	worker.deadline_ms = 1000;
	worker.was_quiet = false;
	worker.silent_ns = 400000000;
	worker.longest_ns = 30000000;
	judge(WORKER_STUCK, 0);
	assert_outcome(PROBE_STUCK, "no answer within 1 s, and it cannot be killed");
}

static void what_cannot_be_read_is_garbled(void **state)
{
	(void)state;
	judge(WORKER_GARBLED, 0);
	assert_outcome(PROBE_GARBLED, "a line or a stream too long, or cut short");
	snprintf(job.reader.error.what, sizeof(job.reader.error.what), "a frame after the end");
	judge(WORKER_GARBLED, 0);
	assert_outcome(PROBE_GARBLED, "a frame after the end");
}

/* No descriptors, no memory, no more processes: that is this machine's, and nothing any device said. */
static void one_that_was_not_started_did_not_look(void **state)
{
	(void)state;
	*job.reader.call = '\0';
	judge(WORKER_NOT_STARTED, -EMFILE);
	assert_outcome(PROBE_INTERRUPTED, "its process could not be started: EMFILE");
	record_job(&snapshot, &job);
	assert_int_equal(snapshot.host.kernel.state, VAL_SKIPPED);
	assert_string_equal(snapshot.host.kernel.why, "its process could not be started: EMFILE");
}

static void an_interrupted_run_interrupts_its_workers(void **state)
{
	(void)state;
	judge(WORKER_CANCELLED, 0);
	assert_outcome(PROBE_INTERRUPTED, NULL);
	record_job(&snapshot, &job);
	assert_string_equal(str_or(snapshot.probes[0].outcome, ""), "interrupted");
	assert_int_equal(snapshot.host.kernel.state, VAL_SKIPPED);
	assert_string_equal(snapshot.host.kernel.why, "the run was interrupted");
}

/* Watches, whose load has ended. */
static void one_that_was_dismissed(void **state)
{
	(void)state;
	worker.was_dismissed = true;
	judge(WORKER_SIGNALLED, SIGTERM);
	assert_outcome(PROBE_PARTIAL, "what it was to watch was over before it could look");
	worker.silent_ns = (CALLS_MS - 1) * UINT64_C(1000000);
	judge(WORKER_TIMED_OUT, 0);
	assert_outcome(PROBE_PARTIAL, "what it watched was over, and nvmlInit_v2 did not come back within 500 ms");
	/* It was silent before already, for as long as any call may be. */
	worker.silent_ns += 1000000;
	judge(WORKER_TIMED_OUT, 0);
	assert_outcome(PROBE_TIMEOUT, "what it watched was over, and nvmlInit_v2 did not come back within 500 ms");
	worker.pid = 4711;
	judge(WORKER_STUCK, 0);
	assert_int_equal(job.pid, 4711);
	/* That has nothing to do with its dismissal. */
	judge(WORKER_SIGNALLED, SIGSEGV);
	assert_outcome(PROBE_CRASHED, "killed by SIGSEGV");
	judge(WORKER_GARBLED, 0);
	assert_outcome(PROBE_GARBLED, "a line or a stream too long, or cut short");
	said_end(PROBE_OK, "");
	judge(WORKER_EXITED, 0);
	assert_outcome(PROBE_OK, NULL);
}

static void assert_left(enum probe_outcome outcome, const char *why, enum val_state left, const char *detail)
{
	struct snapshot facts = { .nr_gpus = 0 };

	job.outcome = outcome;
	job.why = why;
	record_job(&facts, &job);
	assert_string_equal(str_or(facts.probes[0].outcome, ""), probe_outcome_name(outcome));
	assert_int_equal(facts.host.kernel.state, left);
	if (detail)
		assert_string_equal(facts.host.kernel.why ? facts.host.kernel.why : "", detail);
	snapshot_release(&facts);
}

/* What a worker that failed left unset is not what nobody looked for. */
static void values_that_are_missing_say_why(void **state)
{
	(void)state;
	assert_left(PROBE_OK, NULL, VAL_UNSET, NULL);
	assert_left(PROBE_PARTIAL, "no time", VAL_UNSET, NULL);
	assert_left(PROBE_TIMEOUT, "no answer within 35 s", VAL_TIMEOUT, "in nvmlInit_v2");
	assert_left(PROBE_STUCK, "no answer within 35 s, and it cannot be killed", VAL_TIMEOUT, "in nvmlInit_v2");
	assert_left(PROBE_UNAVAILABLE, "no library", VAL_ABSENT, "no library");
	assert_left(PROBE_DENIED, "EACCES", VAL_DENIED, "EACCES");
	assert_left(PROBE_REFUSED, "it is somebody's", VAL_SKIPPED, "it is somebody's");
	assert_left(PROBE_CRASHED, "killed by SIGSEGV", VAL_ERROR, "crashed in nvmlInit_v2: killed by SIGSEGV");
	assert_left(PROBE_GARBLED, "a frame after the end", VAL_ERROR, "garbled in nvmlInit_v2: a frame after the end");
}

static void a_gpu_that_sleeps_was_not_asked_for_that(void **state)
{
	struct gpu *gpu = list_element(&snapshot.arena, &snapshot, gpus, gpu, "0000:01:00.0");
	static const char *const of_gpu[] = { "gpus.pci.model", NULL };

	(void)state;
	gpu->pci.runtime_status = val_str("suspended");
	job.target = "0000:01:00.0";
	job.worker = NULL;
	job.reader.scope = (struct merge_scope){ .paths = of_gpu, .key = job.target };
	job.outcome = PROBE_REFUSED;
	job.why = "it is asleep";
	record_job(&snapshot, &job);
	assert_int_equal(snapshot.gpus[0].pci.model.state, VAL_ASLEEP);
	assert_false(is_known(snapshot.probes[0].elapsed_ms));
}

static void what_it_printed_is_kept_clean(void **state)
{
	(void)state;
	strbuf_addstr(&worker.output, "\xff""driver's complaint");
	worker.elapsed_ns = UINT64_C(1500000);
	snprintf(worker.wchan, sizeof(worker.wchan), "nvidia_ioctl");
	job.outcome = PROBE_STUCK;
	job.pid = 4711;
	record_job(&snapshot, &job);
	assert_non_null(strstr(str_or(snapshot.probes[0].output, ""), "driver's complaint"));
	assert_null(strchr(str_or(snapshot.probes[0].output, ""), '\xff'));
	assert_string_equal(str_or(snapshot.probes[0].wchan, ""), "nvidia_ioctl");
	assert_int_equal(u64_or(snapshot.probes[0].elapsed_ms, 0), 1);
	assert_int_equal(u64_or(snapshot.probes[0].deadline_ms, 0), OWN_MS);
	assert_int_equal(u64_or(snapshot.probes[0].pid, 0), 4711);
}

static void a_watch_that_was_never_asked_for_leaves_nothing(void **state)
{
	(void)state;
	job.is_not_needed = true;
	job.worker = NULL;
	record_job(&snapshot, &job);
	assert_int_equal(snapshot.nr_probes, 0);
	assert_int_equal(snapshot.host.kernel.state, VAL_UNSET);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(one_that_said_how_it_went_is_believed),
		TEST(one_that_left_without_a_word_has_crashed),
		TEST(what_fails_when_all_was_said_costs_no_answer),
		TEST(one_that_somebody_killed_says_nothing_of_a_driver),
		TEST(one_that_answers_to_the_end_hangs_in_nothing),
		TEST(silence_until_its_deadline_is_a_timeout),
		TEST(the_runs_own_limit_blames_nobody),
		TEST(work_without_end_is_no_hang_where_only_files_are_read),
		TEST(only_one_that_sits_in_the_kernel_is_stuck),
		TEST(what_cannot_be_read_is_garbled),
		TEST(one_that_was_not_started_did_not_look),
		TEST(an_interrupted_run_interrupts_its_workers),
		TEST(one_that_was_dismissed),
		TEST(values_that_are_missing_say_why),
		TEST(a_gpu_that_sleeps_was_not_asked_for_that),
		TEST(what_it_printed_is_kept_clean),
		TEST(a_watch_that_was_never_asked_for_leaves_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
