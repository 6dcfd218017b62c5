// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/judge/regrade.h"

#include "eval/judge/subject.h"

static bool is_of_gpu(const struct snapshot *snapshot, const struct policy_quiet *quiet, const struct gpu *gpu)
{
	const char *const names[] = {
		str_or(gpu->key, NULL), str_or(gpu_serial(gpu), NULL), str_or(gpu_uuid(snapshot, gpu), NULL),
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i] && policy_matches(quiet->gpu, names[i]))
			return true;
	return false;
}

/* "*" is as if nothing was said. */
static bool names_gpu(const struct policy_quiet *quiet)
{
	return quiet->gpu && strcmp(quiet->gpu, "*") != 0;
}

static bool is_of_host(const struct snapshot *snapshot, const struct policy_quiet *quiet)
{
	return !quiet->node || policy_matches(quiet->node, str_or(snapshot->host.name, ""));
}

bool quiet_is_of_node(const struct snapshot *snapshot, const struct policy_quiet *quiet)
{
	bool is_here = !names_gpu(quiet);

	for (size_t i = 0; i < snapshot->nr_gpus && !is_here; i++)
		is_here = is_of_gpu(snapshot, quiet, &snapshot->gpus[i]);
	return is_here && is_of_host(snapshot, quiet);
}

static bool is_in_force(const struct snapshot *snapshot, const struct policy_quiet *quiet, const struct gpu *gpu)
{
	/* The date is unknown, so "quiet" may have ended: the finding is reported. */
	if (!is_known(snapshot->run.taken_at) || quiet_is_over(quiet, str_or(snapshot->run.taken_at, "")))
		return false;
	if (names_gpu(quiet) && (!gpu || !is_of_gpu(snapshot, quiet, gpu)))
		return false;
	return is_of_host(snapshot, quiet);
}

static bool is_quiet(const struct snapshot *snapshot, const struct policy_quiet *quiet, const struct finding *finding)
{
	if (strcmp(quiet->finding, finding->def->name) != 0 && strcmp(quiet->finding, finding->check->name) != 0)
		return false;
	return is_in_force(snapshot, quiet, finding->subject.gpu);
}

const struct policy_quiet *quiet_of_value(const struct snapshot *snapshot, const struct policy *policy,
					  const struct gpu *gpu, const char *field)
{
	const size_t len = strlen(QUIET_VALUE);

	for (size_t i = 0; i < policy->nr_quiets; i++) {
		const struct policy_quiet *quiet = &policy->quiets[i];

		if (!strncmp(quiet->finding, QUIET_VALUE, len) && !strcmp(quiet->finding + len, field) &&
		    is_in_force(snapshot, quiet, gpu))
			return quiet;
	}
	return NULL;
}

void finding_grade(const struct snapshot *snapshot, const struct policy *policy, struct finding *finding)
{
	for (size_t i = 0; i < policy->nr_regrades; i++)
		if (policy->regrades[i].finding == finding->id)
			finding->regraded = &policy->regrades[i];
	if (finding->regraded && finding->regraded->outcome == finding->outcome)
		finding->regraded = NULL;
	if (finding->regraded)
		finding->outcome = finding->regraded->outcome;
	if (finding->outcome < OUTCOME_WARN || finding_is_fatal(finding->id))
		return;
	for (size_t i = 0; i < policy->nr_quiets && !finding->quiet; i++)
		if (is_quiet(snapshot, &policy->quiets[i], finding))
			finding->quiet = &policy->quiets[i];
	if (finding->quiet)
		finding->outcome = OUTCOME_NOTE;
}

const char *finding_grade_words(struct arena *arena, const struct finding *finding)
{
	const struct policy_quiet *quiet = finding->quiet;
	const struct policy_regrade *regraded = finding->regraded;

	if (finding->maintenance)
		return arena_printf(arena, "%s, reported as a note during maintenance",
				    outcome_name(regraded ? regraded->outcome : finding->def->outcome));
	if (quiet)
		return arena_printf(arena, "quiet until %s by %s: %s", quiet->until, quiet->place, quiet->reason);
	if (regraded)
		return arena_printf(arena, "%s by itself, %s by %s", outcome_name(finding->def->outcome),
				    outcome_name(regraded->outcome), regraded->place);
	return NULL;
}
