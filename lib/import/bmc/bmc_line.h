/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bmc_line.h - an entry of a management controller's log in one line without bars, as web pages and exported files have
 * it.
 */
#pragma once

#include "import/bmc/bmc_event.h"

/* Is the line one that says something? */
bool bmc_line_is_entry(const char *text);
/* The same into *ret; false: it is none. */
bool bmc_line_take(struct dump_line *line, struct bmc_event *ret);
