/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * comment.h - comments of a program's source, as they tell what its authors expect: a block between the marks of C, and
 * lines behind the marks from which documentation is made.
 */
#pragma once

#include "import/document/left_out.h"

bool comment_next(const struct dump_line *lines, size_t nr, size_t from, struct left_out *ret);
