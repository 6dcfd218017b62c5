/* SPDX-License-Identifier: GPL-2.0-or-later */
/* event_node.h - events of node-problem-detector, which pass on what the kernel of a node said: of which node. */
#pragma once

#include "import/dump/dump.h"

/* The name of that node, where a line of a log is such an event; NULL: none is named. */
const char *event_node(struct arena *arena, const char *text);

/* Is it the event of a node that is not the machine which the dumps are of? */
bool event_is_of_others(struct arena *arena, const struct dump_parts *parts, const char *text);
