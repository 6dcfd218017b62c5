// SPDX-License-Identifier: GPL-2.0-or-later
/* test_collective_group.c - on which GPUs an all-reduce runs, how a program is told, and with how much. */
#include "base/compat.h"
#include "snapshot/collective_group.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#define GIB ((uint64_t)1 << 30)
#define MIB ((uint64_t)1 << 20)

static struct snapshot snapshot;

static struct gpu *add_gpu(const char *address, const char *driver, const char *uuid)
{
	bool is_amd = !strcmp(driver, "amdgpu");
	struct gpu *gpu = list_element(&snapshot.arena, &snapshot, gpus, gpu, address);

	gpu->pci.vendor_id = val_str(is_amd ? "0x1002" : "0x10de");
	gpu->pci.device_id = val_str(is_amd ? "0x74a1" : "0x2330");
	gpu->pci.driver = val_str(driver);
	if (uuid && is_amd)
		gpu->amdgpu.unique_id = val_str(uuid);
	else if (uuid)
		gpu->nvml.uuid = val_str(uuid);
	return gpu;
}

static struct collective_group group_now(void)
{
	struct collective_group group;

	collective_group_of(&snapshot.arena, &snapshot, &group);
	return group;
}

static int set_up(void **state)
{
	(void)state;
	memset(&snapshot, 0, sizeof(snapshot));
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	snapshot_release(&snapshot);
	return 0;
}

static void test_by_uuid(void **state)
{
	struct collective_group group;

	(void)state;
	add_gpu("0000:5d:00.0", "nvidia", "GPU-bbbb");
	add_gpu("0000:17:00.0", "nvidia", "GPU-aaaa");
	add_gpu("0000:9d:00.0", "nvidia", "GPU-cccc");
	group = group_now();
	assert_null(group.why_not);
	assert_string_equal(group.mask, "CUDA_VISIBLE_DEVICES=GPU-aaaa,GPU-bbbb,GPU-cccc");
	strs_add(&snapshot.arena, &snapshot.request.gpus, "2");
	strs_add(&snapshot.arena, &snapshot.request.gpus, "0");
	group = group_now();
	assert_int_equal(group.nr, 2);
	assert_string_equal(group.mask, "CUDA_VISIBLE_DEVICES=GPU-aaaa,GPU-cccc");
}

static void test_amd(void **state)
{
	struct collective_group group;

	(void)state;
	add_gpu("0000:05:00.0", "amdgpu", "9f2a1c0de5b7d304");
	add_gpu("0000:15:00.0", "amdgpu", "9f2a1c0de5b7d305")->amdgpu.compute_partition = val_str("SPX");
	group = group_now();
	assert_string_equal(group.mask, "ROCR_VISIBLE_DEVICES=GPU-9f2a1c0de5b7d304,GPU-9f2a1c0de5b7d305");
	snapshot.gpus[1].amdgpu.compute_partition = val_str("CPX");
	assert_string_equal(group_now().why_not, "GPU 1 is divided (compute partition CPX)");
}

/* All that there are need no mask; a part of them cannot be told apart without. */
static void test_no_uuid(void **state)
{
	(void)state;
	add_gpu("0000:17:00.0", "nvidia", NULL);
	add_gpu("0000:5d:00.0", "nvidia", "GPU-bbbb");
	add_gpu("0000:9d:00.0", "nvidia", "GPU-cccc");
	assert_null(group_now().why_not);
	assert_null(group_now().mask);
	strs_add(&snapshot.arena, &snapshot.request.gpus, "0");
	strs_add(&snapshot.arena, &snapshot.request.gpus, "1");
	assert_string_equal(group_now().why_not, "the UUID of GPU 0 is unknown: only all GPUs can be selected");
}

static void test_none(void **state)
{
	struct gpu *gpu;

	(void)state;
	assert_string_equal(group_now().why_not,
			    "an all-reduce takes two or more GPUs bound to the nvidia or amdgpu driver: 0 found");
	add_gpu("0000:17:00.0", "nouveau", NULL);
	gpu = add_gpu("0000:5d:00.0", "nvidia", "GPU-bbbb");
	assert_string_equal(group_now().why_not,
			    "an all-reduce takes two or more GPUs bound to the nvidia or amdgpu driver: 1 found");
	gpu->nvml.mig_enabled = val_bool(true);
	assert_string_equal(group_now().why_not, "GPU 1 is in MIG mode");
	add_gpu("0000:9d:00.0", "amdgpu", "9f2a1c0de5b7d304");
	assert_string_equal(group_now().why_not, "GPUs of two vendors: select those of one (--gpu)");
}

/* What the caller hid is loaded only where it is selected by name. */
static void test_hidden(void **state)
{
	(void)state;
	add_gpu("0000:17:00.0", "nvidia", "GPU-aaaa");
	add_gpu("0000:5d:00.0", "nvidia", "GPU-bbbb");
	strs_add(&snapshot.arena, &snapshot.host.environment, "ROCR_VISIBLE_DEVICES=0");
	assert_null(group_now().why_not);
	strs_add(&snapshot.arena, &snapshot.host.environment, "CUDA_VISIBLE_DEVICES=0");
	assert_string_equal(group_now().why_not, "CUDA_VISIBLE_DEVICES is set: select GPUs by --gpu, or unset it");
	strs_add(&snapshot.arena, &snapshot.request.gpus, "0");
	strs_add(&snapshot.arena, &snapshot.request.gpus, "1");
	assert_null(group_now().why_not);
}

static void test_sizes(void **state)
{
	static const struct {
		uint64_t free_mib, size_mib;
	} rows[] = {
		{ 80 * 1024, 512 }, { 3072, 512 }, { 3071, 256 }, { 2048, 256 }, { 1056, 8 }, { 1055, 0 }, { 0, 0 },
	};
	struct collective_group group;

	(void)state;
	add_gpu("0000:17:00.0", "nvidia", "GPU-aaaa");
	add_gpu("0000:5d:00.0", "nvidia", "GPU-bbbb");
	group = group_now();
	assert_int_equal(collective_largest_bytes(&group), 512 * MIB);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		snapshot.gpus[1].nvml.vram_total_bytes = val_u64(80 * GIB);
		snapshot.gpus[1].nvml.vram_used_bytes = val_u64(80 * GIB - rows[i].free_mib * MIB);
		assert_int_equal(collective_largest_bytes(&group), rows[i].size_mib * MIB);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_by_uuid, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_amd, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_no_uuid, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_none, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_hidden, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_sizes, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
