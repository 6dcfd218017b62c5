/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pci_path.h - the way from a PCI function up to its root port, and who sleeps on it; touches no device. */
#pragma once

#include "probe/probe.h"

/*
 * The bridges above a function, nearest first, from the text of its link in
 * /sys/bus/pci/devices. Pure.
 */
void pci_path_bridges(struct arena *arena, const char *link, struct strs *ret);

/* The function itself and the bridges above it. 0, or -errno where its link cannot be read. */
int pci_path_read(struct probe_env *env, struct arena *arena, const char *address, struct strs *ret);

/*
 * Would touching the first of these, a function and the bridges above it, wake
 * any of them, as far as one can know? Then the state its values get, and why.
 */
bool pci_path_sleeps(struct probe_env *env, struct arena *arena, const struct strs *path, enum val_state *ret_state,
		     const char **ret_why);
