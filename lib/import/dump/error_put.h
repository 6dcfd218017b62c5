/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * error_put.h - an error of a program or service into the snapshot: of several with one key the first one's words are
 * told.
 */
#pragma once

#include "import/dump/dump.h"

/* said: what is told of it where its words are not all; NULL: nothing. */
void program_error_put(struct reading *reading, struct dump_line *line, const char *key, const char *words,
		       const char *said);
