// SPDX-License-Identifier: GPL-2.0-or-later
/* gate_unknown.c - what must be judged and was not, and what would have it judged. */
#include "base/compat.h"
#include "eval/gate/gate_internal.h"

#include "base/strbuf.h"
#include "eval/judge/subject.h"
#include "eval/summary/unknown_groups.h"

void gate_add_unknown(struct gate_unknown_list *list, struct gate_unknown open)
{
	list->items = arena_grow(list->arena, list->items, list->nr, sizeof(*list->items));
	list->items[list->nr++] = open;
}

static bool is_open(const struct result *result, bool strict)
{
	return result_is_open(result) || (strict && result->outcome == OUTCOME_UNKNOWN);
}

/* "pcie-width of GPUs 3-7: link_width denied" */
static const char *open_sentence(struct report *report, size_t at)
{
	const struct result *result = &report->results[at];
	const char *subjects = unknown_group_subjects(&report->arena, report, at);

	return arena_printf(&report->arena, "%s%s%s: %s", result->check->name, *subjects ? " of " : "", subjects,
			    unknown_group_reason(result));
}

/* What would have it judged, by the check and by the reason. */
static const char *recovery_of(const struct report *report, const struct result *result)
{
	const char *reason = result->reason ? result->reason : "";

	if (str_is(report->snapshot->host.virtualisation, "wsl"))
		return "Use gate on nodes with GPUs on the PCI bus; under WSL use gpudiag run";
	if (!strcmp(result->check->name, "gpu-visible") && is_known(report->snapshot->bus.gpus))
		return "Set the expected number of GPUs: --expect-gpus N (0: none), or in the policy or a baseline";
	if (strcasestr(reason, "denied") || strcasestr(reason, "not permitted") || strcasestr(reason, "needs root"))
		return "Run it as root";
	if (strcasestr(reason, "not root in the host's process namespace"))
		return "Run it as root on the host, or in a container that shares the host's processes";
	if (!strcmp(result->check->name, "gpu-drained") && is_known(report->snapshot->processes.seen))
		return "Stop its processes, or run gate again where the driver reports their VRAM (nvidia-smi works)";
	if (!strcmp(result->check->name, "target-driver") && strstr(reason, "the newest known is"))
		return "Use a gpudiag that supports that branch, or NVIDIA's release notes";
	if (!strcmp(result->check->name, "target-fabric"))
		return "Check the installed fabric manager, and whether its repository has the target version "
		       "(rpm -q nvidia-fabric-manager nvidia-fabricmanager; dpkg -l 'nvidia-fabricmanager*')";
	if (!strcmp(result->check->name, "klog-errors") && report->snapshot->kernel_log.lines_read.state == VAL_UNSET)
		return "Run gate on the node, or take a new snapshot: this one has no kernel log";
	if (!strcmp(result->check->name, "klog-errors"))
		return "Run it where this boot's journal is readable (Storage=persistent in journald.conf); otherwise the log is complete only after a reboot";
	return NULL;
}

/* What must be judged was not even asked: that is the asker's doing, and the same for all of them. */
static void list_left_out(struct report *report, struct gate_unknown_list *list)
{
	const struct strs *names = &report->left_out;
	bool by_skip = report->snapshot->request.skip_checks.nr, by_check = report->snapshot->request.only_checks.nr;
	const char *by = by_skip && by_check ? "--check, --skip" : by_skip ? "--skip" : "--check";
	STRBUF_AUTO words = STRBUF_INIT;

	if (!names->nr)
		return;
	for (size_t i = 0; i < names->nr; i++)
		strbuf_addf(&words, "%s%s", i ? ", " : "", names->v[i]);
	gate_add_unknown(list, (struct gate_unknown){
		.sentence = arena_printf(&report->arena, "%zu required check%s left out (%s): %s", names->nr,
					 names->nr == 1 ? "" : "s", by, words.buf),
		.mend = "Include them; for a few checks only, use gpudiag run",
	});
}

/* A GPU that sleeps may be sick: all that is known is that it is there. */
static void list_asleep(struct report *report, struct gate_unknown_list *list)
{
	size_t *indexes = NULL, nr = 0;

	for (size_t i = 0; i < report->nr_gpus; i++) {
		if (!report->gpus[i].asleep || !report->gpus[i].under_test)
			continue;
		indexes = arena_grow(&report->arena, indexes, nr, sizeof(*indexes));
		indexes[nr++] = report->gpus[i].index;
	}
	if (nr)
		gate_add_unknown(list, (struct gate_unknown){
			.sentence = arena_printf(&report->arena, "%s suspended and not judged",
						 gpu_ranges(&report->arena, indexes, nr)),
			.mend = "Run it while a program uses the GPU, or wake it: --wake",
		});
}

void gate_list_unknown(struct report *report, bool strict, struct gate_unknown_list *list)
{
	bool any_judged = false;

	for (size_t i = 0; i < report->nr_results; i++) {
		const struct result *result = &report->results[i];

		any_judged |= result->outcome != OUTCOME_UNKNOWN && result->outcome != OUTCOME_SKIP;
		if (!is_open(result, strict) || !unknown_group_begins(report, i))
			continue;
		gate_add_unknown(list, (struct gate_unknown){
			.check = result->check->name, .sentence = open_sentence(report, i),
			.mend = recovery_of(report, result),
		});
	}
	list_left_out(report, list);
	list_asleep(report, list);
	if (is_known(report->snapshot->run.interrupted))
		gate_add_unknown(list, (struct gate_unknown){
			.sentence = "this run was interrupted",
		});
	if (!any_judged && !list->nr)
		gate_add_unknown(list, (struct gate_unknown){ .sentence = "nothing was checked" });
}
