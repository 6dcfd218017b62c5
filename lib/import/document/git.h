/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * git.h - what git prints of changes: messages of commits, and lines of files of a repository in diffs. A log in either
 * is of a machine that its author had, or of none.
 */
#pragma once

#include "import/document/left_out.h"

/* A commit's message, a patch's mail up to its diff, or a hunk. */
bool git_next(const struct dump_line *lines, size_t nr, size_t from, struct left_out *ret);
