/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * error_back.h - did what failed come right further down? Of logs of several machines, of the same machine; and of the
 * same GPU, or the same resource of Kubernetes, where both lines name one.
 */
#pragma once

#include "import/dump/dump.h"

struct error_back;

/* Does an error of the reading's part end below its line? *back is NULL at first, and read once for all lines. */
bool error_is_back(const struct reading *reading, struct error_back **back, const char *key,
		   const struct dump_line *line);
/* Does a part, below all of another, end what is said in a line of that? */
bool error_ends_in(const struct dump_part *part, const char *key, const struct dump_line *line);
