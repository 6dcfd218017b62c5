/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * system_parts.h - the parts of probe "system", one file each. Private to system*.c.
 *
 * Each fills its list and then says how long it is, so that an empty list is one that was looked for. None flushes.
 */
#ifndef GPUDIAG_PROBE_SYSTEM_PARTS_H
#define GPUDIAG_PROBE_SYSTEM_PARTS_H

#include "probe/probe.h"

/* system_modules.c: kernel modules of GPUs and of what moves their data. */
void system_modules_read(struct probe_env *env, struct snapshot *facts);
/* Of the first line of /proc/driver/nvidia/version: "550.54.14", "open". Neither is unset. */
void nvidia_version_parse(struct arena *arena, const char *text, struct val_str *ret_version,
			  struct val_str *ret_flavour);

/* system_libraries.c: GPU drivers' libraries for programs. */
void system_libraries_read(struct probe_env *env, struct snapshot *facts);
/*
 * What a file's name says: the library, by its place in the table, and the
 * driver's version ("libcuda.so.550.54.14"), NULL where it carries none
 * ("libcuda.so.1"). -1 where it is none of ours.
 */
int user_library_parse(const char *file, const char **ret_version);

/* system_cgroup.c: what this run's control group allows. */
void system_cgroup_read(struct probe_env *env, struct arena *arena, struct cgroup *ret);

/* system_memory_controllers.c: counters of memory errors. */
void system_memory_controllers_read(struct probe_env *env, struct snapshot *facts);

/* system_disks.c */
void system_disks_read(struct probe_env *env, struct snapshot *facts);
/* Is it one of those? Whoever adds to them asks first. name as in /sys/block. */
bool is_listed_disk(struct probe_env *env, const char *name);

/* system_network.c: network interfaces and RDMA devices. */
void system_network_read(struct probe_env *env, struct snapshot *facts);
/* The same of an interface. */
bool is_listed_interface(struct probe_env *env, const char *name);
/* The PCI address a device hangs at, from its place ("…/0000:2a:00.0/net/eth0"), or NULL: on no PCI bus. */
const char *pci_address_of_place(struct arena *arena, const char *place);

#endif
