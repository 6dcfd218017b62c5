// SPDX-License-Identifier: GPL-2.0-or-later
/* test_twin_stats.c - what a GPU can at most: by its clock and bus, by its maker, or not told. */
#include "base/compat.h"
#include "eval/facts/twin_stats.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

static struct gpu gpu_of(const char *vendor, const char *device)
{
	struct gpu gpu = { .key = val_str("0000:01:00.0") };

	gpu.pci.vendor_id = val_str(vendor);
	gpu.pci.device_id = val_str(device);
	return gpu;
}

static void memory_by_clock_and_bus(void **state)
{
	/* MHz and bits as nvidia-smi shows them, and the data sheet's GB/s */
	static const struct {
		uint64_t mhz, bits;
		double gbps;
	} cases[] = {
		{ 2619, 5120, 3350 }, { 1593, 5120, 2039 }, { 6251, 192, 300 }, { 5001, 256, 320 },
		{ 10501, 384, 1008 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct gpu gpu = gpu_of("0x10de", "0x0001");
		struct peak peak;

		assert_false(gpu_memory_peak(&gpu, &peak));
		gpu.nvml.memory_clock_max_mhz = val_u64(cases[i].mhz);
		assert_false(gpu_memory_peak(&gpu, &peak));
		gpu.nvml.memory_bus_bits = val_u64(cases[i].bits);
		assert_true(gpu_memory_peak(&gpu, &peak));
		assert_true(fabs(peak.figure / cases[i].gbps - 1.0) < 0.002);
		assert_non_null(strstr(peak.how, "memory_clock_max_mhz"));
	}
}

static void else_by_the_table(void **state)
{
	struct gpu h100 = gpu_of("0x10de", "0x2330"), unknown = gpu_of("0x10de", "0x0001");
	struct peak peak;

	(void)state;
	assert_true(gpu_memory_peak(&h100, &peak));
	assert_int_equal(peak.figure, 3350);
	assert_string_equal(peak.how, "NVIDIA H100 data sheet");
	assert_true(gpu_fp32_peak(&h100, &peak));
	assert_int_equal(peak.figure, 67000);
	assert_false(gpu_fp32_peak(&unknown, &peak));
}

static void a_part_is_not_told(void **state)
{
	struct gpu mig = gpu_of("0x10de", "0x2330"), cpx = gpu_of("0x1002", "0x74a1"), spx = cpx;
	struct peak peak;

	(void)state;
	mig.nvml.mig_enabled = val_bool(true);
	cpx.amdgpu.compute_partition = val_str("CPX");
	spx.amdgpu.compute_partition = val_str("SPX");
	assert_false(gpu_memory_peak(&mig, &peak) || gpu_fp32_peak(&mig, &peak));
	assert_false(gpu_memory_peak(&cpx, &peak) || gpu_fp32_peak(&cpx, &peak));
	assert_true(gpu_memory_peak(&spx, &peak) && gpu_fp32_peak(&spx, &peak));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_by_clock_and_bus),
		cmocka_unit_test(else_by_the_table),
		cmocka_unit_test(a_part_is_not_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
