/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * program_end.h - what is printed where a program ends by an error, by the language it is written in, the C library,
 * its launcher or its scheduler: whatever the program is, and in whatever words it tells why.
 */
#pragma once

#include "import/dump/dump.h"

/* Does lines[at] say so? Of a traceback that is the line behind it, which names the error. */
bool program_end_is_at(const struct dump_part *part, size_t at);

/* May a text that has this line tell so? */
bool program_end_begins(const char *text);
