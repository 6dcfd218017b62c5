// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/facts/holders.h"
#include "eval/facts/memory_use.h"
#include "eval/judge/subject.h"
#include "eval/judge/vendor.h"
#include "snapshot/under_test.h"

/* The driver cannot be changed under anybody's work. */
static bool is_said_to_be_drained(const struct request *request)
{
	return bool_or(request->drained, false) || is_known(request->to_driver);
}

/* " by python3 (pid 18422, job 4711)"; NULL: by no process that works on it. */
static const char *held_by(struct judgement *j)
{
	const char *words = NULL;
	size_t more = 0;

	for (size_t i = 0; i < j->users->nr; i++) {
		const struct holding *holding = &j->users->items[i];

		if (holder_is_idle(&holding->all) ||
		    (!holding->may_be_any && !holding_has(holding, str_or(j->gpu->key, ""))))
			continue;
		more += words != NULL;
		words = words ? words : holding_words(j->arena, holding);
	}
	if (!words)
		return NULL;
	return arena_printf(j->arena, more ? " by %s and %zu more" : " by %s", words, more);
}

/* What is in use of its own memory; that of one which shares the machine's is everybody's. */
static bool knows_memory(const struct judgement *j)
{
	return !gpu_shares_main_memory(j->snapshot, j->gpu) && is_known(vendor_u64(j->gpu, "vram_used_bytes"));
}

static bool is_full(struct judgement *j)
{
	return knows_memory(j) && (double)want_vendor_u64(j, "vram_used_bytes") > j->policy->gate_held_bytes;
}

static void judge_users(struct judgement *j)
{
	const char *words = held_by(j), *hidden = holders_hidden(j->arena, j->snapshot);
	bool full = is_full(j);

	want(j, request, &j->snapshot->request, drained);
	need(j, processes, &j->snapshot->processes, seen);
	phrase(j, "held_by", words ? words : "");
	if (full)
		finding_add(j, GPU_DRAINED_HELD);
	else if (words && !knows_memory(j))
		unknown(j, arena_printf(j->arena, "held%s, VRAM use unknown", words));
	else if (words)
		finding_add(j, GPU_DRAINED_USED);
	else if (hidden)
		unknown(j, hidden);
}

static void eval(struct judgement *j)
{
	if (!is_said_to_be_drained(&j->snapshot->request))
		skip_check(j, "the node was not declared drained (--drained)");
	else if (gpu_role(j->snapshot, j->gpu) == GPU_ROLE_PASSED_THROUGH)
		skip_check(j, "passed through to a virtual machine");
	else if (j->gpu->pci.driver.state == VAL_ABSENT)
		skip_check(j, "no driver bound (gpu-bound)");
	else
		judge_users(j);
}

const struct check check_gpu_drained = {
	.name = "gpu-drained",
	.title = "GPUs drained",
	.doc = "On a node declared drained (gpudiag gate --drained or --to-driver): are its GPUs unused? More VRAM in "
	       "use than gate.held_bytes is a failure; a process that holds a GPU with less is a warning. Display "
	       "servers, monitors and the driver's daemons do not count. Unknown where processes are hidden.",
	.per = SUBJECT_GPU,
	.needs = NEEDS_VENDOR,
	.says = "drained",
	.may_emit = IDS(GPU_DRAINED_HELD, GPU_DRAINED_USED),
	.eval = eval,
};
