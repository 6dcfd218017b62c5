/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fault_claim.h - faults of GPUs that a ticket's own words tell, without the line of a tool or of the kernel: "GPU 4
 * fell off the bus". As of Xids (xid_claim.h) they are told in a note.
 */
#pragma once

#include "import/dump/dump.h"
#include "import/dump/readers.h"

/* The words in a line, or NULL. */
const char *fault_claim_in(const char *text);

/* Puts what a line claims; nothing: none. */
void fault_claim_read(struct reading *reading, struct dump_line *line);
