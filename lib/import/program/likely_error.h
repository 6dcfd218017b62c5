/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * likely_error.h - lines that read like errors, where no reader knows them: by how many signs of one a line has. What
 * is told by them is a note, for a person to look at.
 */
#pragma once

#include "import/dump/dump.h"

/* How much a line reads like an error: 0 not at all. Pure. */
unsigned likely_error_signs(const char *text);

/* Has a part's line as many signs as one needs to be told? */
bool likely_error_is_at(const struct dump_part *part, size_t at);
