/* SPDX-License-Identifier: GPL-2.0-or-later */
/* throttle_kind.h - what may hold a GPU's clocks back, whoever made it: the shares of record throttle. */
#ifndef GPUDIAG_PROBE_THROTTLE_KIND_H
#define GPUDIAG_PROBE_THROTTLE_KIND_H

enum throttle_kind {
	THROTTLE_POWER_CAP,
	THROTTLE_CURRENT,
	THROTTLE_THERMAL,
	THROTTLE_BRAKE,			/* a signal from outside */
	NR_THROTTLE_KINDS,
	THROTTLE_OTHER = NR_THROTTLE_KINDS	/* named, and in no share */
};

#endif
