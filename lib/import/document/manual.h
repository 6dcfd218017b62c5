/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * manual.h - what a manual lists: errors of the vendors' tools with what to do about them. No tool of the machine
 * printed them.
 */
#pragma once

#include "import/document/left_out.h"

bool manual_next(const struct dump_line *lines, size_t nr, size_t from, struct left_out *ret);
