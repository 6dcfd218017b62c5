/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pci_function.h - what is read of a PCI function without touching it.
 *
 * All of it is cached in the kernel: no configuration cycle goes to the
 * device or to a bridge above it, so none of it can wake or hang anything.
 */
#pragma once

#include "probe/probe.h"
#include "sys/cached_fd.h"

#define PCI_DEVICES "/sys/bus/pci/devices"

/* Display controllers, and the processing accelerators that newer compute cards call themselves. */
static inline bool pci_class_is_gpu(uint64_t class_code)
{
	return class_code >> 16 == 0x03 || class_code >> 8 == 0x1200;
}

/* Fills driver and power fields of the function at that address: what says whether more may be read. */
void pci_function_read_power(struct probe_env *env, struct arena *arena, const char *address, struct pci_function *ret);

/* Fills identity, driver, NUMA and power fields of the function at that address; leaves model, port and link alone. */
void pci_function_identify(struct probe_env *env, struct arena *arena, const char *address, struct pci_function *ret);

/* A file of the function at that address, kept open; folder: "" or "power/". */
struct cached_fd pci_keep_file(const struct root *root, const char *address, const char *folder, const char *file);

/* The NUMA node of the function at that address; absent where firmware names none. */
struct val_u64 pci_numa_node(struct probe_env *env, struct arena *arena, const char *address);

/* Would a read of its configuration space wake it? *ret_why then says by what we know. */
bool pci_function_is_asleep(struct arena *arena, const struct pci_function *function, const char **ret_why);

/* True where neither file of its power state could be read: then it must not be touched either. With the state for its
 * values. */
bool pci_function_may_sleep(struct arena *arena, const struct pci_function *function, enum val_state *ret_state,
			    const char **ret_why);

/*
 * Lanes, from a file that holds a width: what stands in place of a number
 * tells why there is none. Touches the device.
 */
struct val_u64 pci_read_width(struct probe_env *env, struct arena *arena, const char *address, const char *file);
/* What the kernel says of a device that did not answer it. */
bool pci_is_no_answer(enum val_state state, const char *why);
