/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * load_throttle.h - what may hold a GPU's clocks back under our own load, as load_sample.throttle_reasons names it
 * and record throttle counts it. Shared by those who write that text and those who judge by it.
 */
#ifndef GPUDIAG_SNAPSHOT_LOAD_THROTTLE_H
#define GPUDIAG_SNAPSHOT_LOAD_THROTTLE_H

#include <stdbool.h>

enum load_throttle {
	LOAD_POWER_CAP, LOAD_CURRENT, LOAD_THERMAL, LOAD_HW_THERMAL, LOAD_BRAKE, LOAD_SLOWDOWN, LOAD_SET,
	NR_LOAD_THROTTLES
};

/* "power-cap" */
const char *load_throttle_name(enum load_throttle kind);

enum { LOAD_THROTTLES_BYTES = 96 };	/* all of them */
/* "power-cap, thermal" of the bits 1 << kind; "none". */
void load_throttles_write(unsigned kinds, char ret[LOAD_THROTTLES_BYTES]);

/* Is that kind in such a text? */
bool load_throttles_have(const char *text, enum load_throttle kind);

#endif
