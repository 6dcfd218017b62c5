// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/facts/power_cap.h"

#include "eval/facts/twin_stats.h"
#include "eval/judge/vendor.h"
#include "snapshot/gpus.h"

enum {
	/* a fifth of the power costs less of the speed, and takes the peaks off a weak supply */
	CAP_PERCENT = 80,
	STEP_W = 10,
	MW_PER_W = 1000,
};

/* Its own, else that of another GPU of its model: one that fell off the bus tells nothing. */
static const struct gpu *who_tells(const struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;

	if (u64_or(vendor_u64(j->gpu, "power_default_mw"), 0))
		return j->gpu;
	for (size_t i = 0; i < snapshot->nr_gpus; i++)
		if (gpus_are_twins(j->gpu, &snapshot->gpus[i]) &&
		    u64_or(vendor_u64(&snapshot->gpus[i], "power_default_mw"), 0))
			return &snapshot->gpus[i];
	return NULL;
}

void phrase_power_cap(struct judgement *j)
{
	const struct gpu *teller = j->gpu ? who_tells(j) : NULL;
	const char *address = j->gpu ? str_or(j->gpu->key, "?") : "?";
	unsigned long long full_w, cap_w;

	if (!teller)
		return;
	full_w = u64_or(vendor_u64(teller, "power_default_mw"), 0) / MW_PER_W;
	cap_w = full_w * CAP_PERCENT / 100 / STEP_W * STEP_W;
	if (cap_w * MW_PER_W < u64_or(vendor_u64(teller, "power_min_mw"), 0) || !cap_w ||
	    u64_or(vendor_u64(j->gpu, "power_limit_mw"), UINT64_MAX) <= cap_w * MW_PER_W)
		return;
	if (gpu_vendor(j->gpu) == VENDOR_NVIDIA) {
		phrase(j, "cap_command", arena_printf(j->arena, "nvidia-smi -i %s -pl %llu", address, cap_w));
		phrase(j, "uncap_command", arena_printf(j->arena, "nvidia-smi -i %s -pl %llu", address, full_w));
	} else if (gpu_vendor(j->gpu) == VENDOR_AMD) {
		phrase(j, "cap_command", arena_printf(j->arena, "amd-smi set -g %s --power-cap %llu", address, cap_w));
		phrase(j, "uncap_command",
		       arena_printf(j->arena, "amd-smi set -g %s --power-cap %llu", address, full_w));
	}
	phrase(j, "cap_watts", arena_printf(j->arena, "%llu W", cap_w));
}
