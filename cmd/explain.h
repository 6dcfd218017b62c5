/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explain.h - private to the command explain. */
#pragma once

#include "eval/findings/findings.h"
#include "render/explanation.h"

/* explain_finding.c */
void explain_finding(struct explanation *to, enum finding_id id);

/* What may explain these findings, and what they may explain, with what must be true of both */

void explain_causes(struct explanation *to, const enum finding_id *ids, size_t nr);

/* explain_log.c: the catalogue of the kernel log */

/* The words that list rows ("aer", "amdgpu"), for completion; ends with NULL. */
extern const char *const explain_log_words[];
/* A row by its name without "klog-errors.", rows by mnemonic, or one line for each row of a kind. false: none. */
bool explain_log_word(struct explanation *to, const char *word);
/* Lines of a kernel log: each event that they tell of, once. false: none. */
bool explain_log_lines(struct explanation *to, const char *text);
/*
 * "xid 79 119", "sxid 20034": takes the words it explains, and returns how
 * many. 0: it begins with something else. Dies on a number nobody names.
 */
int explain_log_numbers(struct explanation *to, int argc, char **argv);
