/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * resolved.h - a report of an incident whose head says that it is resolved, and whose chapters tell what it was: the
 * logs in it are of a fault that is over. So are those of a chapter whose heading says so, and below it when.
 */
#pragma once

#include "import/document/left_out.h"

/* The whole text, or the chapter. */
bool resolved_next(const struct dump_line *lines, size_t nr, size_t from, struct left_out *ret);
