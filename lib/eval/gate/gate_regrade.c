// SPDX-License-Identifier: GPL-2.0-or-later
/* gate_regrade.c - what weighs more in a gate than in a run. */
#include "base/compat.h"
#include "eval/gate/gate.h"

static const struct gate_regrading regradings[] = {
	{ GPU_VISIBLE_ODD_COUNT, OUTCOME_FAIL,
	  "A gate does not pass a node that may lack a GPU; set the count with --expect-gpus." },
	{ VRAM_HEALTH_REMAP_PENDING, OUTCOME_FAIL, "A gate requires the reset before new jobs." },
	{ VRAM_HEALTH_RETIREMENT_PENDING, OUTCOME_FAIL, "A gate requires the reset before new jobs." },
	{ VRAM_HEALTH_REPAIR_PENDING, OUTCOME_FAIL, "A gate requires the reset before new jobs." },
	{ VRAM_HOLDERS_DEAD, OUTCOME_FAIL, "A gate requires the reset before new jobs." },
	{ PCIE_ERRORS_UNCORRECTED_NOW, OUTCOME_FAIL,
	  "A gate does not pass a link that fails during the run." },
};

/* The kernel log has a fault that only a reset or reboot ends, and there was none since. */
static bool log_asks_for_reset(enum finding_id id)
{
	const struct finding_def *def = &finding_defs[id];

	return log_row(id) != KLOG_NO_ROW && def->outcome == OUTCOME_WARN &&
	       (def->action == ACTION_RESET_GPU || def->action == ACTION_REBOOT_NODE);
}

const struct gate_regrading *gate_regrading_of(enum finding_id id)
{
	static const struct gate_regrading of_log = {
		.id = NO_FINDING, .outcome = OUTCOME_FAIL,
		.why = "A gate requires the driver's recovery action before new jobs.",
	};

	for (size_t i = 0; i < ARRAY_SIZE(regradings); i++)
		if (regradings[i].id == id)
			return &regradings[i];
	return log_asks_for_reset(id) ? &of_log : NULL;
}

void gate_regrade(struct arena *arena, const struct snapshot *snapshot, struct finding *const *findings, size_t nr,
		  struct result *result)
{
	if (!bool_or(snapshot->request.gate, false))
		return;
	for (size_t i = 0; i < nr; i++) {
		const struct gate_regrading *regrading = gate_regrading_of(findings[i]->id);

		/* The policy's own regrades hold for the gate too; events of days ago need no action. */
		if (!regrading || findings[i]->outcome >= regrading->outcome || findings[i]->regraded ||
		    findings[i]->quiet || (regrading->id == NO_FINDING && findings[i]->outcome != OUTCOME_WARN))
			continue;
		findings[i]->outcome = regrading->outcome;
		findings[i]->why = arena_printf(arena, "%s %s", findings[i]->why, regrading->why);
		if (result->outcome < regrading->outcome)
			result->outcome = regrading->outcome;
	}
}

bool gate_wants_judged(const struct snapshot *snapshot, const struct check *check)
{
	return bool_or(snapshot->request.gate, false) && !strcmp(check->name, "gpu-visible");
}
