/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * manual.h - parts of the manual that tables know, in mdoc: the checks with
 * their findings and steps for gpudiag-checks(7), the events of the kernel log
 * for gpudiag-events(5), the records for gpudiag-snapshot(5), the thresholds
 * for gpudiag-policy(5), and a JSON Schema, one of ours and valid, for
 * gpudiag-report(5).
 */
#pragma once

#include "base/strbuf.h"
#include "eval/judge/report.h"

void manual_checks(struct strbuf *out, const struct playbook *playbook);
void manual_log(struct strbuf *out);
void manual_records(struct strbuf *out);
void manual_ticks(struct strbuf *out);
void manual_words(struct strbuf *out);
void manual_policy(struct strbuf *out);
void manual_policy_parts(struct strbuf *out);
void manual_fatal(struct strbuf *out);
void manual_schema(struct strbuf *out, const char *schema);
