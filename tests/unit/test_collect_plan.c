// SPDX-License-Identifier: GPL-2.0-or-later
/* test_collect_plan.c - which workers a phase has, in which order, and what time each of them. */
#include "base/compat.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "collect/collect_internal.h"
#include "sys/clock.h"
#include "tests/unit/support.h"

static struct snapshot snapshot;
static struct root root;
static struct collect_options options;
static struct collection collection;
static int cancel;

static const char *const nothing[] = { NULL };

static void every_gpu(const struct snapshot *of, struct arena *arena, struct strs *ret)
{
	for (size_t i = 0; i < of->nr_gpus; i++)
		strs_add(arena, ret, str_or(of->gpus[i].key, ""));
}

static bool has_gpus(const struct snapshot *of)
{
	return of->nr_gpus > 0;
}

static unsigned watches_a_minute(const struct snapshot *of)
{
	(void)of;
	return 60000;
}

static const struct probe node = { .name = "node", .phase = PHASE_NODE, .deadline_ms = 1000, .provides = nothing };
static const struct probe live = { .name = "live", .phase = PHASE_NODE, .live_only = true, .provides = nothing };
static const struct probe library = {
	.name = "library", .phase = PHASE_NODE, .live_only = true, .takes_driver_root = true, .provides = nothing,
};
static const struct probe of_gpus = {
	.name = "of-gpus", .phase = PHASE_NODE, .applies = has_gpus, .provides = nothing,
};
static const struct probe each = {
	.name = "each", .phase = PHASE_WINDOW, .touches = TOUCHES_LIBRARY, .deadline_ms = 2000,
	.kept_awake_deadline_ms = 500, .watches_ms = watches_a_minute, .targets = every_gpu, .provides = nothing,
};
static const struct probe other = { .name = "other", .phase = PHASE_WINDOW, .targets = every_gpu, .provides = nothing };
static const struct probe icd = {
	.name = "icd", .phase = PHASE_LIBRARY, .targets = every_gpu, .target_is_prefix = true, .provides = nothing,
};
static const struct probe load = {
	.name = "load", .phase = PHASE_LOAD, .touches = TOUCHES_DEVICE, .targets = every_gpu, .provides = nothing,
};

static const char *slot_of(const struct snapshot *of, const char *target)
{
	return str_or(list_find(of, gpus, gpu, target)->pci.model, NULL);
}

static const struct probe watch = {
	.name = "watch", .phase = PHASE_LOAD, .beside = &load, .target_beside = slot_of, .provides = nothing,
};
static const struct probe *const table[] = {
	&node, &live, &library, &of_gpus, &each, &other, &icd, &load, &watch, NULL,
};

static struct gpu *add_gpu(const char *key)
{
	return list_element(&snapshot.arena, &snapshot, gpus, gpu, key);
}

static int begin(void **state)
{
	(void)state;
	root = (struct root)ROOT_LIVE;
	cancel = 0;
	options = (struct collect_options){ .root = &root, .probes = table, .cancel = &cancel };
	collection = (struct collection){ .snapshot = &snapshot, .options = &options, .started_ns = clock_now_ns() };
	return 0;
}

static int end(void **state)
{
	(void)state;
	snapshot_release(&snapshot);
	return 0;
}

/* "node, each 01, each 02 | other 01": after the bar those that are started alone. */
static void assert_plan(const struct job_list *list, const char *expected)
{
	STRBUF_AUTO text = STRBUF_INIT;

	for (size_t i = 0; i < list->nr; i++)
		strbuf_addf(&text, "%s%s", i && i == list->nr_at_once ? " | " : i ? ", " : "", list->v[i].key);
	assert_string_equal(text.buf, expected);
}

static void assert_phase(enum probe_phase phase, const char *expected)
{
	struct job_list list = plan_phase(&collection, phase);

	assert_plan(&list, expected);
}

static bool not_node(const struct probe *probe, void *data)
{
	(void)data;
	return probe != &node;
}

static void a_phase_has_what_is_wanted_and_applies(void **state)
{
	(void)state;
	assert_phase(PHASE_NODE, "node, live, library");
	assert_phase(PHASE_WINDOW, "");
	add_gpu("01");
	assert_phase(PHASE_NODE, "node, live, library, of-gpus");
	options.wanted = not_node;
	assert_phase(PHASE_NODE, "live, library, of-gpus");
	assert_phase(PHASE_MANAGEMENT, "");
}

static void a_recorded_tree_has_no_library_but_one_that_was_put_beside_it(void **state)
{
	(void)state;
	root = (struct root){ .fd = 7, .path = "/somewhere" };	/* which nobody reads */
	assert_phase(PHASE_NODE, "node");
	snapshot.request.driver_root = val_str("/elsewhere");
	assert_phase(PHASE_NODE, "node, library");
}

static bool each_waits(const struct snapshot *of, const struct probe *probe, void *data)
{
	(void)of;
	(void)data;
	return probe == &each || probe == &node;
}

static void those_that_wait_come_last_and_alone(void **state)
{
	(void)state;
	add_gpu("01");
	add_gpu("02");
	assert_phase(PHASE_WINDOW, "each 01, each 02, other 01, other 02");
	options.serially = each_waits;
	assert_phase(PHASE_WINDOW, "other 01, other 02 | each 01, each 02");
	/* Without targets there is nobody to wait for. */
	assert_phase(PHASE_NODE, "node, live, library, of-gpus");
}

static void what_a_worker_may_write_is_its_targets(void **state)
{
	struct job_list list;

	(void)state;
	add_gpu("pocl.icd");
	list = plan_phase(&collection, PHASE_LIBRARY);
	assert_string_equal(list.v[0].reader.scope.key, "pocl.icd");
	assert_string_equal(list.v[0].reader.scope.key_prefix, "opencl:pocl.icd:");
	assert_ptr_equal(list.v[0].reader.snapshot, &snapshot);
	list = plan_phase(&collection, PHASE_WINDOW);
	assert_string_equal(list.v[0].reader.scope.key, "pocl.icd");
	assert_null(list.v[0].reader.scope.key_prefix);
}

/* Two of one GPU's devices, one of another's, one of none. */
static void each_load_stands_behind_its_watch(void **state)
{
	struct job_list loads, list;

	(void)state;
	add_gpu("a")->pci.model = val_str("slot1");
	add_gpu("b")->pci.model = val_str("slot2");
	add_gpu("c")->pci.model = val_str("slot1");
	add_gpu("d");
	loads = plan_phase(&collection, PHASE_LOAD);
	assert_plan(&loads, "load a, load b, load c, load d");
	list = plan_watches(&collection, loads.v, loads.nr);
	assert_plan(&list, "watch slot1, load a, watch slot2, load b, watch slot1, load c, load d");
	assert_ptr_equal(list.v[0].beside, &list.v[1]);
	assert_ptr_equal(list.v[4].beside, &list.v[5]);
	assert_null(list.v[6].beside);
	collection.is_side_by_side = true;
	list = plan_watches(&collection, loads.v, loads.nr);
	assert_plan(&list, "load a, watch slot2, load b, watch slot1, load c, load d");
	assert_null(list.v[0].beside);
	assert_ptr_equal(list.v[3].beside, &list.v[4]);
}

static void a_driver_may_take_time_for_each_gpu_it_wakes(void **state)
{
	unsigned without;

	(void)state;
	without = calls_deadline_ms(&snapshot, &each);
	for (int i = 0; i < 8; i++) {
		struct gpu *gpu = add_gpu(arena_printf(&snapshot.arena, "0000:%02x:00.0", i));

		gpu->pci.vendor_id = val_str("0x10de");
		gpu->pci.driver = val_str("nvidia");
	}
	assert_int_equal(without, 2000);
	assert_int_equal(calls_deadline_ms(&snapshot, &each), 2000 + 8 * 3000);
	assert_int_equal(own_deadline_ms(&snapshot, &each), 2000 + 8 * 3000 + 60000);
	/* They are kept awake. */
	list_element(&snapshot.arena, &snapshot, daemons, daemon, "7")->comm = val_str("nvidia-persistenced");
	assert_int_equal(calls_deadline_ms(&snapshot, &each), 500);
	/* Files wake nobody. */
	assert_int_equal(own_deadline_ms(&snapshot, &node), 1000);
}

static void the_run_has_the_time_it_was_given(void **state)
{
	(void)state;
	assert_int_equal(time_left_ms(&collection), UINT_MAX);
	options.timeout_ms = 60000;
	assert_in_range(time_left_ms(&collection), 1, 60000);
	collection.started_ns -= UINT64_C(60000) * 1000000;
	assert_int_equal(time_left_ms(&collection), 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_phase_has_what_is_wanted_and_applies),
		TEST(a_recorded_tree_has_no_library_but_one_that_was_put_beside_it),
		TEST(those_that_wait_come_last_and_alone),
		TEST(what_a_worker_may_write_is_its_targets),
		TEST(each_load_stands_behind_its_watch),
		TEST(a_driver_may_take_time_for_each_gpu_it_wakes),
		TEST(the_run_has_the_time_it_was_given),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
