// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/text.h"
#include "checks/playbook.h"
#include "eval/facts/upgrade.h"
#include "eval/nvidia/nvidia_targets.h"
#include "snapshot/node.h"

/* Another version waits on the disk: the one of --to-driver, or one whose installation has begun. */
static void judge_version(struct judgement *j, const struct module *nvidia, const char *loaded, const char *disk)
{
	const struct request *request = &j->snapshot->request;

	if (!version_compare(disk, loaded))
		return;
	if (!is_known(request->to_driver)) {
		skip_check(j, "the module on disk is of another version (driver-match)");
		return;
	}
	want(j, request, request, to_driver);
	want(j, module, nvidia, version);
	finding_add(j, nvidia_version_is(disk, str_or(request->to_driver, "")) ? MODULE_ON_DISK_ALREADY_THERE :
										MODULE_ON_DISK_HALF_DONE);
}

/* The same version and the other of NVIDIA's two modules: the next boot changes it. */
static void judge_flavour(struct judgement *j, const struct module *nvidia, const struct installed_kernel *kernel)
{
	const char *disk, *loaded;

	if (!kernel || !is_known(kernel->nvidia_flavour) || !is_known(nvidia->flavour))
		return;
	question(j);
	about(j, str_or(kernel->key, "?"));
	disk = want(j, installed_kernel, kernel, nvidia_flavour);
	about(j, NULL);
	loaded = want(j, module, nvidia, flavour);
	if (strcmp(disk, loaded) != 0)
		finding_add(j, MODULE_ON_DISK_OTHER_FLAVOUR);
}

static void eval(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	const struct module *nvidia = nvidia_module(snapshot);
	const struct installed_kernel *kernel = kernels_in_use(snapshot).running;
	const char *why = not_of_packages(j->arena, snapshot), *disk;

	if (why || !nvidia || !is_known(nvidia->version)) {
		skip_check(j, why ? why : "NVIDIA's module is not loaded");
		return;
	}
	if (nvidia->disk_version.state == VAL_ABSENT) {
		skip_check(j, "the running kernel has no NVIDIA module file (module-build)");
		return;
	}
	if (nvidia->disk_version.state == VAL_UNSUPPORTED) {
		skip_check(j, "the module file is compressed and its version unknown");
		return;
	}
	disk = need(j, module, nvidia, disk_version);
	if (!all_known(j))
		return;
	judge_version(j, nvidia, str_or(nvidia->version, ""), disk);
	judge_flavour(j, nvidia, kernel);
}

const struct check check_module_on_disk = {
	.name = "module-on-disk",
	.title = "Module on disk",
	.doc = "Before another driver is put on: is NVIDIA's module on disk already of the requested version, so that "
	       "only a reload or reboot is needed; or of a third version? And is it the same flavour, open or "
	       "proprietary, as the loaded one? A version difference as such is reported by driver-match.",
	.per = SUBJECT_NODE,
	.says = "nvidia {disk_version} is loaded and on disk",
	.may_emit = IDS(MODULE_ON_DISK_HALF_DONE, MODULE_ON_DISK_ALREADY_THERE, MODULE_ON_DISK_OTHER_FLAVOUR),
	.eval = eval,
};
