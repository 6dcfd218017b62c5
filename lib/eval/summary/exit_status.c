// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/summary/exit_status.h"

/* The statuses of the default style, which the others are made of. */
enum { STATUS_PASS, STATUS_WARN, STATUS_FAIL, STATUS_UNKNOWN };

static bool is_named(const struct finding *finding, const struct strs *names)
{
	for (size_t i = 0; i < names->nr && !finding->quiet; i++) {
		if (!strcmp(finding->def->name, names->v[i]))
			return true;
		if (finding->outcome >= OUTCOME_WARN && !strcmp(finding->check->name, names->v[i]))
			return true;
	}
	return false;
}

static bool makes_failure(const struct finding *finding, const struct exit_rules *rules)
{
	bool is_failure = finding->outcome == OUTCOME_FAIL || (rules->strict && finding->outcome == OUTCOME_WARN);

	if (!rules->has_fail_on)
		return is_failure;
	if (rules->fail_on.warnings && finding->outcome >= OUTCOME_WARN)
		return true;
	return (rules->fail_on.failures && is_failure) || is_named(finding, &rules->fail_on.names);
}

static bool is_unknown(const struct report *report, const struct exit_rules *rules)
{
	bool any_judged = false;

	/* Every GPU may be asleep, which keeps no check from its skip. */
	if (rules->strict && report->verdict == VERDICT_UNKNOWN)
		return true;
	for (size_t i = 0; i < report->nr_results; i++) {
		const struct result *result = &report->results[i];

		if (result_is_open(result) || (rules->strict && result->outcome == OUTCOME_UNKNOWN))
			return true;
		any_judged |= result_is_judged(report, result);
	}
	return !any_judged;
}

static int default_status(const struct report *report, const struct exit_rules *rules)
{
	int status = STATUS_PASS;

	for (size_t i = 0; i < report->nr_findings; i++) {
		if (makes_failure(report->findings[i], rules))
			return STATUS_FAIL;
		if (report->findings[i]->outcome >= OUTCOME_WARN)
			status = STATUS_WARN;
	}
	return is_unknown(report, rules) ? STATUS_UNKNOWN : status;
}

int exit_status_by(const struct report *report, const struct exit_rules *rules)
{
	int status = default_status(report, rules);

	if (rules->style == EXIT_STYLE_DEFAULT)
		return status;
	if (status == STATUS_WARN && rules->has_fail_on)
		return 0;
	if (rules->style == EXIT_STYLE_NPD && status == STATUS_UNKNOWN)
		return 2;
	return status != STATUS_PASS;
}
