/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nvidia_branches.h - which CUDA a driver of NVIDIA offers, and how long its branch is looked after.
 *
 * As of September 2026. What is not in the tables is not known: never old, never too new.
 */
#pragma once

#include <stdbool.h>

#include "base/compat.h"

/*
 * The newest CUDA, "12.4", whose toolkit asks for no newer driver (Linux, x86_64), or NULL. *ret_is_exact: the driver
 * is of that CUDA's own branch; one of a branch that the table lacks may offer more.
 */
const char *nvidia_driver_cuda(const char *driver_version, bool *ret_is_exact);

/* The oldest driver that runs programs of any CUDA of that major version, "525" for 12; NULL: not known. */
const char *nvidia_driver_for_cuda_major(unsigned major);

/* The driver that the toolkit of that CUDA, "12.4" or "12.4.1", came with first, "550.54.14"; NULL: not known. */
const char *nvidia_driver_for_cuda(const char *cuda_version);

/*
 * The driver, "550.54.14", older than which none offers that CUDA, "12.4"; NULL: not known. One that the table lacks
 * asks for no less than the one before it.
 */
const char *nvidia_driver_least_for_cuda(const char *cuda);

/*
 * The month after which that driver's branch gets no updates, "2026-06", or, where NVIDIA gave no date, the month by
 * which it said that it was over: "2025-08 or before". NULL: not known.
 */
const char *nvidia_branch_end_of_life(const char *driver_version);
/* Is that month over at a time as format_rfc3339() words it? */
bool nvidia_end_of_life_is_over(const char *end_of_life, const char *now);
