// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/nvidia/nvidia_branches.h"
#include "snapshot/node.h"
#include "snapshot/under_test.h"

static void eval(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	const struct module *nvidia = nvidia_module(snapshot);
	const char *version, *end;

	if (!nvidia || !is_known(nvidia->version)) {
		skip_check(j, "no NVIDIA module with a known branch");
		return;
	}
	if (!snapshot_is_live(snapshot)) {
		skip_check(j, "a recorded tree has no date");
		return;
	}
	version = need(j, module, nvidia, version);
	end = nvidia_branch_end_of_life(version);
	if (!end) {
		skip_check(j, "no end of life known for this branch");
		return;
	}
	derive_str(j, "branch", arena_strndup(j->arena, version, strcspn(version, ".")), "the version's first number");
	derive_str(j, "end_of_life", end, "NVIDIA's list of supported drivers, as of September 2026");
	if (nvidia_end_of_life_is_over(end, need(j, run, &snapshot->run, taken_at)))
		finding_add(j, DRIVER_BRANCH_END_OF_LIFE);
}

const struct check check_driver_branch = {
	.name = "driver-branch",
	.title = "Driver branch supported",
	.doc = "Does NVIDIA still support the branch of the loaded driver? Based on NVIDIA's list of September 2026; "
	       "branches without a date are skipped. A branch past its end of life is a note: it still works.",
	.per = SUBJECT_NODE,
	.says = "branch {branch} supported until {end_of_life}",
	.may_emit = IDS(DRIVER_BRANCH_END_OF_LIFE),
	.eval = eval,
};
