/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * finding_evidence.h - what a finding says, for what goes on from it: its evidence by name, its id by beginnings. Pure.
 */
#pragma once

#include "eval/judge/report.h"

/* The evidence of that name noted last; NULL: there is none. */
const struct evidence *finding_evidence(const struct finding *finding, const char *name);
/* As a number or a text; 0.0 or "" where there is none. */
double finding_number(const struct finding *finding, const char *name);
const char *finding_text(const struct finding *finding, const char *name);
/* Does its id begin so? */
bool id_begins(const struct finding *finding, const char *prefix);
/* The same of beginnings parted by spaces; a number at the end is a whole one. */
bool id_listed(const struct finding *finding, const char *prefixes);
bool name_listed(const char *name, const char *prefixes);
