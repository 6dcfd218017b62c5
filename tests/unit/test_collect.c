// SPDX-License-Identifier: GPL-2.0-or-later
/* test_collect.c - in which order workers are started, and who is started no more. The program is its own worker. */
#include "base/compat.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "probe/collect.h"
#include "sys/worker.h"

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

/* As the middle GPU's worker it hangs, as the last one's it dies when it is done; as any other it is done at once. */
static int be_worker(const char *target)
{
	struct sink sink = { .fd = WORKER_FRAME_FD, .lock_fd = -1 };

	if (worker_child_setup())
		return 1;
	sink_step(&sink, "ask");
	if (target && !strcmp(target, "0000:02:00.0"))
		for (;;)
			sleep(SLEEPS);
	if (target && !strcmp(target, "0000:04:00.0")) {
		(void)sink_end(&sink, PROBE_OK, NULL);
		raise(SIGTERM);
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
	assert_string_equal(str_or(run_of(&snapshot, "each 0000:04:00.0")->outcome, ""), "crashed");
	/* Its call came back. */
	assert_string_equal(str_or(run_of(&snapshot, "each 0000:04:00.0")->call, ""), "exit");
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

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_side_by_side_one_that_hangs_keeps_nobody),
		cmocka_unit_test(test_one_by_one_nobody_is_asked_after_one_that_hangs),
	};

	if (argc > 1 && !strcmp(argv[1], "probe--worker"))
		return be_worker(argc > 3 ? argv[3] : NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
