/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nvidia_text.h - the texts of NVIDIA's driver in /proc/driver/nvidia. Pure. */
#pragma once

#include "format/proc_text.h"
#include "snapshot/snapshot.h"

/* A GPU's file "information". What the driver fills in when it first opens the GPU is absent before. */
void nvidia_information_decode(const struct proc_text *text, struct arena *arena, struct nvidia_files *ret);

/* Of the first line of /proc/driver/nvidia/version: "550.54.14", "open". Neither is unset. */
void nvidia_version_parse(struct arena *arena, const char *text, struct val_str *ret_version,
			  struct val_str *ret_flavour);
