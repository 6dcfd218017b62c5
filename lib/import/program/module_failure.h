/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * module_failure.h - kernel modules of GPUs that were not loaded or not built, in words that program_error.c's parts
 * hold.
 */
#pragma once

#include "import/dump/dump.h"

bool module_failure_begins(const struct dump_line *lines, size_t nr);
struct ends_below;

/* What line `at` of the part says of it; nothing where it says nothing, or the module is loaded later. */
void module_failure_read(struct reading *reading, size_t at, struct ends_below **back);
