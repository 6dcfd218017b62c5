/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guide.h - a guide, a runbook or a reference: its title tells what it is about, and it tells whoever reads it what to
 * do. Nobody in it has the trouble, no machine has a name, and nothing is asked.
 */
#pragma once

#include "import/document/left_out.h"

/* The whole text. */
bool guide_next(const struct dump_line *lines, size_t nr, size_t from, struct left_out *ret);
