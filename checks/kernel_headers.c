// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/facts/upgrade.h"

/* Must NVIDIA's module be built for this kernel? For another driver always; else where there is none yet. */
static bool nvidia_is_to_build(const struct snapshot *snapshot, const struct installed_kernel *kernel)
{
	return wants_nvidia(snapshot) && nvidia_builder(snapshot) &&
	       (is_known(snapshot->request.to_driver) || kernel->nvidia_file.state == VAL_ABSENT);
}

static bool amdgpu_is_to_build(const struct snapshot *snapshot, const struct installed_kernel *kernel)
{
	const struct module_build *build = build_for(snapshot, "amdgpu", kernel);

	return is_kept_by_dkms(snapshot, "amdgpu") && !(build && str_is(build->state, "installed"));
}

static void ask_about(struct judgement *j, const struct installed_kernel *kernel, size_t *nr)
{
	bool of_nvidia = kernel && nvidia_is_to_build(j->snapshot, kernel);

	if (!of_nvidia && !(kernel && amdgpu_is_to_build(j->snapshot, kernel)))
		return;
	++*nr;
	ask_about_kernel(j, kernel);
	derive_str(j, "builder", of_nvidia ? nvidia_builder(j->snapshot) : "DKMS", "/var/lib/dkms, /usr/bin, /var/log");
	if (!need(j, installed_kernel, kernel, has_headers))
		finding_add_of(j, KERNEL_HEADERS_MISSING, str_or(kernel->key, "?"));
}

static void eval(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	const char *why = not_of_packages(j->arena, snapshot);
	struct kernels_in_use kernels = kernels_in_use(snapshot);
	size_t nr = 0;

	if (why) {
		skip_check(j, why);
		return;
	}
	ask_about(j, kernels.running, &nr);
	ask_about(j, kernels.next, &nr);
	if (nr)
		return;
	if (!snapshot->nr_installed_kernels)
		skip_check(j, "no kernel in /lib/modules");
	else if (!nvidia_builder(snapshot) && !is_kept_by_dkms(snapshot, "amdgpu"))
		skip_check(j, "modules are packaged with the kernels, not built here");
	else
		skip_check(j, "the kernels have their modules, and no other driver requested (--to-driver)");
}

const struct check check_kernel_headers = {
	.name = "kernel-headers",
	.title = "Kernel headers for the driver's modules",
	.doc = "If DKMS or NVIDIA's installer builds the driver on the node: are the headers installed of the running "
	       "kernel and of the newest installed one, which usually boots next? Checked if another driver is "
	       "requested (--to-driver), and for kernels without a module. Not checked with packaged modules, driver "
	       "containers and image-based systems.",
	.per = SUBJECT_NODE,
	.says = "headers of {kernel} are installed",
	.may_emit = IDS(KERNEL_HEADERS_MISSING),
	.eval = eval,
};
