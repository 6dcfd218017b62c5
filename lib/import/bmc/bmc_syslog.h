/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bmc_syslog.h - an entry of a management controller's log in one line of a program that passes them on. */
#pragma once

#include "import/bmc/bmc_event.h"

/* Is the line one that says something? */
bool bmc_syslog_is_entry(const char *text);
/* The same into *ret; false: it is none. */
bool bmc_syslog_take(struct arena *arena, struct dump_line *line, struct bmc_event *ret);
