// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/facts/upgrade.h"

#include "base/text.h"
#include "snapshot/node.h"
#include "snapshot/under_test.h"

/* Systems that are put on whole, by ID of os-release(5): each brings its driver with its image or by a container. */
static const char *const image_systems[] = {
	"cos", "bottlerocket", "talos", "flatcar", "nixos", "rhcos", "sl-micro", "opensuse-microos", "ubuntu-core",
};

static const char *image_system(const struct snapshot *snapshot)
{
	const struct upgrade *upgrade = &snapshot->upgrade;

	for (size_t i = 0; i < ARRAY_SIZE(image_systems); i++)
		if (str_is(upgrade->os_id, image_systems[i]))
			return image_systems[i];
	if (str_is(upgrade->os_variant, "coreos"))
		return "CoreOS";
	return bool_or(upgrade->is_ostree, false) ? "ostree" : NULL;
}

const char *not_of_packages(struct arena *arena, const struct snapshot *snapshot)
{
	const char *image = image_system(snapshot), *container = str_or(snapshot->upgrade.driver_container, NULL);

	if (is_in_container(snapshot))
		return "checked on the host only, this is a container";
	if (str_is(snapshot->host.virtualisation, "wsl"))
		return "under WSL, Windows provides the driver";
	if (snapshot->upgrade.os_id.state == VAL_UNSET)
		return "driver installation not collected";
	if (container)
		return arena_printf(arena, "the driver comes from a container image: %s exists",
				    container);
	if (image)
		return arena_printf(arena, "the system is image-based (%s) and includes its driver",
				    image);
	return NULL;
}

bool has_nvidia_gpu(const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->nr_gpus; i++)
		if (str_is(snapshot->gpus[i].pci.vendor_id, "0x10de") &&
		    gpu_is_under_test(snapshot, &snapshot->gpus[i]))
			return true;
	return false;
}

bool wants_nvidia(const struct snapshot *snapshot)
{
	if (nvidia_module(snapshot))
		return true;
	/* A file alone may be there for a GPU that is given to virtual machines. */
	if (!has_nvidia_gpu(snapshot))
		return false;
	if (is_known(snapshot->request.to_driver))
		return true;
	for (size_t i = 0; i < snapshot->nr_installed_kernels; i++)
		if (is_known(snapshot->installed_kernels[i].nvidia_file))
			return true;
	return false;
}

bool is_build_of(const struct module_build *build, const char *driver)
{
	static const char *const beside[] = { "nvidia-fs", "nvidia-peermem", "nvidia-gdrcopy" };
	const char *name = str_or(build->name, "");

	return !text_is_any(name, beside, ARRAY_SIZE(beside)) && !strncmp(name, driver, strlen(driver)) &&
	       (!name[strlen(driver)] || name[strlen(driver)] == '-');
}

const struct module_build *build_for(const struct snapshot *snapshot, const char *driver,
				     const struct installed_kernel *kernel)
{
	const struct module_build *found = NULL;

	for (size_t i = 0; i < snapshot->nr_module_builds; i++) {
		const struct module_build *build = &snapshot->module_builds[i];

		if (!is_build_of(build, driver) ||
		    (is_known(build->kernel) && !str_is(build->kernel, str_or(kernel->key, ""))))
			continue;
		if (str_is(build->state, "installed"))
			return build;
		/* A DKMS build that was attempted says more than a module that was only added. */
		if (!found || is_known(build->kernel))
			found = build;
	}
	return found;
}

bool is_kept_by_dkms(const struct snapshot *snapshot, const char *driver)
{
	for (size_t i = 0; i < snapshot->nr_module_builds; i++)
		if (is_build_of(&snapshot->module_builds[i], driver))
			return true;
	return false;
}

const char *nvidia_builder(const struct snapshot *snapshot)
{
	if (is_kept_by_dkms(snapshot, "nvidia"))
		return "DKMS";
	return is_known(snapshot->upgrade.installer) ? "NVIDIA's installer" : NULL;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

int kernel_release_compare(const char *a, const char *b)
{
	while (*a && *b) {
		if (is_digit(*a) && is_digit(*b)) {
			char *a_end, *b_end;
			unsigned long long a_number = strtoull(a, &a_end, 10), b_number = strtoull(b, &b_end, 10);

			if (a_number != b_number)
				return a_number < b_number ? -1 : 1;
			a = a_end;
			b = b_end;
		} else if (*a != *b) {
			return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
		} else {
			a++;
			b++;
		}
	}
	return !!*a - !!*b;
}

/*
 * "+debug", "+rt": RHEL's other builds of a kernel, which its loader starts when told only (DEFAULTKERNEL of
 * /etc/sysconfig/kernel), and where one runs, none but that. A plus alone ends what was built from a changed tree.
 */
static bool is_same_build(const char *a, const char *b)
{
	const char *of_a = strchr(a, '+'), *of_b = strchr(b, '+');

	of_a = of_a && of_a[1] ? of_a : "";
	of_b = of_b && of_b[1] ? of_b : "";
	return !strcmp(of_a, of_b);
}

struct kernels_in_use kernels_in_use(const struct snapshot *snapshot)
{
	struct kernels_in_use kernels = {
		.running = list_find(snapshot, installed_kernels, installed_kernel, str_or(snapshot->host.kernel, "")),
	};
	/* If even the running kernel has no image here, images are kept in a place that is not searched. */
	bool by_image = kernels.running && bool_or(kernels.running->has_image, false);

	for (size_t i = 0; i < snapshot->nr_installed_kernels; i++) {
		const struct installed_kernel *kernel = &snapshot->installed_kernels[i];

		if ((by_image && !bool_or(kernel->has_image, true)) ||
		    (kernels.running && !is_same_build(str_or(kernel->key, ""), str_or(kernels.running->key, ""))))
			continue;
		if (!kernels.next ||
		    kernel_release_compare(str_or(kernel->key, ""), str_or(kernels.next->key, "")) > 0)
			kernels.next = kernel;
	}
	if (kernels.next == kernels.running)
		kernels.next = NULL;
	return kernels;
}

void ask_about_kernel(struct judgement *j, const struct installed_kernel *kernel)
{
	bool runs = str_is(j->snapshot->host.kernel, str_or(kernel->key, ""));

	question(j);
	derive_str(j, "kernel", str_or(kernel->key, "?"), "/lib/modules");
	derive_str(j, "which", runs ? "the running one" : "the newest installed", "/proc/sys/kernel/osrelease");
	/* What is read next is of that kernel. */
	about(j, str_or(kernel->key, "?"));
}
