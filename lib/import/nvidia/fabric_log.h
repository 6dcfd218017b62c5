/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fabric_log.h - errors of NVSwitches in the fabric manager's log: log_parts.c has them in its log. */
#pragma once

#include "import/dump/dump.h"

/* Behind its last start: the number of a line of the part, or 0. */
size_t fabric_log_start(const struct dump_part *part);

/* The line as a log has it that repeats the kernel's SXid, or NULL: it tells of none. */
const char *fabric_log_sxid(struct arena *arena, const char *text);
