// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/facts/upgrade.h"
#include "eval/judge/vendor.h"

/* The kernel that is started next: the newest, else the one that runs. */
static const struct installed_kernel *kernel_started_next(const struct snapshot *snapshot)
{
	struct kernels_in_use kernels = kernels_in_use(snapshot);

	return kernels.next ? kernels.next : kernels.running;
}

static void judge_blacklist(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	const struct installed_kernel *kernel = kernel_started_next(snapshot);

	question(j);
	if (snapshot->upgrade.nouveau_kept_off_by.state != VAL_ABSENT) {
		phrase(j, "answer", arena_printf(j->arena, "nouveau is blacklisted by %s",
						 need(j, upgrade, &snapshot->upgrade, nouveau_kept_off_by)));
		return;
	}
	if (!kernel) {
		skip_check(j, "no kernel in /lib/modules");
		return;
	}
	ask_about_kernel(j, kernel);
	phrase(j, "answer", arena_printf(j->arena, "kernel %s has no nouveau", str_or(kernel->key, "?")));
	if (!need(j, installed_kernel, kernel, has_nouveau))
		return;
	finding_add(j, nvidia_drives_any(snapshot) ? NOUVEAU_OFF_NOT_BLACKLISTED : NOUVEAU_OFF_MAY_BIND);
}

static void eval(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	const struct module *nouveau = list_find(snapshot, modules, module, "nouveau");
	const char *why = not_of_packages(j->arena, snapshot);

	if (why) {
		skip_check(j, why);
	} else if (!has_nvidia_gpu(snapshot) || !wants_nvidia(snapshot)) {
		skip_check(j, "no NVIDIA driver installed or requested");
	} else if (gpus_bound_to(snapshot, "nouveau")) {
		skip_check(j, "nouveau drives a GPU (gpu-bound)");
	} else if (nouveau) {
		want(j, module, nouveau, users);
		phrase(j, "answer", "nouveau is loaded");
		finding_add(j, NOUVEAU_OFF_LOADED);
	} else {
		judge_blacklist(j);
	}
}

const struct check check_nouveau_off = {
	.name = "nouveau-off",
	.title = "nouveau blacklisted",
	.doc = "If NVIDIA's driver is installed or requested (--to-driver): is nouveau loaded beside it, or able to "
	       "bind the GPUs at the next boot, as it is blacklisted neither in modprobe.d nor on the kernel command "
	       "line and the next kernel has it? A GPU bound to nouveau is reported by gpu-bound.",
	.per = SUBJECT_NODE,
	.says = "{answer}",
	.may_emit = IDS(NOUVEAU_OFF_LOADED, NOUVEAU_OFF_MAY_BIND, NOUVEAU_OFF_NOT_BLACKLISTED),
	.eval = eval,
};
