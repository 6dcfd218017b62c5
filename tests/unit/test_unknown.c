// SPDX-License-Identifier: GPL-2.0-or-later
/* test_unknown.c - what a missing value weighs, and what it does to a report. */
#include "base/compat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "checks/playbook.h"
#include "eval/summary/unanswered.h"

#define FIELD_OF(record, field) (&record_##record.fields[FIELD_##record##_##field])
#define KIND(place, record, field, state_, why_) \
	unknown_kind((place), FIELD_OF(record, field), (struct val_head){ .state = (state_), .why = (why_) })

static struct gpu gpu = { .key = { .state = VAL_OK, .v_ = "0000:5d:00.0" },
			  .pci.driver = { .state = VAL_OK, .v_ = "nvidia" } };

static struct unknown_place of_gpu(const struct snapshot *snapshot)
{
	return (struct unknown_place){ .snapshot = snapshot, .policy = &policy_built_in, .gpu = &gpu };
}

static void test_by_nature(void **state)
{
	const struct snapshot snapshot = { .gpus = &gpu, .nr_gpus = 1 };
	const struct unknown_place place = of_gpu(&snapshot);

	(void)state;
	assert_int_equal(KIND(&place, nvml_gpu, ecc_enabled, VAL_ABSENT, NULL), UNKNOWN_BY_NATURE);
	assert_int_equal(KIND(&place, nvml_gpu, ecc_enabled, VAL_UNSUPPORTED, NULL), UNKNOWN_BY_NATURE);
	assert_int_equal(KIND(&place, nvml_gpu, ecc_enabled, VAL_ASLEEP, NULL), UNKNOWN_BY_NATURE);
	assert_int_equal(KIND(&place, nvml_gpu, ecc_enabled, VAL_SKIPPED, "the run ended"), UNKNOWN_BY_NATURE);
	assert_int_equal(KIND(&place, nvml_gpu, ecc_enabled, VAL_ERROR, "NVML_ERROR_IN_USE"), UNKNOWN_BY_NATURE);
	assert_int_equal(KIND(&place, nvml_gpu, ecc_enabled, VAL_UNSET, NULL), UNKNOWN_NOT);
	assert_int_equal(KIND(&place, nvml_gpu, ecc_enabled, VAL_OK, NULL), UNKNOWN_NOT);
}

static void test_vital_and_not(void **state)
{
	const struct snapshot snapshot = { .gpus = &gpu, .nr_gpus = 1 };
	const struct unknown_place place = of_gpu(&snapshot);

	(void)state;
	assert_int_equal(KIND(&place, nvml_gpu, ecc_enabled, VAL_ERROR, "NVML_ERROR_UNKNOWN"), UNKNOWN_BY_FAILURE);
	assert_int_equal(KIND(&place, nvml_gpu, ecc_enabled, VAL_TIMEOUT, "in nvmlDeviceGetEccMode"),
			 UNKNOWN_BY_FAILURE);
	assert_int_equal(KIND(&place, nvml_gpu, power_mw, VAL_ERROR, "NVML_ERROR_UNKNOWN"), UNKNOWN_LISTED);
	assert_int_equal(KIND(&place, nvml_gpu, power_mw, VAL_TIMEOUT, "in nvmlDeviceGetPowerUsage"), UNKNOWN_LISTED);
	/* Older drivers answer so to what they do not know; a handle they do know. */
	assert_int_equal(KIND(&place, nvml_gpu, ecc_enabled, VAL_ERROR, "NVML_ERROR_INVALID_ARGUMENT"), UNKNOWN_LISTED);
	assert_int_equal(KIND(&place, nvml_gpu, recovery_action, VAL_ERROR, "NVML_ERROR_UNKNOWN"), UNKNOWN_LISTED);
	assert_int_equal(KIND(&place, nvml_gpu, handle, VAL_ERROR, "NVML_ERROR_INVALID_ARGUMENT"), UNKNOWN_BY_FAILURE);
}

static void test_codes_that_speak_of_the_gpu(void **state)
{
	const struct snapshot snapshot = { .gpus = &gpu, .nr_gpus = 1 };
	const struct unknown_place place = of_gpu(&snapshot),
				   node = { .snapshot = &snapshot, .policy = &policy_built_in };

	(void)state;
	assert_int_equal(KIND(&place, nvml_gpu, fan_percent, VAL_LOST, "NVML_ERROR_GPU_IS_LOST"), UNKNOWN_BY_FAILURE);
	assert_int_equal(KIND(&place, nvml_gpu, fan_percent, VAL_ERROR, "NVML_ERROR_RESET_REQUIRED"),
			 UNKNOWN_BY_FAILURE);
	assert_int_equal(KIND(&place, nvml_gpu, energy_mj, VAL_ERROR, "reads all ones"), UNKNOWN_BY_FAILURE);
	/* What a board is, some boards tell as all ones. */
	assert_int_equal(KIND(&place, nvml_gpu, module_id, VAL_ERROR, "reads all ones"), UNKNOWN_LISTED);
	/* A file of the node that is gone is no GPU that is. */
	assert_int_equal(KIND(&node, host, product, VAL_LOST, "ENODEV"), UNKNOWN_LISTED);
	assert_int_equal(KIND(&node, nvml, cuda_version, VAL_LOST, "NVML_ERROR_GPU_IS_LOST"), UNKNOWN_BY_FAILURE);
}

static void test_rights(void **state)
{
	struct snapshot snapshot = { .gpus = &gpu, .nr_gpus = 1 };
	const struct unknown_place place = of_gpu(&snapshot);

	(void)state;
	assert_int_equal(KIND(&place, nvml_gpu, handle, VAL_DENIED, "NVML_ERROR_NO_PERMISSION"), UNKNOWN_BY_NATURE);
	snapshot.host.has_all_rights = val_bool(true);
	assert_int_equal(KIND(&place, nvml_gpu, handle, VAL_DENIED, "NVML_ERROR_NO_PERMISSION"), UNKNOWN_BY_FAILURE);
	assert_int_equal(KIND(&place, nvml_gpu, power_mw, VAL_DENIED, "NVML_ERROR_NO_PERMISSION"), UNKNOWN_BY_NATURE);
	snapshot.host.container = val_str("docker");
	assert_int_equal(KIND(&place, nvml_gpu, handle, VAL_DENIED, "NVML_ERROR_NO_PERMISSION"), UNKNOWN_BY_NATURE);
}

static void test_users_without_the_nodes(void **state)
{
	struct snapshot snapshot = { .host.user_id = val_u64(1000) };
	const struct unknown_place node = { .snapshot = &snapshot, .policy = &policy_built_in };
	const char *why = "nvmlInit_v2: NVML_ERROR_DRIVER_NOT_LOADED";

	(void)state;
	assert_int_equal(KIND(&node, nvml, init, VAL_ERROR, why), UNKNOWN_BY_NATURE);
	snapshot.host.user_id = val_u64(0);
	assert_int_equal(KIND(&node, nvml, init, VAL_ERROR, why), UNKNOWN_BY_FAILURE);
	/* A start that says "in use" has failed all the same: the GPUs are the driver's. */
	assert_int_equal(KIND(&node, nvml, init, VAL_ERROR, "nvmlInit_v2: NVML_ERROR_IN_USE"), UNKNOWN_BY_FAILURE);
}

static void test_whose_memory_while_it_is_used(void **state)
{
	struct gpu used = gpu;
	const struct snapshot snapshot = { .gpus = &used, .nr_gpus = 1 };
	const struct unknown_place place = { .snapshot = &snapshot, .policy = &policy_built_in, .gpu = &used };

	(void)state;
	used.nvml.vram_used_bytes = val_u64(UINT64_C(512) << 20);
	assert_int_equal(KIND(&place, nvml_gpu, clients, VAL_ERROR, "NVML_ERROR_UNKNOWN"), UNKNOWN_LISTED);
	used.nvml.vram_used_bytes = val_u64(UINT64_C(40) << 30);
	assert_int_equal(KIND(&place, nvml_gpu, clients, VAL_ERROR, "NVML_ERROR_UNKNOWN"), UNKNOWN_BY_FAILURE);
	used.nvml.mig_enabled = val_bool(true);
	assert_int_equal(KIND(&place, nvml_gpu, clients, VAL_ERROR, "NVML_ERROR_UNKNOWN"), UNKNOWN_LISTED);
}

static void test_which_check_it_leaves_open(void **state)
{
	const struct snapshot snapshot = { .gpus = &gpu, .nr_gpus = 1 };
	const struct unknown_place place = of_gpu(&snapshot),
				   node = { .snapshot = &snapshot, .policy = &policy_built_in };
	const struct val_head lost = { .state = VAL_LOST, .why = "NVML_ERROR_GPU_IS_LOST" };
	const struct val_head reset = { .state = VAL_ERROR, .why = "NVML_ERROR_RESET_REQUIRED" };

	(void)state;
	assert_string_equal(unknown_check(&place, FIELD_OF(nvml_gpu, remap_failed), lost), "vram-health");
	assert_string_equal(unknown_check(&place, FIELD_OF(nvml_gpu, fan_percent), lost), "gpu-lost");
	assert_string_equal(unknown_check(&place, FIELD_OF(nvml_gpu, fan_percent), reset), "gpu-enumerated");
	assert_string_equal(unknown_check(&node, FIELD_OF(nvml, cuda_version), lost), "gpu-enumerated");
}

/* A name that no check has would leave a failure without weight. */
static void test_each_vital_value_has_its_check(void **state)
{
	static const char *const checks[] = {
#define VITAL(record, field, check) check,
#define VITAL_SOURCE(record, field, check) check,
#define VITAL_WHILE_USED(record, field, check) check,
#include "eval/judge/vital.def"
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(checks); i++) {
		bool is_there = false;

		for (size_t k = 0; k < playbook.nr; k++)
			is_there |= !strcmp(playbook.rows[k].check->name, checks[i]);
		if (!is_there)
			fail_msg("vital.def names no check: %s", checks[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_nature),
		cmocka_unit_test(test_vital_and_not),
		cmocka_unit_test(test_codes_that_speak_of_the_gpu),
		cmocka_unit_test(test_rights),
		cmocka_unit_test(test_users_without_the_nodes),
		cmocka_unit_test(test_whose_memory_while_it_is_used),
		cmocka_unit_test(test_which_check_it_leaves_open),
		cmocka_unit_test(test_each_vital_value_has_its_check),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
