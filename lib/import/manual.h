/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * manual.h - errors of the vendors' tools that a manual lists, with what to do about them: no tool printed them. Only those that
 * name no GPU: what a log says of one has its address, and somebody had it.
 */
#pragma once

#include "import/left_out.h"

bool manual_next(const struct dump_line *lines, size_t nr, size_t from, struct left_out *ret);
