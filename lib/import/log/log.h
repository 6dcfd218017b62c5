/* SPDX-License-Identifier: GPL-2.0-or-later */
/* log.h - the kernel log in dumps. */
#pragma once

#include "import/dump/dump.h"

/*
 * Puts the lines of all parts that may hold a kernel log's into one log of the snapshot, in the order of the parts.
 * Nothing is put where none of them is a kernel's. By run.taken_at goes the year of stamps that have none.
 */
void dump_logs_join(struct snapshot *ret, const struct dump_parts *parts);

/* Does the line begin as a kernel log's do? "[   12.345678] …", "Nov  4 12:00:01 host kernel: …", "NVRM: …" */
bool dump_is_log_line(const char *text);
