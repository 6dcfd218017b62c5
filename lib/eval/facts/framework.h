/* SPDX-License-Identifier: GPL-2.0-or-later */
/* framework.h - what several checks need to know of a framework of machine learning. */
#pragma once

#include "eval/judge/check.h"

/*
 * Did somebody ask about this one, by --python or --pid? Of others nobody knows whether they are meant to use the GPUs,
 * so what is said of them is a note.
 */
bool framework_is_asked(const struct snapshot *snapshot, const struct framework *framework);
/* The same of all in a folder of packages. */
bool framework_folder_is_asked(const struct snapshot *snapshot, const char *folder);

/* "torch 2.5.0+cu124" */
const char *framework_words(struct arena *arena, const struct framework *framework);

/*
 * The driver of the GPUs it was built for, "nvidia" or "amdgpu"; NULL: of none, of Intel's, which have one of two, or
 * that is not known.
 */
const char *framework_driver(const struct framework *framework);

/*
 * Does a library run on a GPU, by the GPUs it has code for (framework.gpu_code)? Machine code of NVIDIA's runs on its
 * own major version from its own minor one on, PTX on all later GPUs after it was compiled there (CUDA C++ Programming
 * Guide, "Binary Compatibility" and "PTX Compatibility"). Machine code of AMD's runs on that GPU alone, where it is not
 * of a generic target.
 */
enum code_answer { CODE_RUNS, CODE_AFTER_COMPILING, CODE_MISSING, CODE_UNKNOWN };
enum code_answer framework_runs_on(const char *gpu_code, const struct gpu *gpu);
