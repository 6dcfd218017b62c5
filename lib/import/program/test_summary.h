/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_summary.h - the line in which a suite of tests, or a sample that checks its own result, says that it failed. */
#pragma once

#include "import/dump/dump.h"

/* Does the first of these lines say so? */
bool test_summary_begins(const struct dump_line *lines, size_t nr);

/* Puts it, with what was counted. How many lines it took. */
size_t test_summary_read(struct reading *reading, size_t at);
