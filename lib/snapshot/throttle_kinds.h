/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * throttle_kinds.h - what may hold a GPU's clocks back: the kinds that record throttle has a share of and
 * load_sample.throttle_reasons names, and lists of reasons in a driver's own names. Pure.
 */
#pragma once

#include "base/strbuf.h"

enum throttle_kind {
	THROTTLE_POWER_CAP,
	THROTTLE_CURRENT,
	THROTTLE_THERMAL,
	THROTTLE_HW_THERMAL,
	THROTTLE_BRAKE,			/* a signal from outside */
	THROTTLE_SLOWDOWN,		/* by the hardware, for whatever reason */
	THROTTLE_SET,			/* clocks that somebody has set */
	NR_THROTTLE_KINDS,
	THROTTLE_OTHER = NR_THROTTLE_KINDS	/* named by a driver, and of no kind */
};

/* "power-cap" */
const char *throttle_kind_name(enum throttle_kind kind);

enum { THROTTLE_KINDS_BYTES = 96 };	/* all of them */
/* "power-cap, thermal" of the bits 1 << kind; "none". */
void throttle_kinds_write(unsigned kinds, char ret[THROTTLE_KINDS_BYTES]);
/* The bits of such a text; words that are no kind have none. */
unsigned throttle_kinds_parse(const char *text);

/* Adds those of a list "pl1, thermal" that the other has not yet; "none" is none. */
void throttle_reasons_add(struct strbuf *list, const char *reasons);
