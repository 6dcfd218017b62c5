/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xid_claim.h - Xids that a ticket's own words name: "GPU 4 fell off the bus (Xid 79)". They are no log: they are told
 * where nothing else of the dump has that Xid, in a note.
 */
#pragma once

#include "import/dump/dump.h"

/* Does a line name one so? */
bool xid_claim_is_in(const char *text);

/* Adds those that a line names and that are not among the numbers yet, up to so many. How many there are then. */
size_t xid_claim_numbers(const char *text, uint64_t *numbers, size_t nr, size_t most);

/* Puts what a line claims; nothing: none. */
void xid_claim_read(struct reading *reading, struct dump_line *line);
