/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prefilter.h - the fast way past lines that cannot matter: every line of the
 * catalogue holds one of a few literals (gates.def).
 */
#ifndef GPUDIAG_KLOG_PREFILTER_H
#define GPUDIAG_KLOG_PREFILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compat.h"

/* The first place in [at, end) where one of the literals begins, or end. */
const char *klog_next_candidate(const char *at, const char *end);

/* How many line feeds there are in [at, end). */
uint64_t klog_count_lines(const char *at, const char *end);

#endif
