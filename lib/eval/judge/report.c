// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/judge/report.h"

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
