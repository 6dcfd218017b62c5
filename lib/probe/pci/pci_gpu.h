/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pci_gpu.h - what the bus knows of a GPU beside its link: BARs, IOMMU, virtual functions, the label of its slot. */
#pragma once

#include "probe/probe.h"

/*
 * The largest memory BAR in the text of a "resource" file: its size in bytes
 * and its number; 0 where there is none. Pure.
 */
uint64_t pci_largest_bar(const char *resource, unsigned *ret_number);

/*
 * Fills bar_, iommu_ and virtual_functions fields. asleep: not NULL where the
 * GPU must not be touched, and why; asleep_state is the state of what was not
 * read then.
 */
void pci_gpu_read(struct probe_env *env, struct sink *sink, struct arena *arena, const char *address,
		  enum val_state asleep_state, const char *asleep, struct gpu *ret);

/* One state for the same fields. */
void pci_gpu_set_unknown(struct gpu *ret, enum val_state state, const char *why);

/*
 * Fills slot and smbios_slot. chain: the GPU's address, then those of the
 * bridges above it up to the root port.
 */
void pci_gpu_read_slot(struct probe_env *env, struct sink *sink, struct arena *arena, const char *const *chain,
		       size_t nr, struct gpu *ret);

/* ---- slots.c: the slots the kernel has names for */

#define PCI_SLOTS "/sys/bus/pci/slots"

/* Is the function of that address in the slot at that place, "0000:5d:00" or "0000:5d"? Pure. */
bool pci_is_in_slot(const char *address, const char *place);

/* The label of the slot that holds the first of these functions that is in one. */
struct val_str pci_slot_label(struct probe_env *env, struct arena *arena, const char *const *addresses, size_t nr);
