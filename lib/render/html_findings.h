/* SPDX-License-Identifier: GPL-2.0-or-later */
/* html_findings.h - steps and single findings on any page. Private to html_*.c. */
#pragma once

#include "render/html.h"

/* The steps to take, in order. */
void html_steps(struct html *html, const struct step *steps, size_t nr);
/* A finding without its evidence: what it is, what it means, what to do. */
void html_finding(struct html *html, const struct finding *finding);
