/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * manual.h - what a manual lists: errors of the vendors' tools with what to do about them, and what its reader may see. No
 * tool of the machine printed them.
 */
#pragma once

#include "import/left_out.h"

/* is_for_login: errors of tools are of a login node without GPUs. */
bool manual_next(const struct dump_line *lines, size_t nr, size_t from, bool is_for_login, struct left_out *ret);

/* Does the text say that login nodes have no GPUs? */
bool manual_is_for_login(const struct dump_line *lines, size_t nr);
