// SPDX-License-Identifier: GPL-2.0-or-later
/* test_throttle.c - when throttling counts, whose GPU is a laptop's, and how far from its limit a sensor is. */
#include "base/compat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "eval/facts/temperature.h"
#include "eval/facts/throttle.h"

static void test_counts(void **state)
{
	struct policy policy = { .throttle_percent = 10, .throttle_samples = 3 };
	struct gpu gpu = { .throttle.samples_loaded = val_u64(10) };
	const struct judgement j = { .policy = &policy, .gpu = &gpu };
	const struct gpu_work work = gpu_in_window(&gpu);

	(void)state;
	assert_false(throttle_counts(&j, &work, 0, 0));
	assert_false(throttle_counts(&j, &work, 9.9, 100));
	/* One sample of ten, which the driver's counter bears out or not. */
	assert_false(throttle_counts(&j, &work, 10, 0));
	assert_false(throttle_counts(&j, &work, 10, 9));
	assert_true(throttle_counts(&j, &work, 10, 10));
	assert_true(throttle_counts(&j, &work, 20, 0));
	/* A policy that counts the least still wants to see something. */
	policy.throttle_percent = 0;
	assert_false(throttle_counts(&j, &work, 0, 0));
	gpu.throttle.samples_loaded = val_u64(300);
	policy.throttle_percent = 10;
	assert_true(throttle_counts(&j, &work, 10, 0));
}

static void test_worked(void **state)
{
	const struct policy policy = { .throttle_samples = 3 }, eager = { .throttle_samples = 0 };
	struct gpu gpu = { .throttle.samples_loaded = { .state = VAL_ERROR } };

	(void)state;
	assert_false(gpu_worked(&policy, &gpu));
	assert_false(gpu_worked(&eager, &gpu));
	gpu.throttle.samples_loaded = val_u64(2);
	assert_false(gpu_worked(&policy, &gpu));
	assert_true(gpu_worked(&eager, &gpu));
	gpu.throttle.samples_loaded = val_u64(3);
	assert_true(gpu_worked(&policy, &gpu));
}

static void test_mobile(void **state)
{
	static const char *const mobile[] = {
		"NVIDIA Corporation AD107M [GeForce RTX 4060 Max-Q / Mobile]", "NVIDIA GeForce RTX 4060 Laptop GPU",
		"Intel Corporation DG2 [Arc A370M]",
		"Advanced Micro Devices, Inc. [AMD/ATI] Navi 33 [Radeon RX 7700S/7600/7600M]",
		"NVIDIA Corporation GM107GLM [Quadro M2000M]", "NVIDIA Corporation GP108BM [GeForce MX250]",
	};
	static const char *const others[] = {
		"NVIDIA Corporation GH100 [H100 SXM5 80GB]", "NVIDIA Corporation GF110GL [Tesla M2090]",
		"Advanced Micro Devices, Inc. [AMD/ATI] Aqua Vanjaram [Instinct MI300X]",
		"Intel Corporation DG2 [Arc A770]",
		"AMD Radeon RX 7900 XT/7900 XTX/7900 GRE/7900M", "NVIDIA Corporation GV100GL [Tesla V100S PCIe 32GB]",
		"NVIDIA GeForce RTX 4090", "NVIDIA RTX A6000", "",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(mobile); i++)
		assert_true(gpu_is_mobile(&(struct gpu){ .pci.model = val_str(mobile[i]) }));
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_false(gpu_is_mobile(&(struct gpu){ .pci.model = val_str(others[i]) }));
	/* pci.ids knows some chips by one name for both. */
	assert_true(gpu_is_mobile(&(struct gpu){ .nvml.name = val_str("NVIDIA GeForce RTX 5070 Laptop GPU") }));
}

static void test_margin(void **state)
{
	struct gpu gpu = { .pci.driver = val_str("nvidia"), .nvml.temperature_c = val_f64(70) };
	struct temperature heat;

	(void)state;
	heat = sensor_temperature(&gpu, &sensors[0]);
	assert_true(heat.has_temperature);
	assert_false(heat.has_margin);
	gpu.nvml.temperature_max_c = val_f64(85);
	assert_true(sensor_temperature(&gpu, &sensors[0]).margin == 15.0);
	/* The distance that the GPU tells supersedes a threshold. */
	gpu.nvml.temperature_margin_c = val_f64(17);
	assert_true(sensor_temperature(&gpu, &sensors[0]).margin == 17.0);
	gpu.use.temperature_max_c = val_f64(74);
	heat = sensor_temperature(&gpu, &sensors[0]);
	assert_true(heat.temperature == 74.0 && heat.margin == 13.0);
	gpu.use.temperature_max_c = val_f64(60);
	assert_true(sensor_temperature(&gpu, &sensors[0]).temperature == 70.0);
	/* The nearest of all sensors to its own limit, with its own temperature. */
	gpu.nvml.memory_temperature_c = val_f64(94);
	gpu.nvml.memory_temperature_max_c = val_f64(95);
	heat = gpu_temperature(&gpu);
	assert_true(heat.temperature == 94.0 && heat.margin == 1.0);
}

static void test_lowered(void **state)
{
	const struct policy policy = { .throttle_limit_ratio = 0.99 };
	struct gpu gpu = {
		.pci.driver = val_str("nvidia"),
		.nvml.power_limit_mw = val_u64(693000),
		.nvml.power_default_mw = val_u64(700000),
	};

	(void)state;
	assert_false(is_lowered(&policy, &gpu, "power_limit_mw"));
	gpu.nvml.power_limit_mw = val_u64(692000);
	assert_true(is_lowered(&policy, &gpu, "power_limit_mw"));
	gpu.nvml.power_limit_mw = val_u64(0);
	assert_false(is_lowered(&policy, &gpu, "power_limit_mw"));
	gpu.nvml.power_default_mw = no_u64(VAL_UNSUPPORTED, "NOT_SUPPORTED");
	gpu.nvml.power_limit_mw = val_u64(300000);
	assert_false(is_lowered(&policy, &gpu, "power_limit_mw"));
	assert_false(is_lowered(&policy, &gpu, "performance_level"));
	gpu.pci.driver = val_str("amdgpu");
	gpu.amdgpu.performance_level = val_str("auto");
	assert_false(is_lowered(&policy, &gpu, "performance_level"));
	gpu.amdgpu.performance_level = val_str("manual");
	assert_true(is_lowered(&policy, &gpu, "performance_level"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts), cmocka_unit_test(test_worked),  cmocka_unit_test(test_mobile),
		cmocka_unit_test(test_margin), cmocka_unit_test(test_lowered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
