/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pace.h - when the next sample is due. Sampling must not disturb the node: a sample that took much CPU time
 * delays the next one.
 */
#pragma once

#include <stdint.h>

struct pace {
	uint64_t every_ns;
	unsigned cost_share;		/* a sample may take this part of the time between two: 50 is a 50th */
	uint64_t due_ns;		/* the next: clock_now_ns(); 0: now */
	uint64_t began_cpu_ns;		/* of the sample being taken */
};

/* Around each sample. What was due meanwhile is left out. */
void pace_begin(struct pace *pace);
void pace_end(struct pace *pace);
