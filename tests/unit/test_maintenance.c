// SPDX-License-Identifier: GPL-2.0-or-later
/* test_maintenance.c - what tells that somebody works on a GPU driver: names, folders, locks, dpkg's paragraphs. */
#include "base/compat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "probe/process/gpu_reset.h"
#include "probe/process/maintenance.h"

static struct arena arena;

static int release(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

static void assert_driver(const char *got, const char *expected)
{
	if (!expected)
		assert_null(got);
	else
		assert_string_equal(got, expected);
}

static void modules_of_drivers(void **state)
{
	(void)state;
	assert_driver(driver_of_module("nvidia"), "nvidia");
	assert_driver(driver_of_module("nvidia_uvm"), "nvidia");
	assert_driver(driver_of_module("nvidia-current"), "nvidia");
	assert_driver(driver_of_module("amdgpu"), "amdgpu");
	assert_driver(driver_of_module("intel-i915-dkms"), "i915");
	assert_driver(driver_of_module("xe-dkms"), "xe");
	assert_driver(driver_of_module("nvidia-fs"), NULL);
	assert_driver(driver_of_module("nvidiafb"), NULL);
	assert_driver(driver_of_module("xen"), NULL);
	assert_driver(driver_of_module("zfs"), NULL);
	assert_driver(driver_of_module(""), NULL);
}

static void packages_of_drivers(void **state)
{
	(void)state;
	assert_driver(driver_of_package("nvidia-dkms-580"), "nvidia");
	assert_driver(driver_of_package("nvidia-kernel-open-dkms"), "nvidia");
	assert_driver(driver_of_package("linux-modules-nvidia-580-6.8.0-31-generic"), "nvidia");
	assert_driver(driver_of_package("amdgpu-dkms"), "amdgpu");
	/* cut after 15 characters, as the kernel cuts names */
	assert_driver(driver_of_package("libnvidia-compu"), "nvidia");
	assert_driver(driver_of_package("linux-modules-n"), "nvidia");
	assert_driver(driver_of_package("libnvidia-conta"), NULL);
	assert_driver(driver_of_package("libnvidia-container1"), NULL);
	assert_driver(driver_of_package("nvidia-container-toolkit"), NULL);
	assert_driver(driver_of_package("linux-modules-6.8.0-31-generic"), NULL);
	assert_driver(driver_of_package("nvidia"), NULL);
	assert_driver(driver_of_package("vim"), NULL);
	assert_driver(driver_of_package(""), NULL);
}

static void folders_of_dkms(void **state)
{
	const char *driver = NULL;

	(void)state;
	assert_string_equal(dkms_work(&arena, "/var/lib/dkms/nvidia/580.95.05/build", &driver), "nvidia 580.95.05");
	assert_string_equal(driver, "nvidia");
	assert_string_equal(dkms_work(&arena, "/var/lib/dkms/amdgpu/6.10.5-2095006.24.04/build/amd", &driver),
			    "amdgpu 6.10.5-2095006.24.04");
	assert_string_equal(driver, "amdgpu");
	assert_null(dkms_work(&arena, "/var/lib/dkms/zfs/2.2.2/build", &driver));
	assert_null(dkms_work(&arena, "/var/lib/dkms/nvidia-fs/2.25/build", &driver));
	assert_null(dkms_work(&arena, "/var/lib/dkms/nvidia", &driver));
	assert_null(dkms_work(&arena, "/var/lib/dkms/nvidia/original_module", &driver));
	assert_null(dkms_work(&arena, "/home/user/var/lib/dkms/nvidia/580.95.05", &driver));
	assert_null(dkms_work(&arena, "", &driver));
}

static void locks_of_dpkg(void **state)
{
	static const char locks[] = "1: POSIX  ADVISORY  WRITE 801 08:02:393229 0 EOF\n"
				    "2: POSIX  ADVISORY  READ 802 08:02:393229 0 EOF\n"
				    "3: -> POSIX  ADVISORY  WRITE 803 08:02:393229 0 EOF\n"
				    "3: FLOCK  ADVISORY  WRITE 1127 00:1a:1043 0 EOF\n";

	(void)state;
	assert_true(has_write_lock(locks, 801));
	assert_false(has_write_lock(locks, 80));
	assert_false(has_write_lock(locks, 802));
	assert_false(has_write_lock(locks, 803));
	assert_false(has_write_lock("", 801));
	assert_false(has_write_lock("garbage\n\n801", 801));
}

static void assert_paragraph(const char *text, const char *package, const char *status)
{
	const char *got_package, *got_status;

	dpkg_paragraph(&arena, text, &got_package, &got_status);
	assert_driver(got_package, package);
	assert_driver(got_status, status);
}

static void paragraphs_of_dpkg(void **state)
{
	(void)state;
	assert_paragraph("Package: nvidia-dkms-580\nStatus: install ok half-configured\nPriority: optional\n",
			 "nvidia-dkms-580", "half-configured");
	assert_paragraph("Package: vim\nStatus: install ok installed", "vim", "installed");
	/* a field of another name, and one of the next paragraph */
	assert_paragraph("Package: vim\nConfig-Status: a b\n\nStatus: install ok installed\n", NULL, NULL);
	assert_paragraph("Status: install ok installed\n", NULL, NULL);
	assert_paragraph("Package: vim\nStatus: installed\n", NULL, NULL);
	assert_paragraph("", NULL, NULL);
}

static void files_of_rpm(void **state)
{
	(void)state;
	assert_driver(driver_of_rpm("/var/cache/dnf/x/packages/kmod-nvidia-open-dkms-580.95.05-1.noarch.rpm"),
		      "nvidia");
	assert_driver(driver_of_rpm("nvidia-driver-cuda-580.95.05-1.el9.x86_64.rpm"), "nvidia");
	assert_driver(driver_of_rpm("/tmp/nvidia-open-driver-G06-signed-kmp-default-580.rpm"), "nvidia");
	assert_driver(driver_of_rpm("/tmp/amdgpu-dkms-6.10.5-1.noarch.rpm"), "amdgpu");
	assert_driver(driver_of_rpm("/tmp/kmod-nvidia-fs-2.25.rpm"), NULL);
	assert_driver(driver_of_rpm("/tmp/nvidia-container-toolkit-1.17.8-1.x86_64.rpm"), NULL);
	assert_driver(driver_of_rpm("/tmp/nvidia-driver-580.95.05.run"), NULL);
	assert_driver(driver_of_rpm("/tmp/nvidia-driver-.rpm/vim-9.rpm"), NULL);
	assert_driver(driver_of_rpm(".rpm"), NULL);
	assert_driver(driver_of_rpm(""), NULL);
}

static void logs_of_akmods(void **state)
{
	const char *driver = NULL;

	(void)state;
	assert_string_equal(akmods_work(&arena, "/var/cache/akmods/nvidia/.last.log", &driver), "nvidia");
	assert_string_equal(driver, "nvidia");
	assert_null(akmods_work(&arena, "/var/cache/akmods/v4l2loopback/.last.log", &driver));
	assert_null(akmods_work(&arena, "/var/cache/akmods/nvidia", &driver));
	assert_null(akmods_work(&arena, "/var/cache/akmods/", &driver));
	assert_null(akmods_work(&arena, "/dev/pts/3", &driver));
}

#define RESETS(comm, words) (gpu_reset_by_arguments(comm, words, sizeof(words)).driver != NULL)

static void arguments_of_resets(void **state)
{
	(void)state;
	assert_true(RESETS("nvidia-smi", "nvidia-smi\0-r"));
	assert_true(RESETS("nvidia-smi", "/usr/bin/nvidia-smi\0--gpu-reset\0-i\0000"));
	assert_true(RESETS("nvidia-smi", "nvidia-smi\0-i\0003\0-r"));
	assert_true(RESETS("xpumcli", "xpumcli\0config\0-d\0001\0--reset"));
	assert_false(RESETS("nvidia-smi", "nvidia-smi"));
	assert_false(RESETS("nvidia-smi", "nvidia-smi\0-rac"));
	assert_false(RESETS("nvidia-smi", "nvidia-smi\0nvlink\0-r\0000"));
	assert_false(RESETS("nvidia-smi", "-r\0-q"));
	assert_false(RESETS("xpu-smi", "xpu-smi\0health\0-d\0001"));
	assert_false(RESETS("bash", "nvidia-smi\0-r"));
	/* cut, where the kernel gave no more, or gave nothing */
	assert_false(gpu_reset_by_arguments("nvidia-smi", "nvidia-smi\0-r", strlen("nvidia-smi") + 3).driver);
	assert_false(gpu_reset_by_arguments("nvidia-smi", "", 0).driver);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(modules_of_drivers),
		cmocka_unit_test(packages_of_drivers),
		cmocka_unit_test(folders_of_dkms),
		cmocka_unit_test(locks_of_dpkg),
		cmocka_unit_test(paragraphs_of_dpkg),
		cmocka_unit_test(files_of_rpm),
		cmocka_unit_test(logs_of_akmods),
		cmocka_unit_test(arguments_of_resets),
	};

	return cmocka_run_group_tests(tests, NULL, release);
}
