/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * questions.h - a list of questions and answers: what its answers show others see, and no machine under test printed
 * it. Of one question alone an accepted answer says that it is over.
 */
#pragma once

#include "import/document/left_out.h"

/* From the first question to the end of the last answer: where the text ends, or somebody types a command. */
bool questions_next(const struct dump_line *lines, size_t nr, size_t from, struct left_out *ret);
