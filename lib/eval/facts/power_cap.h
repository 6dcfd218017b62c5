/* SPDX-License-Identifier: GPL-2.0-or-later */
/* power_cap.h - a lower power limit, as a temporary measure against faults that come with load. */
#pragma once

#include "eval/judge/check.h"

/*
 * Fills {cap_command}, {cap_watts} and {uncap_command}, the vendor's own, for the judged GPU: 80 % of its default
 * limit, or of a twin's where it does not answer any more. Nothing where no vendor's tool can do it, or it is as low
 * already.
 */
void phrase_power_cap(struct judgement *j);
