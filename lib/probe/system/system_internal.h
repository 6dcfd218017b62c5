/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * system_internal.h - the parts of probe "system", one file each. Private to system*.c.
 *
 * Each fills its list and then sets its length, so that an empty list differs from one that was not made. None flushes.
 */
#pragma once

#include "probe/probe.h"

/* system_modules.c: kernel modules of GPUs and of what moves their data. */
void system_modules_read(struct probe_env *env, struct snapshot *facts);

/* system_libraries.c: GPU drivers' libraries for programs. */
void system_libraries_read(struct probe_env *env, struct snapshot *facts);
/*
 * What a file's name says: the library, by its place in the table, and the
 * driver's version ("libcuda.so.550.54.14"), NULL where it carries none
 * ("libcuda.so.1"). -1 where it is none of ours.
 */
int user_library_parse(const char *file, const char **ret_version);

/* system_packages.c: software of GPUs' stacks among dpkg's packages; it begins facts->software and says how it went. */
void system_packages_read(struct probe_env *env, struct snapshot *facts);
/* The software that a Debian package of that name holds, or NULL: none of ours. */
const char *software_of_package(const char *package);
/* "2.21.5" of "2.21.5-1+cuda12.4", "3.3.7" of "1:3.3.7": without epoch and revision (Debian policy 5.6.12). */
const char *upstream_version(struct arena *arena, const char *version);

/* system_software.c: the same by files that tell their version themselves; it adds to facts->software. */
void system_software_read(struct probe_env *env, struct snapshot *facts);
/* One of facts->software, unless the list is full; from: the package or the file, its key. */
void software_add(struct snapshot *facts, const char *from, const char *name, struct val_str version);

/* system_link_modes.c: the fastest speed that both ends of an interface's link advertise, asked of the live kernel. */
struct val_u64 network_speed_able(const char *interface);

/* system_cdi.c: CDI files for GPUs. */
void system_cdi_read(struct probe_env *env, struct snapshot *facts);
/* "550.54.14": the driver's version in the names of the libraries that a CDI file mounts, or NULL. */
const char *cdi_driver_version(struct arena *arena, const char *text);
/* "nvidia.com/gpu": what its devices are, in YAML or JSON, or NULL. */
const char *cdi_kind(struct arena *arena, const char *text);

/* system_container_config.c: configuration files of container runtimes. */
void system_container_config_read(struct probe_env *env, struct snapshot *facts);

/* system_cgroup.c: what this run's control group allows. Of host_room.c too. */
void system_cgroup_read(struct probe_env *env, struct arena *arena, struct cgroup *ret);

/* system_memory_controllers.c: counters of memory errors. */
void system_memory_controllers_read(struct probe_env *env, struct snapshot *facts);

/* system_disks.c */
void system_disks_read(struct probe_env *env, struct snapshot *facts);
/* Is it one of those? To be checked before adding. name as in /sys/block. */
bool is_listed_disk(struct probe_env *env, const char *name);

/* system_disk_arrays.c: software RAID and pools of ZFS. */
void system_disk_arrays_read(struct probe_env *env, struct snapshot *facts);

/* system_nvme.c: NVMe controllers, but for their health. */
void system_nvme_read(struct probe_env *env, struct snapshot *facts);

/* system_network.c: network interfaces and RDMA devices. */
void system_network_read(struct probe_env *env, struct snapshot *facts);
/* system_bonds.c: bonds of interfaces. */
void system_bonds_read(struct probe_env *env, struct snapshot *facts);
/* The text of /proc/net/bonding/NAME. */
void bond_parse(struct arena *arena, const char *text, struct bond *ret);

/* The PCI address a device hangs at, from its place ("…/0000:2a:00.0/net/eth0"), or NULL: on no PCI bus. */
const char *pci_address_of_place(struct arena *arena, const char *place);
