/* SPDX-License-Identifier: GPL-2.0-or-later */
/* smbios.h - what the firmware's tables (SMBIOS) call a place on the bus. Pure. */
#pragma once

#include "base/text.h"

/*
 * The label of the slot (type 9) at that place, else of the device that is
 * soldered there (type 41), from a whole structure table. Functions of one
 * device share a slot. False where the table names none; what is damaged in it
 * ends the search.
 */
bool smbios_slot_label(const unsigned char *table, size_t len, const struct pci_address *address,
		       struct strbuf *ret);
