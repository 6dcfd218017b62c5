// SPDX-License-Identifier: GPL-2.0-or-later
/* test_link.c - which bridges make which link, with and without root's view. */
#include "base/compat.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "eval/facts/link.h"
#include "eval/judge/subject.h"

#define HOP(address_, vendor, type) \
	{ .address = val_str(address_), .pci = { .vendor_id = val_str(vendor), .port_type = type } }
#define TYPE(name) { .state = VAL_OK, .v_ = name }
#define HIDDEN { .state = VAL_DENIED, .why = "needs root" }

static struct gpu gpu_below(const char *vendor, struct hop *hops, size_t nr)
{
	return (struct gpu){.key = val_str("0000:0c:00.0"),
			    .pci.vendor_id = val_str(vendor),
			    .bridges = val_u64(nr),
			    .hops = hops,
			    .nr_hops = nr};
}

static void test_no_bridge(void **state)
{
	struct gpu gpu = gpu_below("0x10de", NULL, 0);
	struct link_path path;

	(void)state;
	gpu_links(&gpu, &path);
	assert_true(path.paired);
	assert_int_equal(path.nr, 1);
	assert_null(path.links[0].upper);
	assert_ptr_equal(path.links[0].lower, &gpu.pci);
}

static void assert_switch_path(struct hop *hops)
{
	struct gpu gpu = gpu_below("0x10de", hops, 3);
	struct link_path path;

	gpu_links(&gpu, &path);
	assert_true(path.paired);
	assert_int_equal(path.nr, 2);
	assert_ptr_equal(path.links[0].lower, &gpu.pci);
	assert_ptr_equal(path.links[0].upper, &hops[0].pci);
	assert_ptr_equal(path.links[1].lower, &hops[1].pci);
	assert_ptr_equal(path.links[1].upper, &hops[2].pci);
	assert_string_equal(path.links[1].address, "0000:0a:00.0");
}

static void test_behind_a_switch(void **state)
{
	struct hop seen[] = {
		HOP("0000:0b:00.0", "0x10b5", TYPE("downstream-port")),
		HOP("0000:0a:00.0", "0x10b5", TYPE("upstream-port")),
		HOP("0000:00:01.0", "0x8086", TYPE("root-port")),
	};
	struct hop hidden[] = {
		HOP("0000:0b:00.0", "0x10b5", HIDDEN), HOP("0000:0a:00.0", "0x10b5", HIDDEN),
		HOP("0000:00:01.0", "0x8086", HIDDEN),
	};

	(void)state;
	assert_switch_path(seen);
	assert_switch_path(hidden);
}

/* The slot of an AMD card with its own switch is the link above that switch. */
static void test_card_switch(void **state)
{
	struct hop hops[] = {
		HOP("0000:0b:00.0", "0x1002", HIDDEN), HOP("0000:0a:00.0", "0x1002", HIDDEN),
		HOP("0000:00:01.0", "0x1022", HIDDEN),
	};
	struct gpu gpu = gpu_below("0x1002", hops, 3);
	struct link_path path;

	(void)state;
	gpu_links(&gpu, &path);
	assert_int_equal(path.nr, 1);
	assert_ptr_equal(path.links[0].lower, &hops[1].pci);
	assert_ptr_equal(path.links[0].upper, &hops[2].pci);
}

static void test_what_makes_no_sense(void **state)
{
	struct hop hops[] = {
		HOP("0000:0a:00.0", "0x8086", TYPE("upstream-port")), HOP("0000:00:01.0", "0x8086", TYPE("root-port")),
	};
	struct gpu gpu = gpu_below("0x10de", hops, 2);
	struct link_path path;

	(void)state;
	gpu_links(&gpu, &path);
	assert_false(path.paired);
	assert_int_equal(path.nr, 0);
}

/* "No bridge" has to be said by somebody who looked. */
static void test_bridges_not_seen(void **state)
{
	struct gpu gpu = gpu_below("0x10de", NULL, 0);
	struct link_path path;

	(void)state;
	gpu.bridges = no_u64(VAL_TIMEOUT, "in read link");
	gpu_links(&gpu, &path);
	assert_false(path.paired);
	gpu.bridges = val_u64(3);
	gpu_links(&gpu, &path);
	assert_false(path.paired);
}

static void test_bandwidth(void **state)
{
	static const struct { uint64_t speed, width; double gbps;
	} table[] = {
		{2500, 16, 4.0},    {5000, 8, 4.0},	{8000, 16, 15.75},
		{16000, 16, 31.51}, {32000, 16, 63.01}, {64000, 16, 128.0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		assert_true(fabs(link_bytes_per_s(table[i].speed, table[i].width) / 1e9 - table[i].gbps) < 0.01);
}

static void test_names(void **state)
{
	struct arena arena = { .blocks = NULL };
	struct gpu gpu = {
		.pci.vendor_id = val_str("0x10de"), .pci.device_id = val_str("0x2330"),
		.pci.model = val_str("NVIDIA Corporation GH100 [H100 SXM5 80GB]"),
	};
	struct subject subject = { .kind = SUBJECT_GPU, .name = "GPU 3", .gpu = &gpu };
	static const size_t some[] = { 0, 1, 2, 4, 6, 7 }, one[] = { 3 }, mixed[] = { 9, 1, 0, 1, 2 };

	(void)state;
	assert_string_equal(gpu_model(&arena, &gpu), "NVIDIA H100 SXM5 80GB");
	gpu.pci.model = no_str(VAL_ABSENT, NULL);
	assert_string_equal(gpu_model(&arena, &gpu), "10de:2330");
	gpu.slot = val_str("7");
	assert_string_equal(str_or(gpu_slot_label(&gpu), ""), "7");
	gpu.smbios_slot = val_str("Not Specified");
	assert_string_equal(str_or(gpu_slot_label(&gpu), ""), "7");
	gpu.smbios_slot = val_str("PCIe-7");
	assert_string_equal(str_or(gpu_slot_label(&gpu), ""), "PCIe-7");
	gpu.key = val_str("0000:5d:00.0");
	assert_string_equal(subject_label(&arena, &subject), "GPU 3 (0000:5d:00.0, slot PCIe-7)");
	gpu.smbios_slot = val_str("Slot 7 (CPU 2)");
	assert_string_equal(subject_label(&arena, &subject), "GPU 3 (0000:5d:00.0, Slot 7 (CPU 2))");
	gpu.slot = gpu.smbios_slot = no_str(VAL_ABSENT, NULL);
	assert_string_equal(subject_label(&arena, &subject), "GPU 3 (0000:5d:00.0)");
	assert_string_equal(gpu_ranges(&arena, some, ARRAY_SIZE(some)), "GPUs 0-2, 4 and 6-7");
	assert_string_equal(gpu_ranges(&arena, one, 1), "GPU 3");
	assert_string_equal(gpu_ranges(&arena, mixed, ARRAY_SIZE(mixed)), "GPUs 0-2 and 9");
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_bridge),
		cmocka_unit_test(test_behind_a_switch),
		cmocka_unit_test(test_card_switch),
		cmocka_unit_test(test_what_makes_no_sense),
		cmocka_unit_test(test_bridges_not_seen),
		cmocka_unit_test(test_bandwidth),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
