/* SPDX-License-Identifier: GPL-2.0-or-later */
/* html_timings.h - figures as a table of which each row has its spread drawn beside it. Private to html_*.c. */
#pragma once

#include "render/html.h"

/* Those of one test are drawn to one scale. Of one subject alone, which the label names, no column says it again. */
void html_timing_table(struct html *html, const char *label, const struct report_timing *const *timings, size_t nr);
/* How each test was measured, folded; nothing where none says it. */
void html_timing_methods(struct html *html, const struct report_timing *const *timings, size_t nr);
