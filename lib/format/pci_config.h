/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pci_config.h - what a dump of PCI configuration space says. Pure. */
#pragma once

#include "base/arena.h"
#include "snapshot/snapshot.h"

/* What the kernel shows to those who are not root. */
#define PCI_CONFIG_HEADER_BYTES 64
/* Conventional space, which holds the PCI Express capability. */
#define PCI_CONFIG_BYTES 256
/* With the extended space, where the list of extended capabilities begins after the conventional one. */
#define PCI_CONFIG_EXTENDED_BYTES 4096

/* Does it read as all ones, as that of a device that is gone does? Needs the whole header. */
struct val_bool pci_config_all_ones(const unsigned char *config, size_t len);

/* Device/port type of the PCI Express capability: "endpoint", "root-port" … */
struct val_str pci_config_port_type(struct arena *arena, const unsigned char *config, size_t len);

/* Payloads, reads and power saving of the link, as set and as possible: those fields of *ret alone. */
void pci_config_settings(struct arena *arena, const unsigned char *config, size_t len, struct pci_function *ret);
/* One state for the same fields. */
void pci_config_no_settings(struct pci_function *ret, enum val_state state, const char *why);

/* Ids, class, revision and board: those fields of *ret alone, as sysfs writes them. Needs the whole header. */
void pci_config_identity(struct arena *arena, const unsigned char *config, size_t len, struct pci_function *ret);

/* Widths and speeds of the link, as it runs and as this end can: those fields of *ret alone. */
void pci_config_link(struct arena *arena, const unsigned char *config, size_t len, struct pci_function *ret);
/* A width as the register has it: what cannot be one tells why there is none. */
struct val_u64 pci_width(struct arena *arena, uint64_t lanes);

/* Of a bridge, the number of the bus below it; -1: it is none, or the header is not whole. */
int pci_config_secondary_bus(const unsigned char *config, size_t len);

/* Does a port send what passes between the devices below it up to the root? Needs the extended space. */
struct val_bool pci_config_acs_redirects(const unsigned char *config, size_t len);

/* Does the slot below this port hold a card, and is the link below it up? */
struct val_bool pci_config_slot_present(const unsigned char *config, size_t len);
struct val_bool pci_config_link_active(const unsigned char *config, size_t len);

/*
 * A step along the extended capabilities: the first four bytes of one, as
 * read, give its id and where the next begins; 0: it is the last, or the list
 * leads nowhere. The first stands at PCI_CONFIG_BYTES.
 */
unsigned pci_config_extended_id(const unsigned char header[4]);
size_t pci_config_extended_next(const unsigned char header[4]);
