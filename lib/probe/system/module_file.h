/* SPDX-License-Identifier: GPL-2.0-or-later */
/* module_file.h - files of kernel modules: version and signature. Nothing is loaded. */
#pragma once

#include "probe/probe.h"

/* The version of the file of that module that the running kernel would load next. */
struct val_str module_disk_version(struct probe_env *env, struct arena *arena, const char *name);

/*
 * "updates/dkms/nvidia.ko": the file of a module, below its kernel's folder, by the text of modules.dep, or NULL. So
 * are files that distributions call otherwise ("nvidia-current.ko"), and compressed ones.
 */
const char *module_file_in(struct arena *arena, const char *dep, const char *name);
bool module_file_is_compressed(const char *file);
/* "version" or "license" of a module's file that is not compressed. */
struct val_str module_file_value(struct probe_env *env, struct arena *arena, const char *path, const char *name);
/* Which version of a module DKMS installed for that kernel, where the file itself is compressed. */
struct val_str module_version_by_dkms(struct probe_env *env, struct arena *arena, const char *name,
				      const char *release);
/* The value of that name among the NUL-separated NAME=value of a .modinfo section, or NULL. */
const char *modinfo_value(struct arena *arena, const char *text, size_t len, const char *name);
