/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wrapped.h - errors of programs that a terminal, a mail or an editor broke into two lines. */
#pragma once

#include "import/dump/dump.h"

/* Makes such lines one, in place: the second is empty then. */
void dump_join_wrapped(struct arena *arena, struct dump_line *lines, size_t nr);
