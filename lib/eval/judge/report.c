// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/judge/report.h"

#include "snapshot/node.h"

const char *verdict_name(enum verdict verdict)
{
	static const char *const names[] = {
		[VERDICT_PASS] = "pass",
		[VERDICT_WARN] = "warn",
		[VERDICT_FAIL] = "fail",
		[VERDICT_UNKNOWN] = "unknown",
	};

	return names[verdict];
}

bool result_is_open(const struct result *result)
{
	return result->failure || result->maintenance || (result->required && result->outcome == OUTCOME_UNKNOWN);
}

bool result_is_judged(const struct report *report, const struct result *result)
{
	if (result->outcome == OUTCOME_UNKNOWN || result->outcome == OUTCOME_SKIP)
		return false;
	return result->outcome != OUTCOME_PASS || result->subject.kind != SUBJECT_PROBE ||
	       !is_imported(report->snapshot);
}
