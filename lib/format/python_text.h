/* SPDX-License-Identifier: GPL-2.0-or-later */
/* python_text.h - what files of Python packages say, read as text: nothing of it is run. Pure. */
#pragma once

#include <stdbool.h>

#include "base/arena.h"

/*
 * The text that a line of a module assigns to a name: 12.4 of "cuda = '12.4'", and of "cuda: Optional[str] = '12.4'".
 * NULL: no such line, or no text ("None", an expression); *ret_is_none tells the first apart where the value is None.
 */
const char *python_assigned(struct arena *arena, const char *text, const char *name, bool *ret_is_none);

/*
 * What a dictionary in a module has for a key, written as a pair or with a colon: 12.5.1 of ('cuda_version', '12.5.1');
 * also a bare word such as True. NULL: no such key.
 */
const char *python_entry(struct arena *arena, const char *text, const char *key);

/*
 * The one version of a package that metadata requires ("Requires-Dist: nvidia-nccl-cu12==2.21.5; …", or with brackets
 * around it); NULL: any, several, or only for an extra. The package's name is as python_distribution() gives it.
 */
const char *python_required(struct arena *arena, const char *metadata, const char *package);

/*
 * Name and version of an installed package by the name of its folder: "nvidia_cublas_cu12-12.4.5.8.dist-info" and
 * "torch-2.5.0+cu124.egg-info". Names are in small letters with "-" between their words, as PyPI compares them.
 * False: not such a folder.
 */
bool python_distribution(struct arena *arena, const char *folder, const char **ret_name, const char **ret_version);
