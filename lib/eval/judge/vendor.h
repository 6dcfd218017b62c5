/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vendor.h - what a GPU's own driver or library tells of it, whoever made it.
 *
 * NVIDIA's library, amdgpu, i915 and xe each fill a record of their own
 * (gpu.nvml, gpu.amdgpu, gpu.intel). What they have in common bears one name
 * in all of them: "vram_used_bytes", "temperature_c", "power_limit_mw". A
 * check asks by that name and need not know whose GPU it is:
 *
 *	if (!vendor_reports(j, "vram_total_bytes"))
 *		return;
 *	total = need_vendor_u64(j, "vram_total_bytes");
 *	used = need_vendor_u64(j, "vram_used_bytes");
 *
 * Evidence has the name and the source of the vendor's own row.
 */
#pragma once

#include "eval/judge/check.h"

enum vendor { VENDOR_OTHER, VENDOR_NVIDIA, VENDOR_AMD, VENDOR_INTEL };

/* Whose driver it is bound to: nvidia, amdgpu, or one of i915 and xe. Others, nouveau among them, tell nothing. */
enum vendor gpu_vendor(const struct gpu *gpu);
/* GPUs under test that are bound to that driver, "nouveau". */
size_t gpus_bound_to(const struct snapshot *snapshot, const char *driver);
/* Is a GPU under test bound to NVIDIA's driver? */
bool nvidia_drives_any(const struct snapshot *snapshot);

/* A field of the record of that GPU's driver; field is NULL where its vendor has none of that name. */
struct vendor_field {
	const void *record;
	const struct field *field;
};
struct vendor_field vendor_field_of(const struct gpu *gpu, const char *name);

/* Its value; one that is not known, for no reason given, where its vendor has none of that name. */
struct val_head vendor_head(const struct gpu *gpu, const char *name);
struct val_u64 vendor_u64(const struct gpu *gpu, const char *name);
struct val_f64 vendor_f64(const struct gpu *gpu, const char *name);
struct val_str vendor_str(const struct gpu *gpu, const char *name);

/* What vendor_field_of() found of one GPU, of a twin of it: by its place, so that no name is looked for again. */
struct val_u64 vendor_u64_of_twin(struct vendor_field told, const struct gpu *gpu, const struct gpu *twin);

/*
 * May the judged GPU be asked about that field? False where its vendor tells
 * no such thing, it is given away, has no driver or is asleep, or where nobody
 * asked the library: then the check is skipped, with the reason. Where the
 * library was asked and did not answer it is true, and need_told_…() leaves
 * the question open.
 */
bool vendor_reports(struct judgement *j, const char *name);

/*
 * As need() and want() of eval/judge/check.h, of the judged GPU. 0 and no evidence where its vendor has no such field.
 */
uint64_t need_vendor_u64(struct judgement *j, const char *name);
uint64_t want_vendor_u64(struct judgement *j, const char *name);
double need_vendor_f64(struct judgement *j, const char *name);
double want_vendor_f64(struct judgement *j, const char *name);
const char *need_vendor_str(struct judgement *j, const char *name);
const char *want_vendor_str(struct judgement *j, const char *name);
