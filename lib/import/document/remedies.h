/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * remedies.h - the list of a chapter "Troubleshooting" or "FAQ": errors in bold, each with what to do. What was done
 * already, or on a machine, is a ticket's.
 */
#pragma once

#include "import/document/left_out.h"

bool remedies_next(const struct dump_line *lines, size_t nr, size_t from, struct left_out *ret);
