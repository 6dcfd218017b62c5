/* SPDX-License-Identifier: GPL-2.0-or-later */
/* patch.h - messages of patches among the lines of a text: the log in one is of a machine that its author had. */
#pragma once

#include "import/document/left_out.h"

/* With its trailers. */
bool patch_message_next(const struct dump_line *lines, size_t nr, size_t from, struct left_out *ret);
