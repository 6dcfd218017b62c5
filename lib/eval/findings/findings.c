// SPDX-License-Identifier: GPL-2.0-or-later
/* findings.c - findings.def and steps.def as tables, and the names of the vocabulary. */
#include "base/compat.h"
#include "eval/findings/findings.h"

const struct finding_def finding_defs[NR_FINDINGS] = {
	[NO_FINDING] = { .name = "" },
#define FINDING(id, name_, outcome_, action_, blame_, title_, why_) \
	[id] = { \
		.name = name_, .outcome = OUTCOME_##outcome_, .action = ACTION_##action_, \
		.blame = BLAME_##blame_, .title = title_, .why = why_, \
	},
#include "eval/findings/findings.def"
#undef FINDING
};

#define SAFE false
#define DISRUPTIVE true

const struct step_def step_defs[] = {
#define ROW(finding_, action_, after_change_, text_, command_, disruptive_, expect_)                                   \
	{.finding = finding_,                                                                                          \
	 .action = action_,                                                                                            \
	 .text = text_,                                                                                                \
	 .command = command_,                                                                                          \
	 .disruptive = disruptive_,                                                                                    \
	 .after_change = after_change_,                                                                                \
	 .expect = expect_},
#define STEP_FOR(finding_, ...) ROW(finding_, ACTION_NONE, false, __VA_ARGS__)
#define STEP_AFTER(finding_, ...) ROW(finding_, ACTION_NONE, true, __VA_ARGS__)
#define STEP(action_, ...) ROW(NO_FINDING, ACTION_##action_, false, __VA_ARGS__)
#include "eval/findings/steps.def"
#undef STEP_FOR
#undef STEP_AFTER
#undef STEP
#undef ROW
};
const size_t nr_step_defs = ARRAY_SIZE(step_defs);

bool step_is_for(const struct step_def *step, enum finding_id finding, bool own)
{
	if (own)
		return step->finding == finding;
	return step->finding == NO_FINDING && step->action == finding_defs[finding].action;
}

const char *outcome_name(enum outcome outcome)
{
	static const char *const names[NR_OUTCOMES] = {
		[OUTCOME_SKIP] = "skip", [OUTCOME_PASS] = "pass", [OUTCOME_NOTE] = "note",
		[OUTCOME_UNKNOWN] = "unknown", [OUTCOME_WARN] = "warn", [OUTCOME_FAIL] = "fail",
	};

	return names[outcome];
}

const char *blame_name(enum blame blame)
{
	static const char *const names[NR_BLAMES] = {
		[BLAME_NONE] = "none", [BLAME_HARDWARE] = "hardware", [BLAME_LINK] = "link",
		[BLAME_THERMAL_POWER] = "thermal-power", [BLAME_DRIVER] = "driver", [BLAME_CONFIG] = "config",
		[BLAME_HOST] = "host", [BLAME_APPLICATION] = "application", [BLAME_TOOL] = "tool",
	};

	return names[blame];
}

const char *action_name(enum action action)
{
	static const char *const names[NR_ACTIONS] = {
		[ACTION_NONE] = "none", [ACTION_WATCH] = "watch", [ACTION_FIX_CONFIG] = "fix-config",
		[ACTION_RESTART_APP] = "restart-app", [ACTION_RESTART_SERVICE] = "restart-service",
		[ACTION_RESET_GPU] = "reset-gpu", [ACTION_REBOOT_NODE] = "reboot-node",
		[ACTION_DRAIN_AND_REPAIR] = "drain-and-repair", [ACTION_REPLACE] = "replace",
		[ACTION_ESCALATE] = "escalate",
	};

	return names[action];
}

enum finding_id log_finding(enum klog_row_id row)
{
	static const enum finding_id ids[NR_KLOG_ROWS] = {
#define KLOG(id, ...) [KLOG_ROW_##id] = LOG_##id,
#define XID(number, ...) [KLOG_ROW_XID_##number] = LOG_XID_##number,
#include "klog/catalogue.def"
	};

	return ids[row];
}

enum klog_row_id log_row(enum finding_id id)
{
	for (int row = KLOG_NO_ROW + 1; row < NR_KLOG_ROWS; row++)
		if (log_finding((enum klog_row_id)row) == id)
			return (enum klog_row_id)row;
	return KLOG_NO_ROW;
}

enum finding_id finding_by_name(const char *name)
{
	for (int id = NO_FINDING + 1; id < NR_FINDINGS; id++)
		if (!strcmp(finding_defs[id].name, name))
			return (enum finding_id)id;
	return NO_FINDING;
}

const char *finding_is_fatal(enum finding_id id)
{
	switch (id) {
#define FATAL(id_, reason) \
	case id_: \
		return reason;
#include "eval/findings/fatal.def"
#undef FATAL
	default:
		return NULL;
	}
}
