/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prefilter.h - the fast way past lines that cannot matter: every line of the
 * catalogue holds one of a few literals (prefilter.def).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/compat.h"

/* The first place in [at, end) where one of the literals begins, or end. */
const char *klog_next_candidate(const char *at, const char *end);

/*
 * May a line go on with the event before it? It is a candidate, speaks of a PCI device ("0000:5d:00.0: "), is a frame
 * of a stack ("+0x36/0x50"), or names the program of an oops (" Comm: "). Every DETAIL and TURN of the catalogue is one
 * of these (tests/unit).
 */
bool klog_may_go_on(const char *at, const char *end);

/* How many line feeds there are in [at, end). */
uint64_t klog_count_lines(const char *at, const char *end);
