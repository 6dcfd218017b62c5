// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs beside one: it times deadlines. */
/* test_collect.c - in which order workers are started, and who is started no more. The program is its own worker. */
#include "base/compat.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "collect/collect.h"
#include "sys/clock.h"
#include "sys/lock.h"
#include "sys/worker.h"
#include "tests/unit/support.h"

enum { DEADLINE_MS = 2000, SLEEPS = 1 };

static const char *const nothing[] = { NULL };

static void every_gpu(const struct snapshot *snapshot, struct arena *arena, struct strs *ret)
{
	for (size_t i = 0; i < snapshot->nr_gpus; i++)
		strs_add(arena, ret, str_or(snapshot->gpus[i].key, ""));
}

static const struct probe node_probe = {
	.name = "node", .phase = PHASE_WINDOW, .touches = TOUCHES_LIBRARY, .deadline_ms = DEADLINE_MS,
	.kept_awake_deadline_ms = DEADLINE_MS, .provides = nothing,
};
static const struct probe gpu_probe = {
	.name = "each", .phase = PHASE_WINDOW, .touches = TOUCHES_LIBRARY, .deadline_ms = DEADLINE_MS,
	.kept_awake_deadline_ms = DEADLINE_MS, .provides = nothing, .targets = every_gpu,
};
static const struct probe *const table[] = { &gpu_probe, &node_probe, NULL };

static void every_device(const struct snapshot *snapshot, struct arena *arena, struct strs *ret)
{
	for (size_t i = 0; i < snapshot->nr_ocl_devices; i++)
		strs_add(arena, ret, str_or(snapshot->ocl_devices[i].key, ""));
}

static const char *gpu_of(const struct snapshot *snapshot, const char *target)
{
	const struct ocl_device *device = list_find(snapshot, ocl_devices, ocl_device, target);

	return device ? str_or(device->pci_address, NULL) : NULL;
}

static const char *const samples[] = { "gpus.load_samples", NULL };
static const struct probe load_probe = {
	.name = "load", .phase = PHASE_LOAD, .touches = TOUCHES_DEVICE, .deadline_ms = 20000,
	.kept_awake_deadline_ms = 20000, .provides = nothing, .targets = every_device,
};
static const struct probe watch_probe = {
	.name = "watch", .phase = PHASE_LOAD, .touches = TOUCHES_LIBRARY, .deadline_ms = 20000,
	.kept_awake_deadline_ms = 20000, .provides = samples, .beside = &load_probe, .target_beside = gpu_of,
	.ends_on_sigterm = true,
};
static const struct probe *const loads[] = { &load_probe, &watch_probe, NULL };

enum { LOAD_MS = 150 };

/* Watches until it is told to end; the second GPU's hangs then, the third's crashes at once. */
static int be_watch(struct sink *sink, const char *target)
{
	const volatile int *end = worker_child_catch_sigterm();
	struct gpu *gpu;

	if (!strcmp(target, "0000:03:00.0"))
		raise(SIGSEGV);
	sink_step(sink, "look");
	while (!*end || !strcmp(target, "0000:02:00.0"))
		usleep(1000);
	gpu = list_element(&sink->facts.arena, &sink->facts, gpus, gpu, target);
	list_element(&sink->facts.arena, gpu, load_samples, load_sample,
		     arena_printf(&sink->facts.arena, "%012llu", (unsigned long long)clock_now_ns() / 1000000));
	return sink_end(sink, PROBE_OK, NULL);
}

/* As the middle GPU's worker it hangs, as the last one's it dies when it is done; as any other it is done at once. */
static int be_worker(const char *name, const char *target)
{
	struct sink sink = { .fd = WORKER_FRAME_FD, .lock_fd = -1 };

	if (worker_child_setup())
		return 1;
	if (target && !strcmp(name, "watch"))
		return be_watch(&sink, target);
	if (!strcmp(name, "load"))
		usleep(LOAD_MS * 1000);
	sink_step(&sink, "ask");
	if (target && !strcmp(target, "0000:02:00.0"))
		for (;;)
			sleep(SLEEPS);
	if (target && !strcmp(target, "0000:04:00.0")) {
		(void)sink_end(&sink, PROBE_OK, NULL);
		raise(SIGUSR1);
	}
	return sink_end(&sink, PROBE_OK, NULL);
}

static bool always(const struct snapshot *snapshot, const struct probe *probe, void *data)
{
	(void)snapshot;
	*(bool *)data |= probe == &gpu_probe;
	return probe == &gpu_probe;
}

static const struct probe_run *run_of(const struct snapshot *snapshot, const char *key)
{
	const struct probe_run *run = list_find(snapshot, probes, probe_run, key);

	if (!run)
		fail_msg("no run of %s", key);
	return run;
}

static void look(struct snapshot *snapshot, bool serially)
{
	static const char *const addresses[] = { "0000:01:00.0", "0000:02:00.0", "0000:03:00.0", "0000:04:00.0" };
	struct root root = ROOT_LIVE;
	int cancel = 0;
	bool asked = false;
	struct collect_options options = {
		.root = &root, .probes = table, .cancel = &cancel, .serially = serially ? always : NULL, .data = &asked,
	};

	/* No time is granted for waking them. */
	list_element(&snapshot->arena, snapshot, daemons, daemon, "7")->comm = val_str("nvidia-persistenced");
	for (size_t i = 0; i < ARRAY_SIZE(addresses); i++) {
		struct gpu *gpu = list_element(&snapshot->arena, snapshot, gpus, gpu, addresses[i]);

		gpu->pci.vendor_id = val_str("0x10de");
		gpu->pci.driver = val_str("nvidia");
	}
	collect(snapshot, &options);
	assert_int_equal(asked, serially);
}

static void test_side_by_side_one_that_hangs_keeps_nobody(void **state)
{
	struct snapshot snapshot = { .nr_gpus = 0 };

	(void)state;
	look(&snapshot, false);
	assert_string_equal(str_or(run_of(&snapshot, "node")->outcome, ""), "ok");
	assert_string_equal(str_or(run_of(&snapshot, "each 0000:01:00.0")->outcome, ""), "ok");
	assert_string_equal(str_or(run_of(&snapshot, "each 0000:02:00.0")->outcome, ""), "timeout");
	assert_string_equal(str_or(run_of(&snapshot, "each 0000:03:00.0")->outcome, ""), "ok");
	/* It had said all. */
	assert_string_equal(str_or(run_of(&snapshot, "each 0000:04:00.0")->outcome, ""), "ok");
	assert_string_equal(str_or(run_of(&snapshot, "each 0000:04:00.0")->exit_why, ""), "killed by SIGUSR1");
	snapshot_release(&snapshot);
}

static void test_one_by_one_nobody_is_asked_after_one_that_hangs(void **state)
{
	struct snapshot snapshot = { .nr_gpus = 0 };

	(void)state;
	look(&snapshot, true);
	assert_string_equal(str_or(run_of(&snapshot, "node")->outcome, ""), "ok");
	assert_string_equal(str_or(run_of(&snapshot, "each 0000:01:00.0")->outcome, ""), "ok");
	assert_string_equal(str_or(run_of(&snapshot, "each 0000:02:00.0")->outcome, ""), "timeout");
	assert_string_equal(str_or(run_of(&snapshot, "each 0000:02:00.0")->call, ""), "ask");
	assert_string_equal(str_or(run_of(&snapshot, "each 0000:03:00.0")->outcome, ""), "refused");
	assert_string_equal(str_or(run_of(&snapshot, "each 0000:03:00.0")->why, ""), "GPU 1 did not answer before it");
	snapshot_release(&snapshot);
}

static const char *refuse_second(const struct snapshot *snapshot, const struct probe *probe, const char *target,
				 struct arena *arena, void *data)
{
	(void)snapshot;
	(void)probe;
	(void)arena;
	(void)data;
	return strstr(target, ":5") ? "it is somebody's" : NULL;
}

/* Devices 0 to 2 on a GPU each, 3 on none, 4 on the first GPU too, 5 may not be loaded. Milliseconds that it took. */
static uint64_t load(struct snapshot *snapshot, bool together)
{
	static const char *const addresses[] = {
		"0000:01:00.0", "0000:02:00.0", "0000:03:00.0", NULL, "0000:01:00.0", "0000:04:00.0",
	};
	struct root root = ROOT_LIVE;
	int cancel = 0;
	uint64_t began_ns = clock_now_ns();
	struct collect_options options = {
		.root = &root, .probes = loads, .cancel = &cancel, .refuse = refuse_second,
	};

	list_element(&snapshot->arena, snapshot, daemons, daemon, "7")->comm = val_str("nvidia-persistenced");
	snapshot->request.together = val_bool(together);
	for (size_t i = 0; i < ARRAY_SIZE(addresses); i++) {
		struct ocl_device *device = list_element(&snapshot->arena, snapshot, ocl_devices, ocl_device,
							 arena_printf(&snapshot->arena, "opencl:a.icd:%zu", i));

		if (addresses[i]) {
			device->pci_address = val_str(addresses[i]);
			list_element(&snapshot->arena, snapshot, gpus, gpu, addresses[i]);
		}
	}
	collect(snapshot, &options);
	return (clock_now_ns() - began_ns) / 1000000;
}

static void assert_watched(const struct snapshot *snapshot, size_t watches_of_first)
{
	for (unsigned i = 0; i < 5; i++) {
		char key[32];

		snprintf(key, sizeof(key), "load opencl:a.icd:%u", i);
		assert_string_equal(str_or(run_of(snapshot, key)->outcome, ""), "ok");
		assert_in_range(u64_or(run_of(snapshot, key)->elapsed_ms, 0), LOAD_MS, 20000);
	}
	assert_string_equal(str_or(run_of(snapshot, "load opencl:a.icd:5")->outcome, ""), "refused");
	assert_string_equal(str_or(run_of(snapshot, "watch 0000:01:00.0")->outcome, ""), "ok");
	assert_int_equal(snapshot->gpus[0].nr_load_samples, watches_of_first);
	/* It hung, for no longer than a call may take: that says nothing about the GPU. */
	assert_string_equal(str_or(run_of(snapshot, "watch 0000:02:00.0")->outcome, ""), "partial");
	assert_string_equal(str_or(run_of(snapshot, "watch 0000:02:00.0")->why, ""),
			    "what it watched was over, and look did not come back within 500 ms");
	assert_string_equal(str_or(run_of(snapshot, "watch 0000:03:00.0")->outcome, ""), "crashed");
	assert_null(list_find(snapshot, probes, probe_run, "watch 0000:04:00.0"));
}

static void test_a_load_is_watched_and_nothing_of_the_watch_hurts_it(void **state)
{
	struct snapshot snapshot = { .nr_gpus = 0 };

	(void)state;
	assert_true(load(&snapshot, false) >= 5 * LOAD_MS);
	assert_watched(&snapshot, 2);
	snapshot_release(&snapshot);
}

static void test_together_each_gpu_has_one_watch(void **state)
{
	struct snapshot snapshot = { .nr_gpus = 0 };
	uint64_t alone_ms, together_ms;

	(void)state;
	alone_ms = load(&snapshot, false);
	snapshot_release(&snapshot);
	snapshot = (struct snapshot){ .nr_gpus = 0 };
	together_ms = load(&snapshot, true);
	assert_watched(&snapshot, 1);
	assert_true(together_ms < alone_ms);
	snapshot_release(&snapshot);
}

/* Whoever measures has the node's lock, be it one device after the other or all at once. */
static void test_together_excludes_another_run(void **state)
{
	struct snapshot snapshot = { .nr_gpus = 0 };
	struct lock_note holder;
	char folder[256];
	int fd;

	(void)state;
	assert_int_equal(lock_folder(folder, sizeof(folder)), 0);
	fd = lock_take(folder, "load", 60000, &holder);
	assert_true(fd >= 0);
	load(&snapshot, true);
	for (size_t i = 0; i < snapshot.nr_probes; i++)
		assert_string_equal(str_or(snapshot.probes[i].outcome, ""), "refused");
	assert_string_equal(str_or(run_of(&snapshot, "load opencl:a.icd:0")->why, ""),
			    arena_printf(&snapshot.arena, "another gpudiag (pid %d) is measuring", (int)getpid()));
	snapshot_release(&snapshot);
	close(fd);
	load(&snapshot, true);
	assert_string_equal(str_or(run_of(&snapshot, "load opencl:a.icd:0")->outcome, ""), "ok");
	assert_false(lock_is_held(folder, "load", &holder));
	snapshot_release(&snapshot);
}

/* A library's daemon that kept the worker's descriptors: the lock is held, by no process that the note names. */
static void test_together_makes_up_no_number(void **state)
{
	struct snapshot snapshot = { .nr_gpus = 0 };
	struct lock_note holder;
	char folder[256];
	int ends[2];
	pid_t pid;

	(void)state;
	assert_int_equal(lock_folder(folder, sizeof(folder)), 0);
	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		char byte;

		if (lock_take(folder, "load", 60000, &holder) < 0)
			_exit(1);
		if (fork())
			_exit(0);
		close(ends[1]);
		_exit(read(ends[0], &byte, 1) != 0);	/* until the test is over */
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	load(&snapshot, true);
	assert_string_equal(str_or(run_of(&snapshot, "load opencl:a.icd:0")->outcome, ""), "refused");
	assert_string_equal(str_or(run_of(&snapshot, "load opencl:a.icd:0")->why, ""),
			    "another gpudiag, or a process that one left, is measuring");
	snapshot_release(&snapshot);
	close(ends[0]);
	close(ends[1]);
}

/* One that measures, and is long past its deadline: it hangs, but for one that somebody stopped. */
static void test_one_that_is_stopped_hangs_in_nothing(void **state)
{
	struct snapshot snapshot = { .nr_gpus = 0 };
	struct lock_note holder;
	char folder[256];
	pid_t pid;

	(void)state;
	assert_int_equal(lock_folder(folder, sizeof(folder)), 0);
	pid = fork();
	if (!pid) {
		int fd = lock_take(folder, "load", 1, &holder);

		if (fd < 0)
			_exit(1);
		lock_note_call(fd, "opencl:a.icd:0", 0);
		raise(SIGSTOP);
		pause();
	}
	assert_int_equal(waitpid(pid, NULL, WUNTRACED), pid);
	sleep(3);
	load(&snapshot, true);
	assert_string_equal(str_or(run_of(&snapshot, "load opencl:a.icd:0")->outcome, ""), "refused");
	snapshot_release(&snapshot);
	kill(pid, SIGCONT);
	load(&snapshot, true);
	assert_string_equal(str_or(run_of(&snapshot, "load opencl:a.icd:0")->outcome, ""), "stuck");
	snapshot_release(&snapshot);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* ---- probes that share processes: one for each of eight GPUs, which says what its environment holds */

#define SHARED_VARIABLE "TEST_COLLECT_GPU"

static void name_gpu(const struct snapshot *snapshot, const char *target, struct arena *arena, struct strs *ret)
{
	(void)snapshot;
	strs_add(arena, ret, arena_printf(arena, SHARED_VARIABLE "=%s", target));
}

static const char *const models[] = { "gpus.nvidia.model", NULL };
static const struct probe files_probe = {
	.name = "files", .phase = PHASE_DEVICE_FILES, .touches = TOUCHES_FILES, .deadline_ms = 400, .provides = models,
	.targets = every_gpu, .environment = name_gpu,
};
static const struct probe *const files[] = { &files_probe, NULL };

/* The second hangs, the third crashes, the fourth ends before it is done. */
static int read_gpu(const char *target)
{
	struct sink sink = { .fd = WORKER_FRAME_FD, .lock_fd = -1 };
	struct gpu *gpu;

	sink_step(&sink, "read");
	if (!strcmp(target, "0000:02:00.0"))
		for (;;)
			sleep(SLEEPS);
	if (!strcmp(target, "0000:03:00.0"))
		raise(SIGSEGV);
	if (!strcmp(target, "0000:04:00.0"))
		return 7;
	gpu = list_element(&sink.facts.arena, &sink.facts, gpus, gpu, target);
	gpu->nvidia.model = val_str(arena_strdup(&sink.facts.arena, getenv(SHARED_VARIABLE)));
	return sink_end(&sink, PROBE_OK, NULL);
}

/* A process that takes the last dies before it says so; one that takes the sixth says it twice. */
static int be_shared(int argc, char **argv)
{
	struct probe_turn turn;
	int r = 0;

	if (worker_child_setup())
		return 1;
	if (strcmp(argv[2], "--shared") != 0)
		return read_gpu(argv[3]);
	while (!r && read(worker_shared_fd(), &turn, sizeof(turn)) == sizeof(turn)) {
		struct sink sink = { .fd = WORKER_FRAME_FD, .lock_fd = -1 };
		char **one = argv + 3 + 4 * (size_t)turn.number;

		if (one + 3 >= argv + argc)
			return 1;
		if (!strcmp(one[1], "0000:08:00.0"))
			return 0;
		sink_begin(&sink, turn.number);
		if (!strcmp(one[1], "0000:06:00.0"))
			sink_begin(&sink, turn.number);
		putenv(one[2]);
		r = read_gpu(one[1]);
	}
	return r;
}

static void look_at_files(struct snapshot *snapshot, const volatile int *cancel)
{
	struct root root = ROOT_LIVE;
	struct collect_options options = { .root = &root, .probes = files, .cancel = cancel, .worker_main = be_shared };

	for (unsigned i = 1; i <= 8; i++)
		list_element(&snapshot->arena, snapshot, gpus, gpu,
			     arena_printf(&snapshot->arena, "0000:%02u:00.0", i));
	collect(snapshot, &options);
}

static void test_those_that_share_a_process_do_not_share_its_end(void **state)
{
	static const char *const outcomes[] = { "ok", "timeout", "crashed", "crashed", "ok", "garbled", "ok", "ok" };
	struct snapshot snapshot = { .nr_gpus = 0 };
	uint64_t began_ns = clock_now_ns();
	const int cancel = 0;

	(void)state;
	look_at_files(&snapshot, &cancel);
	for (size_t i = 0; i < ARRAY_SIZE(outcomes); i++) {
		const char *address = str_or(snapshot.gpus[i].key, "");
		const struct probe_run *run = run_of(&snapshot, arena_printf(&snapshot.arena, "files %s", address));

		assert_string_equal(str_or(run->outcome, ""), outcomes[i]);
		if (!strcmp(outcomes[i], "ok"))
			assert_string_equal(str_or(snapshot.gpus[i].nvidia.model, ""), address);
		else
			assert_false(is_known(snapshot.gpus[i].nvidia.model));
		/* Its own time, not that of those before it. */
		assert_int_equal(u64_or(run->deadline_ms, 0), 400);
	}
	assert_string_equal(str_or(run_of(&snapshot, "files 0000:02:00.0")->call, ""), "read");
	assert_in_range(u64_or(run_of(&snapshot, "files 0000:02:00.0")->elapsed_ms, 0), 400, 20000);
	assert_string_equal(str_or(run_of(&snapshot, "files 0000:03:00.0")->why, ""), "killed by SIGSEGV");
	assert_string_equal(str_or(run_of(&snapshot, "files 0000:04:00.0")->why, ""),
			    "exited with status 7 before it was done");
	assert_true(clock_now_ns() - began_ns < UINT64_C(20000000000));
	snapshot_release(&snapshot);
}

static void count_second(void *data)
{
	++*(unsigned *)data;
}

static void test_each_second_is_told_to_the_caller(void **state)
{
	struct probe slow = files_probe;
	const struct probe *const only_slow[] = { &slow, NULL };
	struct snapshot snapshot = { .nr_gpus = 0 };
	struct root root = ROOT_LIVE;
	unsigned seconds = 0;
	const int cancel = 0;
	struct collect_options options = {
		.root = &root, .probes = only_slow, .cancel = &cancel, .worker_main = be_shared, .second = count_second,
		.data = &seconds,
	};

	(void)state;
	slow.deadline_ms = 1500;
	list_element(&snapshot.arena, &snapshot, gpus, gpu, "0000:02:00.0");
	collect(&snapshot, &options);
	assert_in_range(seconds, 1, 20);
	snapshot_release(&snapshot);
}

static void test_of_an_interrupted_run_none_is_lost(void **state)
{
	struct snapshot snapshot = { .nr_gpus = 0 };
	const int cancel = SIGINT;

	(void)state;
	look_at_files(&snapshot, &cancel);
	assert_int_equal(snapshot.nr_probes, 8);
	for (size_t i = 0; i < snapshot.nr_probes; i++)
		assert_string_equal(str_or(snapshot.probes[i].outcome, ""), "interrupted");
	snapshot_release(&snapshot);
}

static int begin(void **state)
{
	(void)state;
	return scratch_make() && !setenv("GPUDIAG_RUNTIME_DIR", scratch_folder, 1) ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	scratch_remove();
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_side_by_side_one_that_hangs_keeps_nobody),
		cmocka_unit_test(test_one_by_one_nobody_is_asked_after_one_that_hangs),
		cmocka_unit_test(test_a_load_is_watched_and_nothing_of_the_watch_hurts_it),
		cmocka_unit_test(test_together_each_gpu_has_one_watch),
		cmocka_unit_test_setup_teardown(test_together_excludes_another_run, begin, end),
		cmocka_unit_test_setup_teardown(test_together_makes_up_no_number, begin, end),
		cmocka_unit_test_setup_teardown(test_one_that_is_stopped_hangs_in_nothing, begin, end),
		cmocka_unit_test(test_those_that_share_a_process_do_not_share_its_end),
		cmocka_unit_test(test_each_second_is_told_to_the_caller),
		cmocka_unit_test(test_of_an_interrupted_run_none_is_lost),
	};

	if (argc > 1 && !strcmp(argv[1], "probe--worker"))
		return be_worker(argv[2], argc > 3 ? argv[3] : NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
