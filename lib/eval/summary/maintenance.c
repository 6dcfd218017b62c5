// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/summary/summary.h"

#include "eval/judge/regrade.h"

static bool is_maintenance(const struct finding *finding)
{
	switch (finding->id) {
	case DRIVER_MATCH_INSTALL_UNDER_WAY:
	case DRIVER_MATCH_BUILD_UNDER_WAY:
	case DRIVER_MATCH_LOAD_UNDER_WAY:
	case DRIVER_MATCH_MIG_UNDER_WAY:
	case DRIVER_MATCH_RESET_UNDER_WAY:
	case DRIVER_MATCH_DRIVER_RESETS:
		return true;
	default:
		return false;
	}
}

static bool is_reset(const struct finding *finding)
{
	return finding->id == DRIVER_MATCH_RESET_UNDER_WAY || finding->id == DRIVER_MATCH_DRIVER_RESETS;
}

/* The work that its chain of causes ends in, or NULL. */
static const struct finding *work_behind(const struct finding *finding)
{
	for (finding = finding->caused_by; finding; finding = finding->caused_by)
		if (is_maintenance(finding))
			return finding;
	return NULL;
}

static bool is_result_of(const struct result *result, const struct finding *finding)
{
	const struct subject *a = &result->subject, *b = &finding->subject;

	return result->check == finding->check && a->kind == b->kind && a->gpu == b->gpu && a->device == b->device &&
	       a->probe == b->probe;
}

/* What is left of it is what no work explains. */
static void leave_open(struct result *result, struct finding *const *findings, size_t nr, const struct finding *excused)
{
	enum outcome worst = OUTCOME_UNKNOWN;

	for (size_t i = 0; i < nr; i++)
		if (is_result_of(result, findings[i]) && findings[i]->outcome > worst)
			worst = findings[i]->outcome;
	result->maintenance = excused->maintenance;
	result->outcome = worst;
	if (worst == OUTCOME_UNKNOWN && !result->failure)
		result->reason = excused->title;
}

void maintenance_excuse(struct report *report, struct result *results, size_t nr_results, struct finding **findings,
			size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		struct finding *finding = findings[i];

		if (is_maintenance(finding) && !report->maintenance)
			report->maintenance = finding;
		if (finding->outcome < OUTCOME_WARN || !work_behind(finding))
			continue;
		/* Only a GPU that is being reset is gone and comes back. */
		if (finding_is_fatal(finding->id) && !is_reset(work_behind(finding)))
			continue;
		finding->maintenance = work_behind(finding);
		finding->outcome = OUTCOME_NOTE;
		for (size_t k = 0; k < nr_results; k++)
			if (is_result_of(&results[k], finding))
				leave_open(&results[k], findings, nr, finding);
	}
}
