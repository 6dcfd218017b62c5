// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "snapshot/under_test.h"

static bool touches(const struct probe_run *probe, const char *what)
{
	return str_is(probe->touches, what);
}

/* The steps against a bad OpenCL driver name its file. */
static void name_icd(struct judgement *j)
{
	const struct icd *icd = is_known(j->probe->target) ?
		list_find(j->snapshot, icds, icd, str_or(j->probe->target, "")) : NULL;

	if (icd && is_known(icd->path))
		derive_str(j, "icd_path", str_or(icd->path, ""), "the vendors folder");
}

/* " of GPU 3": the worker's key has an address at most, and people have numbers. */
static const char *of_gpu(struct judgement *j)
{
	return j->gpu ? arena_printf(j->arena, " of GPU %zu", gpu_index(j->snapshot, j->gpu)) : "";
}

/* Several probes look at one GPU. */
static void hold_against(struct judgement *j, enum finding_id id)
{
	finding_add_of(j, id, str_or(j->probe->probe, "?"));
}

static void judge_hang(struct judgement *j)
{
	need(j, probe_run, j->probe, deadline_ms);
	if (touches(j->probe, "library"))
		hold_against(j, PROBE_HEALTH_LIBRARY_HANGS);
	else if (touches(j->probe, "device"))
		hold_against(j, PROBE_HEALTH_DEVICE_HANGS);
	else
		hold_against(j, PROBE_HEALTH_FILES_HANG);
}

/* A worker that reads files runs our code alone: its crash says nothing about the node. */
static void judge_crash(struct judgement *j)
{
	need(j, probe_run, j->probe, why);
	if (touches(j->probe, "files"))
		unknown(j, "gpudiag's own worker crashed: {why}");
	else
		hold_against(j, touches(j->probe, "library") ? PROBE_HEALTH_LIBRARY_CRASHES :
							       PROBE_HEALTH_DEVICE_CRASHES);
}

static void judge_slow(struct judgement *j)
{
	double elapsed = (double)need(j, probe_run, j->probe, elapsed_ms);

	if (!touches(j->probe, "device") && elapsed > j->policy->probe_slow_ms)
		hold_against(j, PROBE_HEALTH_SLOW);
}

static void eval(struct judgement *j)
{
	const char *outcome = need(j, probe_run, j->probe, outcome);

	need(j, probe_run, j->probe, key);
	if (!*look(j, probe_run, j->probe, call))
		derive_str(j, "call", "its start", "no call was announced");
	phrase(j, "of_gpu", of_gpu(j));
	name_icd(j);
	if (!strcmp(outcome, "stuck")) {
		need(j, probe_run, j->probe, why);
		look(j, probe_run, j->probe, pid);
		look(j, probe_run, j->probe, wchan);
		hold_against(j, PROBE_HEALTH_STUCK);
	} else if (!strcmp(outcome, "timeout")) {
		judge_hang(j);
	} else if (!strcmp(outcome, "crashed")) {
		judge_crash(j);
	} else if (!strcmp(outcome, "garbled")) {
		need(j, probe_run, j->probe, why);
		unknown(j, "its worker could not be understood: {why}");
	} else if (!strcmp(outcome, "interrupted")) {
		if (!*look(j, probe_run, j->probe, why))
			derive_str(j, "why", "the run was interrupted", "a signal");
		unknown(j, "{why}");
	} else if (!strcmp(outcome, "refused")) {
		need(j, probe_run, j->probe, why);
		skip_check(j, "not asked: {why}");
	} else if (!strcmp(outcome, "denied")) {
		if (!*look(j, probe_run, j->probe, why))
			derive_str(j, "why", "no reason given", "its worker");
		skip_check(j, "this user may not look: {why}");
	} else if (!strcmp(outcome, "unavailable")) {
		look(j, probe_run, j->probe, why);
		skip_check(j, "what it reads is not installed here");
	} else if (!strcmp(outcome, "ok") || !strcmp(outcome, "partial")) {
		judge_slow(j);
	} else {
		look(j, probe_run, j->probe, why);
		unknown(j, "it ended as \"{outcome}\"");
	}
}

const struct check check_probe_health = {
	.name = "probe-health",
	.title = "Sources answer",
	.doc = "Did each source answer? Every driver and library is called in a process of its own with a deadline: "
	       "a hang or a crash there is evidence against it, and takes nothing else down. Slow is a note.",
	.per = SUBJECT_PROBE,
	.may_emit = IDS(PROBE_HEALTH_STUCK, PROBE_HEALTH_LIBRARY_HANGS, PROBE_HEALTH_LIBRARY_CRASHES,
			PROBE_HEALTH_DEVICE_HANGS, PROBE_HEALTH_DEVICE_CRASHES, PROBE_HEALTH_FILES_HANG,
			PROBE_HEALTH_SLOW),
	.eval = eval,
};
