/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pci_names.h - PCI ids in words, by libpci and its list.
 *
 * libpci is asked for names only: it is never initialised for access, scans
 * nothing and reads no device. A damaged list makes it call its error
 * callback, which must not return: here that ends the call, and libpci is not
 * called again.
 */
#pragma once

#include "probe/probe.h"

struct pci_names;

/*
 * Opens libpci and its list: the tree's own pci.ids where a recorded tree has
 * one, else this machine's. NULL and *ret_why set (static or in the arena)
 * when there are no names to be had.
 */
struct pci_names *pci_names_open(struct probe_env *env, struct sink *sink, struct arena *arena, const char **ret_why);
void pci_names_close(struct pci_names *names);

/* "NVIDIA Corporation GH100 [H100 SXM5 80GB]" for "0x10de" and "0x2330", or why not. */
struct val_str pci_names_model(struct pci_names *names, struct arena *arena, struct val_str vendor_id,
			       struct val_str device_id);
