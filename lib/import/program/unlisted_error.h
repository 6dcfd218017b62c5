/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unlisted_error.h - what programs and services print of an error of GPUs in words that no reader knows: whoever reads
 * its line knows where to look.
 */
#pragma once

#include "import/dump/dump.h"

bool unlisted_error_is_in(const char *text);
bool unlisted_error_is_at(const struct dump_part *part, size_t at);

/* Does it tell of an error, whether it names a GPU or not? */
bool unlisted_error_may_be_in(const char *text);
/* The same of a part's line: not where the next one ignores it, nor of a traceback, which program_end.h looks at. */
bool unlisted_error_is_beside(const struct dump_part *part, size_t at);
/* The same of a logger's line of that level, or an exception's: an error, whatever the text is about. */
bool unlisted_error_has_level(const struct dump_part *part, size_t at);
