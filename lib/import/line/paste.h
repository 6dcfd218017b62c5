/* SPDX-License-Identifier: GPL-2.0-or-later */
/* paste.h - whole lines that stand in a paste, and were none of what the tool printed. Lines that go are taken out. */
#pragma once

#include "import/dump/dump.h"

/* A blank line after each line, as mails and pages leave them: of those between two lines more than half go. */
void paste_close_up(struct dump_line *lines, size_t *nr);
/*
 * What a pager writes at the foot of the screen: "--More--", "lines 1-23/45 (END)", and "~" below the end of the text.
 */
void paste_drop_pager(struct dump_line *lines, size_t *nr);
