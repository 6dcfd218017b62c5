// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/text.h"
#include "checks/playbook.h"
#include "eval/fabric.h"
#include "snapshot/under_test.h"

/* The package of the target, else any. */
static const struct software *find_package(const struct snapshot *snapshot, const char *target)
{
	const struct software *found = NULL;

	for (size_t i = 0; i < snapshot->nr_software; i++) {
		const struct software *software = &snapshot->software[i];

		if (str_is(software->name, "fabric-manager") && is_known(software->version) &&
		    (!found || !version_compare(str_or(software->version, ""), target)))
			found = software;
	}
	return found;
}

static void judge(struct judgement *j, const char *target)
{
	const struct snapshot *snapshot = j->snapshot;
	const struct software *package = find_package(snapshot, target);

	need(j, bus, &snapshot->bus, nvswitches);
	if (package) {
		about(j, str_or(package->key, "?"));
		derive_str(j, "fabric_manager", look(j, software, package, version), "its package");
		about(j, NULL);
		derive_str(j, "package", str_or(package->key, "?"), "its package");
		if (version_compare(str_or(package->version, ""), target))
			finding_add(j, TARGET_FABRIC_OTHER);
		return;
	}
	/* A list that was read and has none: it comes with the driver's container, or is missing (daemons). */
	if (is_known(snapshot->listed.software))
		skip_check(j, "no package of the fabric manager is installed here");
	else
		unknown(j, "which fabric manager is installed nobody told");
}

static void eval(struct judgement *j)
{
	const struct request *request = &j->snapshot->request;

	if (!is_known(request->to_driver))
		skip_check(j, "no other driver is asked about (--to-driver)");
	else if (!is_fabric_managed(j->snapshot))
		skip_check(j, "no NVSwitches that a fabric manager would serve");
	else if (is_in_container(j->snapshot))
		skip_check(j, "the fabric manager is the host's affair");
	else
		judge(j, need(j, request, request, to_driver));
}

const struct check check_target_fabric = {
	.name = "target-fabric",
	.title = "Fabric manager and the driver to go to",
	.doc = "On a board with NVSwitches, is the fabric manager of the version that gpudiag gate was asked about "
	       "(--to-driver) installed? It serves no driver of another version, and without it no GPU of the board "
	       "starts any work. One of another version is a warning: it has to be changed together with the driver.",
	.per = SUBJECT_NODE,
	.says = "fabric manager {fabric_manager} is installed",
	.may_emit = IDS(TARGET_FABRIC_OTHER),
	.eval = eval,
};
