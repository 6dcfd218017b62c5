/* SPDX-License-Identifier: GPL-2.0-or-later */
/* health_event.h - Xids in documents of health monitors: log_parts.c has them in its log. */
#pragma once

#include "import/dump/dump.h"

/* Hands over each as a log has it. */
typedef void health_event_fn(void *to, const struct dump_part *part, struct dump_line *line, const char *text);
void health_event_lines(struct arena *arena, const struct dump_part *part, health_event_fn *fn, void *to);
