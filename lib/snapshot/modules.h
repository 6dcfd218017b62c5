/* SPDX-License-Identifier: GPL-2.0-or-later */
/* modules.h - the loaded kernel modules of a snapshot. */
#ifndef GPUDIAG_SNAPSHOT_MODULES_H
#define GPUDIAG_SNAPSHOT_MODULES_H

#include "snapshot/snapshot.h"

/* NVIDIA's kernel module, also where a distribution gives it another name; NULL: none is loaded, as far as was told. */
const struct module *nvidia_module(const struct snapshot *snapshot);

/* It has a parameter of that value, "NvLinkDisable=1"; NULL has none. */
bool module_has_parameter(const struct module *module, const char *assignment);

#endif
