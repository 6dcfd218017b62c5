/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * error_back.h - did what failed come right further down? Of logs of several machines, of the same machine; and of the
 * same GPU, or the same resource of Kubernetes, where both lines name one.
 */
#pragma once

#include "import/program/ends_below.h"

/* Does an error of the reading's part end below its line? *below as for ends_below_of(). */
bool error_is_back(const struct reading *reading, struct ends_below **below, const char *key,
		   const struct dump_line *line);
/* Does a part, below all of another, end what is said in a line of that? */
bool error_ends_in(struct arena *arena, const struct dump_part *part, const char *key, const struct dump_line *line);
