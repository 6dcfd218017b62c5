/* SPDX-License-Identifier: GPL-2.0-or-later */
/* throttle_reasons.h - what may hold a GPU's clocks back, whoever made it: the shares of record throttle. Pure. */
#ifndef GPUDIAG_PROBE_THROTTLE_REASONS_H
#define GPUDIAG_PROBE_THROTTLE_REASONS_H

#include "base/strbuf.h"

enum throttle_kind {
	THROTTLE_POWER_CAP,
	THROTTLE_CURRENT,
	THROTTLE_THERMAL,
	THROTTLE_BRAKE,			/* a signal from outside */
	NR_THROTTLE_KINDS,
	THROTTLE_OTHER = NR_THROTTLE_KINDS	/* named, and in no share */
};

/* Adds those of a list "pl1, thermal" that the other has not yet; "none" is none. */
void throttle_reasons_add(struct strbuf *list, const char *reasons);

#endif
