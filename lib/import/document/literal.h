/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * literal.h - strings of a program's source among the lines of a text, and what a shell writes to a file with "<<":
 * tests and simulators have lines of logs and of tools in them that no machine printed.
 */
#pragma once

#include "import/document/left_out.h"

bool literal_next(const struct dump_line *lines, size_t nr, size_t from, struct left_out *ret);
