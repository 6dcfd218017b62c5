/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unknown_groups.h - what could not be judged, told once for all subjects that share
 * check and reason.
 */
#pragma once

#include "base/arena.h"
#include "base/strbuf.h"
#include "eval/judge/report.h"

/* Is something of it not judged: it is unknown, or warns beside what failed to answer? */
bool result_has_unknown(const struct result *result);
/* Is it so, and the first to say so for that reason? */
bool unknown_group_begins(const struct report *report, size_t at);
/* How many begin. */
size_t unknown_group_count(const struct report *report);
/* "GPUs 0-7", "opencl:a.icd:0, opencl:b.icd:0": those of which it is told; "" for the node. */
const char *unknown_group_subjects(struct arena *arena, const struct report *report, size_t at);
/* "pcie-width, GPUs 0-7, required: link width able: permission denied" */
void unknown_group_add(struct arena *arena, struct strbuf *out, const struct report *report, size_t at);
/* Its reason, which always has words. */
const char *unknown_group_reason(const struct result *result);
