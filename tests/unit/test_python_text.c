// SPDX-License-Identifier: GPL-2.0-or-later
/* test_python_text.c - files of Python packages, read as text. */
#include "base/compat.h"
#include "format/python_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static struct arena arena;

static void test_assigned(void **state)
{
	static const char text[] =
		"from typing import Optional\n__all__ = ['__version__', 'cuda']\n__version__ = '2.5.0+cu124'\n"
		"debug = False\ncuda: Optional[str] = \"12.4\"\nhip: Optional[str] = None\ngit_version='abc'\nxpu == 3\n";
	bool is_none;

	(void)state;
	assert_string_equal(python_assigned(&arena, text, "__version__", &is_none), "2.5.0+cu124");
	assert_string_equal(python_assigned(&arena, text, "cuda", &is_none), "12.4");
	assert_false(is_none);
	assert_null(python_assigned(&arena, text, "hip", &is_none));
	assert_true(is_none);
	assert_string_equal(python_assigned(&arena, text, "git_version", &is_none), "abc");
	assert_null(python_assigned(&arena, text, "debug", &is_none));
	assert_false(is_none);
	assert_null(python_assigned(&arena, text, "xpu", &is_none));
	assert_null(python_assigned(&arena, text, "git", &is_none));
}

/* A wheel cut in half. */
static void test_cut(void **state)
{
	bool is_none;

	(void)state;
	assert_null(python_assigned(&arena, "cuda = '12.", "cuda", &is_none));
	assert_null(python_assigned(&arena, "cuda", "cuda", &is_none));
	assert_null(python_assigned(&arena, "cuda: Opt", "cuda", &is_none));
	assert_null(python_assigned(&arena, "", "cuda", &is_none));
	assert_null(python_entry(&arena, "('cuda_version', '12", "cuda_version"));
	assert_null(python_entry(&arena, "'cuda_version", "cuda_version"));
}

static void test_entry(void **state)
{
	static const char text[] =
		"build_info = collections.OrderedDict([('cpu_compiler', '/usr/bin/gcc'), "
		"(\"cuda_version\", \"12.5.1\"), ('is_cuda_build', True)])\nx = {'is_rocm_build': False}";

	(void)state;
	assert_string_equal(python_entry(&arena, text, "cuda_version"), "12.5.1");
	assert_string_equal(python_entry(&arena, text, "is_cuda_build"), "True");
	assert_string_equal(python_entry(&arena, text, "is_rocm_build"), "False");
	assert_null(python_entry(&arena, text, "cudnn_version"));
	assert_null(python_entry(&arena, text, "version"));
}

static void test_distribution(void **state)
{
	const char *name, *version;

	(void)state;
	assert_true(python_distribution(&arena, "nvidia_cublas_cu12-12.4.5.8.dist-info", &name, &version));
	assert_string_equal(name, "nvidia-cublas-cu12");
	assert_string_equal(version, "12.4.5.8");
	assert_true(python_distribution(&arena, "Torch-2.5.0+cu124-py3.11.egg-info", &name, &version));
	assert_string_equal(name, "torch");
	assert_string_equal(version, "2.5.0+cu124");
	assert_false(python_distribution(&arena, "torch", &name, &version));
	assert_false(python_distribution(&arena, ".dist-info", &name, &version));
	assert_false(python_distribution(&arena, "torch.dist-info", &name, &version));
	assert_false(python_distribution(&arena, "torch-.dist-info", &name, &version));
	assert_false(python_distribution(&arena, "-1.dist-info", &name, &version));
}

static void test_required(void **state)
{
	static const char text[] =
		"Metadata-Version: 2.1\nName: torch\nRequires-Dist: filelock\n"
		"Requires-Dist: nvidia-cublas-cu12 (==12.1.3.1) ; platform_system == \"Linux\"\n"
		"Requires-Dist: nvidia-cudnn-cu12==9.1.0.70; platform_machine == \"x86_64\"\n"
		"Requires-Dist: nvidia_nccl_cu12 == 2.21.5\r\n"
		"Requires-Dist: nvidia-nvtx-cu12>=12.4,<13\n"
		"Requires-Dist: nvidia-cufft-cu12==11.*\n"
		"Requires-Dist: nvidia-curand-cu12==1.0 ; extra == 'and-cuda'\n"
		"Requires-Dist: nvidia-cusparse-cu12==12.3.1,!=12.4\n";

	(void)state;
	assert_string_equal(python_required(&arena, text, "nvidia-cublas-cu12"), "12.1.3.1");
	assert_string_equal(python_required(&arena, text, "nvidia-cudnn-cu12"), "9.1.0.70");
	assert_string_equal(python_required(&arena, text, "nvidia-nccl-cu12"), "2.21.5");
	assert_null(python_required(&arena, text, "nvidia-nvtx-cu12"));
	assert_null(python_required(&arena, text, "nvidia-cufft-cu12"));
	assert_null(python_required(&arena, text, "nvidia-curand-cu12"));
	assert_null(python_required(&arena, text, "nvidia-cusparse-cu12"));
	assert_null(python_required(&arena, text, "nvidia-cudnn"));
	assert_null(python_required(&arena, text, "filelock"));
	assert_null(python_required(&arena, "Requires-Dist:", "torch"));
	assert_null(python_required(&arena, "Requires-Dist: torch==", "torch"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_assigned), cmocka_unit_test(test_cut), cmocka_unit_test(test_entry),
		cmocka_unit_test(test_distribution), cmocka_unit_test(test_required),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	arena_release(&arena);
	return failed;
}
