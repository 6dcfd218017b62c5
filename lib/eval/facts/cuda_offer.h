/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cuda_offer.h - the newest CUDA that NVIDIA's driver supports. */
#pragma once

#include "eval/judge/check.h"

/*
 * What the driver says itself counts, otherwise what its version is known for. is_exact: it supports no more than that.
 */
struct cuda_offer {
	const char *version;	/* "12.4"; NULL: not known */
	bool is_exact;
};

/* With the value as evidence "cuda". */
struct cuda_offer cuda_offer_of(struct judgement *j);

/* 12 of "12.4" */
unsigned cuda_major(const char *version);

/*
 * The oldest driver for programs of that CUDA version, if this driver is too old: those of a later minor version run on
 * it, those of a later major version do not, unless its forward compatibility package goes with them. NULL: it runs
 * them, or that is not known.
 */
const char *cuda_driver_needed(const struct judgement *j, struct cuda_offer offer, const char *version);
