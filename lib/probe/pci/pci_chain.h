/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pci_chain.h - a device and every bridge above it: their links, and what their
 * configuration space tells.
 *
 * Reading a link file or configuration space resumes the bridge above, and
 * the device itself from D3cold (K7.2 drivers/pci/pci-sysfs.c, pci.c). So the
 * power state of the whole chain is read first, which touches nothing, and
 * what sleeps or has a sleeping bridge above it is left alone.
 */
#pragma once

#include "probe/probe.h"

#define PCI_GONE "the function is gone from the bus"

/* The device or a bridge above it. */
struct pci_member {
	const char *address;
	const char *asleep;		/* why it must not be touched; NULL: it may be */
	enum val_state asleep_state;	/* what its values are then */
	struct pci_function pci;
};

/* From the device, the first, up to the root port. */
struct pci_chain {
	struct arena arena;
	struct pci_member *members;
	size_t nr;
};

/*
 * Who they are, and who sleeps; is_known_device: who the device itself is was read before. 0; -ENOENT: there is no such
 * device, and the chain is empty; another -errno: the bridges above are not visible. pci_chain_release() in any case.
 */
int pci_chain_open(struct probe_env *env, struct pci_chain *ret, const char *address, bool is_known_device) MUST_CHECK;
void pci_chain_release(struct pci_chain *chain);

/* Reads link, configuration space and error counters into member->pci; texts go to arena. Each call is announced. */
void pci_member_read(struct probe_env *env, struct sink *sink, struct arena *arena, struct pci_member *member);

/* Unplugged meanwhile? And its values then. */
bool pci_member_is_gone(struct probe_env *env, const struct pci_member *member);
void pci_function_set_gone(struct pci_function *pci);
