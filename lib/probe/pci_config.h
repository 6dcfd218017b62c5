/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pci_config.h - what a dump of PCI configuration space says. Pure. */
#ifndef GPUDIAG_PROBE_PCI_CONFIG_H
#define GPUDIAG_PROBE_PCI_CONFIG_H

#include "base/arena.h"
#include "snapshot/value.h"

/* What the kernel shows to those who are not root. */
#define PCI_CONFIG_HEADER_BYTES 64
/* Conventional space, which holds the PCI Express capability. */
#define PCI_CONFIG_BYTES 256

/* Does it read as all ones, as that of a device that is gone does? Needs the whole header. */
struct val_bool pci_config_all_ones(const unsigned char *config, size_t len);

/* Device/port type of the PCI Express capability: "endpoint", "root-port" … */
struct val_str pci_config_port_type(struct arena *arena, const unsigned char *config, size_t len);

#endif
