// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/facts/upgrade.h"

enum enforcement { NOT_KNOWN, NOT_ENFORCED, ENFORCED };

/*
 * Does this kernel take signed modules only? Distributions' kernels lock themselves down where Secure Boot is on
 * (kernel_lockdown(7)); Secure Boot alone says so where neither of the others can be read.
 */
static enum enforcement enforcement_of(struct judgement *j)
{
	const struct upgrade *upgrade = &j->snapshot->upgrade;
	const char *lockdown = want(j, upgrade, upgrade, lockdown);
	bool asked_for = want(j, upgrade, upgrade, signatures_enforced);
	bool secure = want(j, upgrade, upgrade, secure_boot);

	if (asked_for) {
		derive_str(j, "because", "module.sig_enforce is set", "/sys/module/module/parameters/sig_enforce");
		return ENFORCED;
	}
	if (!strcmp(lockdown, "integrity") || !strcmp(lockdown, "confidentiality")) {
		derive_str(j, "because", arena_printf(j->arena, "the kernel is locked down (%s)", lockdown),
			   "/sys/kernel/security/lockdown");
		return ENFORCED;
	}
	if (is_known(upgrade->lockdown) || upgrade->secure_boot.state == VAL_ABSENT)
		return NOT_ENFORCED;
	if (!is_known(upgrade->secure_boot))
		return NOT_KNOWN;
	derive_str(j, "because", "Secure Boot is on", "/sys/firmware/efi/efivars");
	return secure ? ENFORCED : NOT_ENFORCED;
}

/* A file without a signature: that kernel will not load it. */
static void judge_file(struct judgement *j, const struct installed_kernel *kernel)
{
	if (!kernel || !is_known(kernel->nvidia_file) || kernel->nvidia_is_signed.state == VAL_UNSUPPORTED)
		return;
	ask_about_kernel(j, kernel);
	want(j, installed_kernel, kernel, nvidia_file);
	enforcement_of(j);
	if (!need(j, installed_kernel, kernel, nvidia_is_signed))
		finding_add_of(j, SECURE_BOOT_UNSIGNED, str_or(kernel->key, "?"));
}

/* What DKMS builds next is signed with its key: does the kernel know that? */
static void judge_key(struct judgement *j)
{
	const struct upgrade *upgrade = &j->snapshot->upgrade;

	if (!is_kept_by_dkms(j->snapshot, "nvidia") || !wants_nvidia(j->snapshot))
		return;
	question(j);
	enforcement_of(j);
	if (upgrade->signing_key.state == VAL_ABSENT) {
		want(j, upgrade, upgrade, signing_key);
		finding_add(j, SECURE_BOOT_NO_KEY);
		return;
	}
	need(j, upgrade, upgrade, signing_key);
	if (!need(j, upgrade, upgrade, signing_key_enrolled))
		finding_add(j, SECURE_BOOT_KEY_NOT_ENROLLED);
}

static void eval(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	const char *why = not_of_packages(j->arena, snapshot);
	struct kernels_in_use kernels = kernels_in_use(snapshot);
	enum enforcement enforcement;

	if (why || !wants_nvidia(snapshot)) {
		skip_check(j, why ? why : "no NVIDIA driver: in-tree modules are signed with the kernel");
		return;
	}
	enforcement = enforcement_of(j);
	phrase(j, "answer", enforcement == ENFORCED ? "modules are signed with a trusted key" :
						      "this kernel accepts unsigned modules");
	if (enforcement == NOT_KNOWN) {
		need(j, upgrade, &snapshot->upgrade, lockdown);
		need(j, upgrade, &snapshot->upgrade, secure_boot);
	}
	if (enforcement == NOT_ENFORCED && snapshot->upgrade.secure_boot.state == VAL_ABSENT)
		skip_check(j, "no EFI firmware, no Secure Boot");
	if (enforcement != ENFORCED)
		return;
	judge_file(j, kernels.running);
	judge_file(j, kernels.next);
	judge_key(j);
}

const struct check check_secure_boot = {
	.name = "secure-boot",
	.title = "Signed modules",
	.doc = "If the kernel accepts signed modules only (Secure Boot with lockdown, or module.sig_enforce): are "
	       "NVIDIA's modules on disk signed, and is DKMS's signing key enrolled in the firmware (MOK)? A loaded "
	       "module stays; without a trusted signature it does not load after the next reboot. Unknown for "
	       "compressed module files. Not checked with driver containers and image-based systems.",
	.per = SUBJECT_NODE,
	.says = "{answer}",
	.may_emit = IDS(SECURE_BOOT_UNSIGNED, SECURE_BOOT_KEY_NOT_ENROLLED, SECURE_BOOT_NO_KEY),
	.eval = eval,
};
