/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * regrade.h - what a policy says of findings: another outcome ("regrade"), or
 * that they are known of ("quiet"); and which of them it may not touch.
 */
#pragma once

#include "eval/judge/report.h"

/* Gives a finding the outcome that the policy in force for its subject says, and notes by what. */
void finding_grade(const struct snapshot *snapshot, const struct policy *policy, struct finding *finding);

/*
 * What a sentence about it ends in, where the policy changed its outcome: "warn by itself, note by policy.json:3",
 * "quiet until 2026-12-31 by policy.json:9: riser is ordered", or maintenance did; NULL: nothing did.
 */
const char *finding_grade_words(struct arena *arena, const struct finding *finding);

/*
 * The entry that keeps a value of that name from weighing where it failed to answer ("unknown:power_mw"); NULL: none.
 * gpu is NULL for a value of the node.
 */
const struct policy_quiet *quiet_of_value(const struct snapshot *snapshot, const struct policy *policy,
					  const struct gpu *gpu, const char *field);

/* Is an entry of the quiet list about this machine and, where it names one, about a GPU that is here? */
bool quiet_is_of_node(const struct snapshot *snapshot, const struct policy_quiet *quiet);
