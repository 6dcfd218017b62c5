/* SPDX-License-Identifier: GPL-2.0-or-later */
/* framework_answer.h - what a framework answers whoever asks it for GPUs by hand: ">>> torch.cuda.is_available()", "False". */
#pragma once

#include "import/dump/dump.h"

/* Does the first of these lines, which go to the end of their text, ask, and is the answer that there is none? */
bool framework_answer_begins(const struct dump_line *lines, size_t nr);

/* Puts it; lines: as above, of the reading's part. */
void framework_answer_read(struct reading *reading, struct dump_line *lines, size_t nr);
