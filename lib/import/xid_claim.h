/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xid_claim.h - Xids that a ticket's own words name: "GPU 4 fell off the bus (Xid 79)". They are no log: they
 * are told where nothing else of the dump has that Xid, in a note.
 */
#pragma once

#include "import/dump.h"

/*
 * Moves the lines that name one, of those that no reader took, to a part of their own, which is the caller's to add. false:
 * there are none, or so many different numbers that the text explains Xids.
 */
bool xid_claims_part(struct arena *arena, struct dump_parts *parts, struct dump_part *ret);

/* Does a line name one so? */
bool xid_claim_is_in(const char *text);
