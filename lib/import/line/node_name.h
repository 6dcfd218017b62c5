/* SPDX-License-Identifier: GPL-2.0-or-later */
/* node_name.h - is a word the name of a node? */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* How many characters a text begins with that names of machines have. */
size_t node_name_len(const char *text);

/* What people put for a name, and what a machine is called that has none, or runs what was started from a stick. */
bool node_name_is_none(const char *name);

/*
 * Can it hardly be anything else? People give heads to what they try, too: "run1", "gpu0", "step2". So it is an
 * address, a long name, "n1.cluster.local", or has a word for a machine and a number in it: "node7", "dgx-a100-03",
 * "gpu012".
 */
bool node_name_is_sure(const char *name);

/* "cn017" and "cn018": nodes that were named in a row. */
bool node_names_are_alike(const char *a, const char *b);

/* May it be one, where another is called alike? Not "gpu0", "worker-1" and what else is numbered that is none. */
bool node_name_may_be(const char *name);
