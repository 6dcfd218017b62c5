/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mdoc.h - text for manual pages. Private to man/generate. */
#pragma once

#include "base/strbuf.h"
#include "eval/findings/findings.h"

/* Text at the beginning of an input line or within it: nothing in it is taken for a macro or an escape. */
void mdoc_text(struct strbuf *out, const char *text);
/* The same as a line of its own. */
void mdoc_line(struct strbuf *out, const char *text);
/* What a finding counts for, asks for and blames, in brackets. */
void mdoc_counts(struct strbuf *out, const struct finding_def *def);
