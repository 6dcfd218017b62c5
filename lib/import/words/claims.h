/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * claims.h - the lines of a dump in which people tell of faults of GPUs in their own words (xid_claim.h,
 * fault_claim.h).
 */
#pragma once

#include "import/dump/dump.h"

/*
 * Moves them, of those that no reader took, to a part of their own, which is the caller's to add. false: there are
 * none, or they name so many different Xids that the text explains them.
 */
bool claims_part(struct arena *arena, struct dump_parts *parts, struct dump_part *ret);
