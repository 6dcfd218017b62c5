/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timing_precondition.h - what the checks of stage 8 begin with: was the device measured,
 * and what came of it?
 */
#pragma once

#include "eval/facts/twin_stats.h"
#include "eval/judge/check.h"

/* False: the device may not be loaded. The check is skipped, with the reason. */
bool load_is_permitted(struct judgement *j);

/* The timing as a figure, as timing_figure() has it. False: it is none, and the check says so. */
bool measured_figure_of(struct judgement *j, const struct timing *timing, enum unit *ret_unit, struct stats *ret);

/* All of it: the device's figure of that test. False: there is none, and the check says why. */
bool measured_figure(struct judgement *j, const char *test, enum unit *ret_unit, struct stats *ret);
