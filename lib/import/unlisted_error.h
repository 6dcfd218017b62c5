/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unlisted_error.h - what programs and services print of an error of GPUs in words that no reader knows. It is told in a
 * note, by its own line, where a dump tells of no other error of a program: whoever reads it knows where to look.
 */
#pragma once

#include "import/dump.h"

/*
 * Moves such lines, of those that no reader took, to a part of their own, which is the caller's to add. false: there are
 * none, or the dump is a report of a whole machine, in which programs complain of much that they do without.
 */
bool unlisted_errors_part(struct arena *arena, struct dump_parts *parts, struct dump_part *ret);

/* Is a line one? */
bool unlisted_error_is_in(const char *text);
