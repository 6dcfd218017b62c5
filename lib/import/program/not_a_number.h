/* SPDX-License-Identifier: GPL-2.0-or-later */
/* not_a_number.h - programs that print what they computed, and that it is no number: "loss: nan", "grad norm: nan". */
#pragma once

#include "import/dump/dump.h"

/* Does a line say so of a result, and not of a figure that was not measured? */
bool not_a_number_says(const char *text);

/* Puts it as an error of a program. */
void not_a_number_read(struct reading *reading, struct dump_line *line);
