// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/facts/upgrade.h"
#include "snapshot/under_test.h"

/* A recording with an empty file for the running kernel's image did not copy its content. */
static bool has_sizes(const struct snapshot *snapshot, const struct installed_kernel *running)
{
	return snapshot_is_live(snapshot) || u64_or(running->initramfs_bytes, 0);
}

/* One that the running kernel was started with. Where that is not found, they are kept elsewhere. */
static void judge_missing(struct judgement *j, const struct installed_kernel *running,
			  const struct installed_kernel *kernel)
{
	ask_about_kernel(j, kernel);
	if (need(j, installed_kernel, kernel, has_initramfs) &&
	    (need(j, installed_kernel, kernel, initramfs_bytes) || !has_sizes(j->snapshot, running)))
		return;
	about(j, str_or(running->key, "?"));
	want(j, installed_kernel, running, has_initramfs);
	finding_add(j, INITRAMFS_MISSING);
}

/* A file that was written in the same hour may be of one installation, or of an image that was copied whole. */
static void judge_stale(struct judgement *j, const struct installed_kernel *kernel)
{
	const struct upgrade *upgrade = &j->snapshot->upgrade;

	if (upgrade->nvidia_in_initramfs_by.state == VAL_ABSENT ||
	    upgrade->nvidia_in_initramfs_by.state == VAL_UNSET || !is_known(kernel->initramfs_behind_s) ||
	    (double)u64_or(kernel->initramfs_behind_s, 0) <= j->policy->initramfs_behind_s)
		return;
	ask_about_kernel(j, kernel);
	want(j, installed_kernel, kernel, nvidia_version);
	need(j, installed_kernel, kernel, initramfs_behind_s);
	about(j, NULL);
	need(j, upgrade, upgrade, nvidia_in_initramfs_by);
	finding_add(j, INITRAMFS_STALE);
}

static void eval(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	const struct kernels_in_use kernels = kernels_in_use(snapshot);
	const char *why = not_of_packages(j->arena, snapshot);

	if (why) {
		skip_check(j, why);
		return;
	}
	if (!kernels.running || kernels.running->has_initramfs.state == VAL_UNSET) {
		skip_check(j, "the running kernel is not in /lib/modules");
		return;
	}
	ask_about_kernel(j, kernels.running);
	if (!need(j, installed_kernel, kernels.running, has_initramfs)) {
		if (all_known(j))
			skip_check(j, "kernel {kernel} is running without an initramfs in the usual place");
		return;
	}
	judge_missing(j, kernels.running, kernels.next ? kernels.next : kernels.running);
	judge_stale(j, kernels.next ? kernels.next : kernels.running);
}

const struct check check_initramfs = {
	.name = "initramfs",
	.title = "Initramfs of the next kernel",
	.doc = "Does the newest kernel, which usually boots next, have an initramfs like the running one, and is it "
	       "not empty? If initramfs-tools or dracut includes NVIDIA's module: is it as new as that kernel's "
	       "module? An older one loads the old driver at the next boot, which does not match the new libraries. "
	       "The contents are not read: an initramfs that includes the module or nouveau without configuration is "
	       "not detected, nor a newer one with an old module. Not checked with driver containers and image-based "
	       "systems.",
	.per = SUBJECT_NODE,
	.says = "kernel {kernel} has an initramfs",
	.may_emit = IDS(INITRAMFS_MISSING, INITRAMFS_STALE),
	.eval = eval,
};
