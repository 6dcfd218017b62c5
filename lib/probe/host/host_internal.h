/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host_internal.h - the parts of probe "host", one file each. Private to host*.c. */
#pragma once

#include "probe/read.h"

/* The first processor's lines of /proc/cpuinfo fit in here. */
#define CPUINFO_BYTES ((size_t)16 << 10)

/* host_platform.c: is this a virtual machine, is this a container? */
struct val_str host_virtualisation(struct probe_env *env, struct arena *arena, const struct proc_text *cpuinfo);
struct val_str host_container(struct probe_env *env, struct arena *arena);
struct val_bool host_sees_all_devices(struct probe_env *env);

/* host_cpu.c: processors, their clocks, and how often heat slowed them. */
void host_cpu_read(struct probe_env *env, struct arena *arena, const struct proc_text *cpuinfo, struct cpu *ret);

/* host_shm.c: the size of /dev/shm, and what is left of it. */
void host_shared_memory_read(struct probe_env *env, struct arena *arena, struct host *ret);
/* What the options of the last file system mounted there say of its size, in a text in the form of /proc/mounts. */
struct val_u64 mount_size(struct arena *arena, const char *mounts, const char *point);

/* host_environment.c: facts of this run, not of the machine; live only. */
void host_environment_read(struct probe_env *env, struct arena *arena, struct host *host, struct cpu *cpu);

/* host_resources.c: main memory, stalls, swap areas, NUMA nodes. Each flushes nothing. */
void host_memory_read(struct probe_env *env, struct arena *arena, struct memory *ret);
void host_pressure_read(struct probe_env *env, struct arena *arena, struct pressure *ret);
void host_swaps_read(struct probe_env *env, struct snapshot *facts);
void host_numa_nodes_read(struct probe_env *env, struct snapshot *facts);
