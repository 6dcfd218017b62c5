// SPDX-License-Identifier: GPL-2.0-or-later
/* test_memory_use.c - who has a GPU's memory, by the files of processes and by the driver's list. */
#include "base/compat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "eval/facts/holders.h"
#include "eval/facts/memory_use.h"

enum { GIB = 1 << 30 };

static struct gpu_client client(const char *key, uint64_t pid, const char *kind, uint64_t bytes)
{
	return (struct gpu_client){
		.key = val_str(key), .pid = val_u64(pid), .kind = val_str(kind), .memory_bytes = val_u64(bytes),
	};
}

static struct gpu gpu_with(struct gpu_client *clients, size_t nr)
{
	return (struct gpu){
		.key = val_str("0000:5d:00.0"), .pci.driver = val_str("amdgpu"), .clients = clients, .nr_clients = nr,
		.amdgpu = { .vram_used_bytes = val_u64(4ULL * GIB), .clients = val_u64(nr) },
	};
}

static void use_of(struct arena *arena, const struct snapshot *snapshot, struct memory_use *ret)
{
	struct holding_list users;

	users_of(arena, snapshot, &users);
	memory_use_of(snapshot, &users, &snapshot->gpus[0], ret);
}

/* A process that computes and draws is in both of NVML's lists, with the same memory. */
static void test_two_kinds_of_work_are_one_memory(void **state)
{
	struct gpu_client clients[] = {
		client("7:compute:7/0", 7, "compute", GIB), client("7:compute:8/0", 7, "compute", GIB),
		client("7:graphics", 7, "graphics", GIB),
	};
	struct gpu gpu = gpu_with(clients, ARRAY_SIZE(clients));
	struct snapshot snapshot = { .gpus = &gpu, .nr_gpus = 1 };

	(void)state;
	assert_int_equal(u64_or(memory_on(&snapshot, &gpu, 7), 0), 2ULL * GIB);
	assert_false(is_known(memory_on(&snapshot, &gpu, 8)));
}

static void test_whoever_tells_more_is_believed(void **state)
{
	struct gpu_client clients[] = { client("7:compute", 7, "compute", 3ULL * GIB) };
	struct gpu gpu = gpu_with(clients, 1);
	struct holder holder = {
		.key = val_str("7:/dev/dri/renderD128"), .pid = val_u64(7), .comm = val_str("python3"),
		.gpu = val_str("0000:5d:00.0"), .memory_bytes = val_u64(GIB),
	};
	struct snapshot snapshot = { .gpus = &gpu, .nr_gpus = 1, .holders = &holder, .nr_holders = 1 };
	struct arena arena = { .blocks = NULL };
	struct holding_list list;
	struct memory_use use;

	(void)state;
	holdings_of(&arena, &snapshot, &list);
	assert_int_equal(list.nr, 1);
	assert_int_equal(u64_or(list.items[0].all.memory_bytes, 0), 3ULL * GIB);
	use_of(&arena, &snapshot, &use);
	assert_true(use.is_known && use.has_users);
	assert_int_equal(memory_unexplained(&use, use.used_bytes), GIB);
	holder.memory_bytes = val_u64(4ULL * GIB);
	use_of(&arena, &snapshot, &use);
	assert_int_equal(memory_unexplained(&use, use.used_bytes), 0);
	arena_release(&arena);
}

/* The driver's clients count where /proc shows nobody, but not among those that hold a device node. */
static void test_the_driver_knows_more_processes(void **state)
{
	struct gpu_client clients[] = { client("7:compute", 7, "compute", GIB),
					client("9:compute", 9, "compute", GIB) };
	struct gpu gpu = gpu_with(clients, ARRAY_SIZE(clients));
	struct snapshot snapshot = { .gpus = &gpu, .nr_gpus = 1 };
	struct arena arena = { .blocks = NULL };
	struct holding_list list;
	struct memory_use use;

	(void)state;
	clients[1].alive = val_bool(false);
	holdings_of(&arena, &snapshot, &list);
	assert_int_equal(list.nr, 0);
	users_of(&arena, &snapshot, &list);
	assert_int_equal(list.nr, 1);
	assert_int_equal(list.items[0].pid, 7);
	use_of(&arena, &snapshot, &use);
	assert_int_equal(use.dead_pid, 9);
	assert_int_equal(use.dead_bytes, GIB);
	assert_int_equal(memory_unexplained(&use, use.used_bytes), 3ULL * GIB);
	arena_release(&arena);
}

/* One client of unknown size, and nothing can be said of what is left. */
static void test_what_is_not_told_explains_nothing(void **state)
{
	struct gpu_client clients[] = { client("7:compute", 7, "compute", 0) };
	struct gpu gpu = gpu_with(clients, 1);
	struct snapshot snapshot = { .gpus = &gpu, .nr_gpus = 1 };
	struct arena arena = { .blocks = NULL };
	struct memory_use use;

	(void)state;
	clients[0].memory_bytes = no_u64(VAL_UNSUPPORTED, "not told");
	use_of(&arena, &snapshot, &use);
	assert_false(use.is_known);
	assert_int_equal(memory_unexplained(&use, use.used_bytes), 0);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_kinds_of_work_are_one_memory),
		cmocka_unit_test(test_whoever_tells_more_is_believed),
		cmocka_unit_test(test_the_driver_knows_more_processes),
		cmocka_unit_test(test_what_is_not_told_explains_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
