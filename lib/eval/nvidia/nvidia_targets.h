/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nvidia_targets.h - which GPUs a version of NVIDIA's driver can drive (nvidia_targets.def). */
#pragma once

#include "snapshot/snapshot.h"

/* Flavours of the kernel module that can drive a GPU. */
enum nvidia_flavours { FLAVOURS_PROPRIETARY, FLAVOURS_BOTH, FLAVOURS_OPEN };

/*
 * From this branch on there is the open module alone: "Proprietary Kernel Modules Removed" in NVIDIA's Driver
 * Installation Guide, release 620 of 9 November 2026. The guides of releases 610 and 615 still install both.
 */
enum { NVIDIA_OPEN_ONLY_BRANCH = 620 };

struct nvidia_architecture {
	const char *name;		/* "Hopper", as NVML has it */
	unsigned first_branch, last_branch;	/* 0: none is known */
	enum nvidia_flavours flavours;
	const char *source;
};

/* By NVML's word, else by the PCI device id; NULL: neither tells. */
const struct nvidia_architecture *nvidia_architecture_of(const struct gpu *gpu);

/* 550 of "550.54.14"; 0: no branch of that number is known. */
unsigned nvidia_branch_of(const char *version);
/* Is a version the one that is meant? "580.95.05" is of "580" too, a branch alone. */
bool nvidia_version_is(const char *version, const char *meant);
/* Is it older? A branch alone is as new as any of its versions. */
bool nvidia_version_is_older(const char *version, const char *than);
/* The newest that is known. */
unsigned nvidia_newest_branch(void);
