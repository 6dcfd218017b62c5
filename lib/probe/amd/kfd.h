/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kfd.h - where AMD's compute driver has its files, and which of its nodes is a part of which GPU. */
#pragma once

#include "base/text.h"
#include "format/proc_text.h"

#define KFD "/sys/class/kfd/kfd"
#define KFD_NODES KFD "/topology/nodes"
#define KFD_PROCESSES KFD "/proc"

enum { KFD_MAX_PARTS = 16 };		/* an MI300X has eight in CPX */

/*
 * Is the node of these properties the GPU at that address, or a part of it? location_id is bus, device and function as
 * PCI has them; of a partition the lowest bits, which are the function's, hold its number.
 */
bool kfd_node_is_at(const struct proc_text *properties, struct arena *arena, const struct pci_address *address);
