/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * solved.h - a ticket or thread whose title or tracker says that it is solved, and at whose end somebody tells that all
 * is well: the lines that it shows are of a fault that is over.
 */
#pragma once

#include "import/document/left_out.h"

/* Up to where that is told; what stands below is of later. */
bool solved_next(const struct dump_line *lines, size_t nr, size_t from, struct left_out *ret);
