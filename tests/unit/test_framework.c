// SPDX-License-Identifier: GPL-2.0-or-later
/* test_framework.c - does a library with code for these GPUs run on that one? */
#include "base/compat.h"
#include "eval/facts/framework.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

static struct gpu nvidia(const char *capability)
{
	return (struct gpu){ .pci.driver = val_str("nvidia"), .nvml.compute_capability = val_str(capability) };
}

static struct gpu amd(const char *gfx)
{
	return (struct gpu){ .pci.driver = val_str("amdgpu"), .amdgpu.gfx_version = val_str(gfx) };
}

static void test_cuda(void **state)
{
	static const struct {
		const char *code, *capability;
		enum code_answer answer;
	} rows[] = {
		{ "sm_80 sm_90", "9.0", CODE_RUNS },
		{ "sm_80", "8.6", CODE_RUNS },			/* a later minor version */
		{ "sm_86", "8.0", CODE_MISSING },		/* an earlier one */
		{ "sm_80 sm_90", "12.0", CODE_MISSING },
		{ "sm_120", "12.0", CODE_RUNS },
		{ "sm_100", "10.3", CODE_RUNS },
		{ "sm_50 sm_80 compute_80", "12.0", CODE_AFTER_COMPILING },
		{ "compute_90", "8.0", CODE_MISSING },
		{ "sm_90 compute_90", "9.0", CODE_RUNS },
		{ "gfx942", "9.0", CODE_MISSING },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct gpu gpu = nvidia(rows[i].capability);

		assert_int_equal(framework_runs_on(rows[i].code, &gpu), rows[i].answer);
	}
}

static void test_amd(void **state)
{
	struct gpu gpu = amd("gfx942");

	(void)state;
	assert_int_equal(framework_runs_on("gfx90a gfx942", &gpu), CODE_RUNS);
	assert_int_equal(framework_runs_on("gfx90a gfx94", &gpu), CODE_MISSING);
	assert_int_equal(framework_runs_on("gfx9-4-generic", &gpu), CODE_UNKNOWN);
	assert_int_equal(framework_runs_on("gfx9-4-generic gfx942", &gpu), CODE_RUNS);
}

static void test_unknown(void **state)
{
	struct gpu gpu = nvidia("9.0");

	(void)state;
	gpu.nvml.compute_capability = no_str(VAL_ERROR, "NVML_ERROR_UNKNOWN");
	assert_int_equal(framework_runs_on("sm_90", &gpu), CODE_UNKNOWN);
	gpu = nvidia("nine");
	assert_int_equal(framework_runs_on("sm_90", &gpu), CODE_UNKNOWN);
	gpu = (struct gpu){ .pci.driver = val_str("xe") };
	assert_int_equal(framework_runs_on("sm_90", &gpu), CODE_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cuda), cmocka_unit_test(test_amd), cmocka_unit_test(test_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
