/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * concurrent_transfer.h - GPUs that moved data at the same time (--together) through a
 * link that they share and that carries less than all of them could. Pure.
 *
 * What each of them got then says nothing about its own link: such figures
 * are to be excused.
 */
#pragma once

#include "eval/facts/link.h"
#include "eval/judge/check.h"

enum { MAX_CONCURRENT = 64 };

struct shared_uplink {
	const char *address;		/* lower end of the link that they share */
	size_t nr;
	size_t gpus[MAX_CONCURRENT];	/* their indexes, rising */
	double carries_gbps;		/* that link, before packets */
	double together_gbps;		/* what they took from the host, all of them */
	double alone_gbps;		/* what their own links carry, all of them */
};

/*
 * The nearest link above that GPU which it shared so while its copies to the
 * device were measured: together they took what such a link gives and
 * clearly less than their own links could. False: there is none, or the run
 * did not measure devices together.
 */
bool shared_uplink_of(const struct judgement *j, const struct gpu *gpu, struct shared_uplink *ret);
