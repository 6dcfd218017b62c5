// SPDX-License-Identifier: GPL-2.0-or-later
/* Which kernel is the newest, and whose builds DKMS keeps. */
#include "base/compat.h"
#include "eval/facts/upgrade.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void releases_are_compared_by_their_numbers(void **state)
{
	(void)state;
	assert_true(kernel_release_compare("6.8.0-100-generic", "6.8.0-31-generic") > 0);
	assert_true(kernel_release_compare("5.14.0-362.el9.x86_64", "5.14.0-362.8.1.el9_3.x86_64") != 0);
	assert_true(kernel_release_compare("6.10", "6.9.12") > 0);
	assert_true(kernel_release_compare("6.1.0", "6.1.0-28") < 0);
	assert_int_equal(kernel_release_compare("6.1.0-28-amd64", "6.1.0-28-amd64"), 0);
	assert_true(kernel_release_compare("99999999999999999999999", "6.1") > 0);
	assert_int_equal(kernel_release_compare("", ""), 0);
}

static bool is_of(const char *name, const char *driver)
{
	struct module_build build = { .name = val_str(name) };

	return is_build_of(&build, driver);
}

static void a_build_is_the_drivers_or_stands_beside_it(void **state)
{
	(void)state;
	assert_true(is_of("nvidia", "nvidia"));
	assert_true(is_of("nvidia-current", "nvidia"));
	assert_true(is_of("nvidia-srv", "nvidia"));
	assert_false(is_of("nvidia-fs", "nvidia"));
	assert_false(is_of("nvidiafb", "nvidia"));
	assert_false(is_of("amdgpu", "nvidia"));
	assert_true(is_of("amdgpu", "amdgpu"));
}

static const char *next_kernel(const char *running, const char *other)
{
	struct installed_kernel kernels[] = { { .key = val_str(running) }, { .key = val_str(other) } };
	struct snapshot snapshot = { .installed_kernels = kernels, .nr_installed_kernels = 2 };
	struct kernels_in_use in_use;

	snapshot.host.kernel = val_str(running);
	in_use = kernels_in_use(&snapshot);
	return in_use.next ? str_or(in_use.next->key, "?") : NULL;
}

static void the_next_kernel_is_the_newest_of_the_same_build(void **state)
{
	(void)state;
	assert_string_equal(next_kernel("6.8.0-31-generic", "6.8.0-100-generic"), "6.8.0-100-generic");
	assert_null(next_kernel("6.8.0-100-generic", "6.8.0-31-generic"));
	assert_null(next_kernel("5.14.0-503.el9.x86_64", "5.14.0-503.el9.x86_64+debug"));
	assert_null(next_kernel("5.14.0-427.el9.aarch64+64k", "5.14.0-503.el9.aarch64"));
	assert_string_equal(next_kernel("5.14.0-427.el9.aarch64+64k", "5.14.0-503.el9.aarch64+64k"),
			    "5.14.0-503.el9.aarch64+64k");
	assert_string_equal(next_kernel("6.8.0", "6.13.0-rc1+"), "6.13.0-rc1+");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(releases_are_compared_by_their_numbers),
		cmocka_unit_test(a_build_is_the_drivers_or_stands_beside_it),
		cmocka_unit_test(the_next_kernel_is_the_newest_of_the_same_build),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
