/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "import/dump/dump.h"

/* Takes "| " off before each line of a stretch that is quoted so, as trackers and forums do; rows of tables stay. */
void bar_quote_undo(struct dump_line *lines, size_t nr);
