// SPDX-License-Identifier: GPL-2.0-or-later
/* test_nvidia_text.c - the texts of NVIDIA's driver in /proc/driver/nvidia. */
#include "base/compat.h"
#include "format/nvidia_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

static struct arena arena;

static int end(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

static void assert_nvidia(const char *text, const char *version, const char *flavour)
{
	struct val_str got_version, got_flavour;

	nvidia_version_parse(&arena, text, &got_version, &got_flavour);
	assert_string_equal(str_or(got_version, "(none)"), version);
	assert_string_equal(str_or(got_flavour, "(none)"), flavour);
}

static void nvidia_says_its_version(void **state)
{
	(void)state;
	assert_nvidia("NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.129.03  Thu Oct 19 18:56:32 UTC 2023\n"
		      "GCC version:\n",
		      "535.129.03", "proprietary");
	assert_nvidia("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  610.43.02  Release Build  (a@b)\n",
		      "610.43.02", "open");
	assert_nvidia("NVRM version: NVIDIA UNIX Open Kernel Module for aarch64  570.86", "570.86", "open");
	assert_nvidia("NVRM version: NVIDIA UNIX x86_64 Kernel Module\n 1.2", "(none)", "proprietary");
	assert_nvidia("NVRM version: NVIDIA UNIX x86_64 Kernel Module  535..03  Thu\n", "(none)", "proprietary");
	assert_nvidia("", "(none)", "(none)");
}

static struct nvidia_files information(const char *text)
{
	PROC_TEXT_AUTO file = PROC_TEXT_INIT;
	struct nvidia_files files;

	file.state = VAL_OK;
	strbuf_addstr(&file.text, text);
	nvidia_information_decode(&file, &arena, &files);
	return files;
}

static void a_gpu_that_was_opened(void **state)
{
	struct nvidia_files files = information("Model: \t\t NVIDIA H100 80GB HBM3\nIRQ:   \t\t 24\n"
						"GPU UUID: \t GPU-1\nVideo BIOS: \t 96.00.74.00.01\n"
						"GPU Firmware: \t 550.54.14\nDevice Minor: \t 3\nGPU Excluded:\t No\n");

	(void)state;
	assert_string_equal(str_or(files.model, ""), "NVIDIA H100 80GB HBM3");
	assert_string_equal(str_or(files.uuid, ""), "GPU-1");
	assert_string_equal(str_or(files.vbios, ""), "96.00.74.00.01");
	assert_string_equal(str_or(files.firmware, ""), "550.54.14");
	assert_int_equal(u64_or(files.minor, 0), 3);
	assert_false(bool_or(files.excluded, true));
}

static void one_that_was_not(void **state)
{
	struct nvidia_files files = information("Model: NVIDIA L4\nGPU UUID: GPU-?\?\?\?\nVideo BIOS: ??.??.??.??.??\n"
						"GPU Firmware: N/A\nDevice Minor: x\nGPU Excluded: Maybe\n");

	(void)state;
	assert_int_equal(files.uuid.state, VAL_ABSENT);
	assert_int_equal(files.vbios.state, VAL_ABSENT);
	assert_string_equal(files.firmware.why, "runs none");
	assert_int_equal(files.minor.state, VAL_ERROR);
	assert_string_equal(files.excluded.why, "reads \"Maybe\"");
}

/* Each value then has the file's own reason. */
static void a_file_that_cannot_be_read(void **state)
{
	const struct proc_text file = { .state = VAL_DENIED, .why = "EACCES" };
	struct nvidia_files files;

	(void)state;
	nvidia_information_decode(&file, &arena, &files);
	assert_int_equal(files.model.state, VAL_DENIED);
	assert_int_equal(files.minor.state, VAL_DENIED);
	assert_string_equal(files.excluded.why, "EACCES");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(nvidia_says_its_version, end),
		cmocka_unit_test_teardown(a_gpu_that_was_opened, end),
		cmocka_unit_test_teardown(one_that_was_not, end),
		cmocka_unit_test_teardown(a_file_that_cannot_be_read, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
