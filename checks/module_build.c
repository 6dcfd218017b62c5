// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/text.h"
#include "checks/playbook.h"
#include "eval/facts/upgrade.h"
#include "snapshot/node.h"

/* DKMS's state of a version and kernel; its error is free text, and may be redacted. */
static void note_build(struct judgement *j, const struct module_build *build)
{
	about(j, str_or(build->key, "?"));
	want(j, module_build, build, state);
	want(j, module_build, build, error);
	about(j, NULL);
	derive_str(j, "build", arena_printf(j->arena, "%s %s", str_or(build->name, "?"), str_or(build->version, "?")),
		   "/var/lib/dkms");
	derive_str(j, "build_folder", arena_printf(j->arena, "/var/lib/dkms/%s/%s", str_or(build->name, "?"),
						   str_or(build->version, "?")), "/var/lib/dkms");
	derive_str(j, "build_option", arena_printf(j->arena, "%s/%s", str_or(build->name, "?"),
						   str_or(build->version, "?")), "/var/lib/dkms");
	phrase(j, "says", is_known(build->error) ? arena_printf(j->arena, ": %s", str_or(build->error, "")) : "");
}

/* A kernel without any module of NVIDIA's: what became of it? */
static void judge_missing(struct judgement *j, const struct installed_kernel *kernel)
{
	const struct module_build *build = build_for(j->snapshot, "nvidia", kernel);
	const char *release = str_or(kernel->key, "?");

	/* What DKMS has installed and depmod does not list was taken away behind its back. */
	if (!build || str_is(build->state, "installed")) {
		finding_add_of(j, MODULE_BUILD_NONE, release);
		return;
	}
	note_build(j, build);
	if (str_is(build->state, "failed"))
		finding_add_of(j, MODULE_BUILD_FAILED, release);
	else
		finding_add_of(j, MODULE_BUILD_NOT_INSTALLED, release);
}

/* It has one; another version may have been tried for it, and failed. */
static void judge_failed_beside(struct judgement *j, const struct installed_kernel *kernel)
{
	const struct snapshot *snapshot = j->snapshot;

	for (size_t i = 0; i < snapshot->nr_module_builds; i++) {
		const struct module_build *build = &snapshot->module_builds[i];

		if (!is_build_of(build, "nvidia") || !str_is(build->state, "failed") ||
		    !str_is(build->kernel, str_or(kernel->key, "")))
			continue;
		ask_about_kernel(j, kernel);
		note_build(j, build);
		finding_add_of(j, MODULE_BUILD_FAILED, str_or(build->key, "?"));
	}
}

static void judge_nvidia(struct judgement *j, const struct installed_kernel *kernel)
{
	ask_about_kernel(j, kernel);
	if (kernel->nvidia_file.state == VAL_ABSENT) {
		want(j, installed_kernel, kernel, nvidia_file);
		judge_missing(j, kernel);
		return;
	}
	need(j, installed_kernel, kernel, nvidia_file);
	judge_failed_beside(j, kernel);
}

/* The next kernel's is of another version: programs' libraries are of one. */
static void judge_versions(struct judgement *j, const struct kernels_in_use *kernels)
{
	const char *now, *then;

	if (!kernels->running || !kernels->next || !is_known(kernels->running->nvidia_version) ||
	    !is_known(kernels->next->nvidia_version))
		return;
	ask_about_kernel(j, kernels->next);
	now = str_or(kernels->running->nvidia_version, "");
	then = want(j, installed_kernel, kernels->next, nvidia_version);
	about(j, NULL);
	derive_str(j, "version_now", now, "the file of the kernel that runs");
	if (version_compare(now, then))
		finding_add(j, MODULE_BUILD_OTHER_VERSION);
}

/* Where the next kernel has no build of it, the kernel's own amdgpu drives the GPUs. */
static void judge_amdgpu(struct judgement *j, const struct kernels_in_use *kernels)
{
	const struct module_build *now = kernels->running ? build_for(j->snapshot, "amdgpu", kernels->running) : NULL;
	const struct module_build *then;

	if (!now || !kernels->next || !str_is(now->state, "installed"))
		return;
	then = build_for(j->snapshot, "amdgpu", kernels->next);
	ask_about_kernel(j, kernels->next);
	note_build(j, then ? then : now);
	if (!then || !str_is(then->state, "installed"))
		finding_add_of(j, MODULE_BUILD_IN_TREE, str_or(kernels->next->key, "?"));
}

static void eval(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	const char *why = not_of_packages(j->arena, snapshot);
	struct kernels_in_use kernels = kernels_in_use(snapshot);
	bool of_nvidia = nvidia_module(snapshot) || is_kept_by_dkms(snapshot, "nvidia");

	if (why) {
		skip_check(j, why);
	} else if (!snapshot->nr_installed_kernels) {
		need(j, listed, &snapshot->listed, installed_kernels);
		skip_check(j, "no kernel in /lib/modules");
	} else if (!of_nvidia && !is_kept_by_dkms(snapshot, "amdgpu")) {
		skip_check(j, "no NVIDIA driver and no DKMS module: in-tree drivers need no build");
	} else {
		if (of_nvidia && kernels.running)
			judge_nvidia(j, kernels.running);
		if (of_nvidia && kernels.next)
			judge_nvidia(j, kernels.next);
		if (of_nvidia)
			judge_versions(j, &kernels);
		judge_amdgpu(j, &kernels);
		question(j);
		need(j, listed, &snapshot->listed, installed_kernels);
	}
}

const struct check check_module_build = {
	.name = "module-build",
	.title = "Driver module built",
	.doc = "Do the running kernel and the newest installed one have a module of NVIDIA's driver on disk? The "
	       "newest usually boots next: without a module there is no driver then. With DKMS: did the build fail, "
	       "or was the module never installed? For AMD's driver from DKMS: would the in-tree driver replace it? "
	       "Not checked with driver containers and image-based systems.",
	.per = SUBJECT_NODE,
	.says = "the kernels in use have their modules",
	.may_emit = IDS(MODULE_BUILD_NONE, MODULE_BUILD_FAILED, MODULE_BUILD_NOT_INSTALLED, MODULE_BUILD_OTHER_VERSION,
			MODULE_BUILD_IN_TREE),
	.eval = eval,
};
