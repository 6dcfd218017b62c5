/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * statement.h - lines of a program's source that have a string in them: what they assign, pass or list nobody printed.
 */
#pragma once

#include "import/document/left_out.h"

bool statement_next(const struct dump_line *lines, size_t nr, size_t from, struct left_out *ret);
