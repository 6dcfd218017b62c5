// SPDX-License-Identifier: GPL-2.0-or-later
/* test_likely_error.c - how much a line reads like an error. */
#include "base/compat.h"
#include "import/program/likely_error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void has_signs(void **state)
{
	static const char *const lines[] = {
		"Device open failed, aborting...",
		"cl_get_gt_device(): error, unknown device: ffffffff",
		"========= Invalid __global__ read of size 8",
		"GPU 0's partitioning is incompatible with the diagnostic.",
		"Failed to initialize PMU! (Permission denied)",
		"HIP: Missing code object for gfx90a",
		"init: Returned whatsitErrorNoBinaryForGpu",
		"RuntimeError: the plan is stale",
		"The versions of driver and library do not match",
		"fabric state 3 returned WHATSIT_GENERIC_ERROR",
		"The GPU is not usable due to what its memory had.",
		"nvidia-smi returns ERR! for the fan",
		"undefined reference to `gpu_init'",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		if (likely_error_signs(lines[i]) < 4)
			fail_msg("%u signs: %s", likely_error_signs(lines[i]), lines[i]);
}

static void has_none(void **state)
{
	static const char *const lines[] = {
		"",
		"GPU 0: NVIDIA A100-SXM4-40GB",
		"opencl_mandatory_timeout: 400",
		"GPU errors found: 0",
		"FAILED 0 of 31 GPU tests",
		"CUDA error checks: 0 of 214 failed",
		"Rejected.........: 0/14344384 (0.00%)",
		"[  1%] Building CUDA object core.dir/error_handling.cu.o",
		"gpu-srv fail2ban-server[900]: Server ready",
		"NCCL_ASYNC_ERROR_HANDLING=1",
		"logger.error(\"CUDA error: device %d not found\", i)",
		"PLAY RECAP : ok=2 failed=0 skipped=0",
		"Nvidia driver version: Could not collect",
		"If the GPU is lost, reset it.",
		"grep -i 'gpu.*failed' messages",
		"return GpuError(CUDA_ERROR_UNKNOWN);",
		"\"failOnInitError\": false",
		"=== recent Xid errors in the log ===",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		if (likely_error_signs(lines[i]) >= 4)
			fail_msg("%u signs: %s", likely_error_signs(lines[i]), lines[i]);
}

/* What names a GPU, a time and a number reads more like one than a person's complaint. */
static void ranks(void **state)
{
	const char *printed = "12:00:01 whatsit: GPU 3 failed with error 14";

	(void)state;
	assert_true(likely_error_signs(printed) > likely_error_signs("whatsit failed"));
	assert_true(likely_error_signs("whatsit failed") > likely_error_signs("I think my program failed"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_signs),
		cmocka_unit_test(has_none),
		cmocka_unit_test(ranks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
