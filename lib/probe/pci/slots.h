/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slots.h - the slots the kernel has names for. */
#pragma once

#include "probe/probe.h"

#define PCI_SLOTS "/sys/bus/pci/slots"

/* Is the function of that address in the slot at that place, "0000:5d:00" or "0000:5d"? Pure. */
bool pci_is_in_slot(const char *address, const char *place);

/* The label of the slot that holds the first of these functions that is in one. */
struct val_str pci_slot_label(struct probe_env *env, struct arena *arena, const char *const *addresses, size_t nr);
