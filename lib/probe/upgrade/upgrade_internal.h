/* SPDX-License-Identifier: GPL-2.0-or-later */
/* upgrade_internal.h - the parts of probe "upgrade", one file each. Private to upgrade*.c. None flushes. */
#pragma once

#include "probe/probe.h"

struct stat;

/* upgrade_system.c: what keeps this system and its driver, what waits for a reboot, nouveau blacklist. */
void upgrade_system_read(struct probe_env *env, struct arena *arena, struct upgrade *ret);
void upgrade_reboot_read(struct probe_env *env, struct arena *arena, struct upgrade *ret);
void upgrade_nouveau_read(struct probe_env *env, struct arena *arena, struct upgrade *ret);
/* Does a file of modprobe.d keep nouveau off? (modprobe.d(5)) */
bool modprobe_keeps_off(const char *text, const char *module);
/* Does the kernel's command line? */
bool command_line_keeps_off(const char *text, const char *module);

/* upgrade_kernels.c: the kernels that are installed. */
void upgrade_kernels_read(struct probe_env *env, struct snapshot *facts);

/*
 * upgrade_initramfs.c: the kernel's initramfs; machine: its id (machine-id(5)), which names folders of boot loaders;
 * module_path: NVIDIA's module of that kernel, or NULL.
 */
void upgrade_initramfs_read(struct probe_env *env, struct arena *arena, const char *machine,
			    struct installed_kernel *kernel, const char *module_path);
/* Which file puts NVIDIA's module into each of them. */
void upgrade_initramfs_modules_read(struct probe_env *env, struct arena *arena, struct upgrade *ret);
/* Does a list of modules of initramfs-tools name it? */
bool modules_file_has_nvidia(const char *text);
/* Does a configuration of dracut add it? */
bool dracut_file_has_nvidia(const char *text);
/* By how much the first was written before the second; 0 where after. */
uint64_t seconds_behind(const struct stat *initramfs, const struct stat *module);

/* upgrade_builds.c: what DKMS built. */
void upgrade_builds_read(struct probe_env *env, struct snapshot *facts);
/* Of make.log's first line, "DKMS (dkms-3.0.11) make.log for nvidia/550.54.14 for kernel 6.8.0-31-generic (x86_64)". */
const char *make_log_kernel(struct arena *arena, const char *text);
/* The first line with an error, or NULL. */
const char *make_log_error(struct arena *arena, const char *text);

/* upgrade_secure_boot.c: which modules this kernel takes, and whether ours would be signed by a key it knows. */
void upgrade_secure_boot_read(struct probe_env *env, struct arena *arena, struct upgrade *ret);

/* upgrade_containers.c: containers that get a GPU, and the CUDA they ask for. */
void upgrade_containers_read(struct probe_env *env, struct snapshot *facts);

/* upgrade_disk_space.c: room on the file systems that an upgrade writes to. */
void upgrade_disk_space_read(struct probe_env *env, struct snapshot *facts);
