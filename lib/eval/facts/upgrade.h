/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * upgrade.h - what a node's drivers come from, and which kernels must have
 * them: for the checks that gpudiag gate alone asks.
 */
#pragma once

#include "eval/judge/check.h"

/*
 * Why nothing is asked about packages here, as a phrase, or NULL: a container
 * does not show its host's; a driver container brings its module, and the image
 * of an appliance its own; or nobody looked.
 */
const char *not_of_packages(struct arena *arena, const struct snapshot *snapshot);

/* Is a GPU of NVIDIA's under test? */
bool has_nvidia_gpu(const struct snapshot *snapshot);

/* Is NVIDIA's driver in use here, installed, or asked for (--to-driver)? */
bool wants_nvidia(const struct snapshot *snapshot);

/* Does DKMS keep it? "nvidia" and what distributions call it, without what comes beside it (nvidia-fs). */
bool is_build_of(const struct module_build *build, const char *driver);

bool is_kept_by_dkms(const struct snapshot *snapshot, const char *driver);
/* What DKMS has of it for that kernel: what is installed, else what was tried, else what was added; or NULL. */
const struct module_build *build_for(const struct snapshot *snapshot, const char *driver,
				     const struct installed_kernel *kernel);

/* What builds NVIDIA's modules on this node: "DKMS", "NVIDIA's installer"; NULL: nothing, they come built. */
const char *nvidia_builder(const struct snapshot *snapshot);

/* Numbers by value, what is between them by byte: 6.8.0-100 is newer than 6.8.0-31. */
int kernel_release_compare(const char *a, const char *b);

/*
 * The kernels that must have a driver: the running one and the newest, which the loader starts next as a rule. NULL for
 * one that is not listed, or for a newest that is the running one.
 */
struct kernels_in_use {
	const struct installed_kernel *running, *next;
};
struct kernels_in_use kernels_in_use(const struct snapshot *snapshot);

/* The question is about that kernel: notes {kernel} and {which}, "the running one" or "the newest installed". */
void ask_about_kernel(struct judgement *j, const struct installed_kernel *kernel);
