/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * subject.h - what a node is made of, in names: which things are judged and
 * what they are called.
 */
#pragma once

#include "eval/judge/report.h"
#include "snapshot/under_test.h"

/* The subjects of that kind that are under test. */
struct subject_list {
	size_t nr;
	struct subject *items;
};
void subjects_of(struct arena *arena, const struct snapshot *snapshot, enum subject_kind kind,
		 struct subject_list *ret);
struct subject subject_node(void);

/* "NVIDIA H100 SXM5 80GB" from pci.ids' "NVIDIA Corporation GH100 [H100 SXM5 80GB]"; "10de:2330" where no list names
 * it. */
const char *gpu_model(struct arena *arena, const struct gpu *gpu);

/*
 * Identity, from whichever source tells it. A GPU's serial number and VBIOS
 * are its own; what is not known says why.
 */
struct val_str gpu_serial(const struct gpu *gpu);
struct val_str gpu_vbios(const struct gpu *gpu);
/* N of /dev/nvidiaN. */
struct val_u64 gpu_minor(const struct gpu *gpu);
/* As its vendor's tools show it: "GPU-…" of NVIDIA, the chip's own number of AMD, else OpenCL's 32 digits. */
struct val_str gpu_uuid(const struct snapshot *snapshot, const struct gpu *gpu);

/* What the slot it is in is called, by the firmware or else by the kernel. */
struct val_str gpu_slot_label(const struct gpu *gpu);

/*
 * "GPU 3 (0000:5d:00.0, slot PCIe-7, serial …)", "node" …: the subject at the
 * head of a sentence. "" for the node and for probes.
 */
const char *subject_label(struct arena *arena, const struct subject *subject);

/* "GPU 3", "GPUs 0-2 and 4-7" from numbers in any order, of which some may be there twice. */
const char *gpu_ranges(struct arena *arena, const size_t *indexes, size_t nr);
