// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "format/amdgpu_throttle.h"

enum { NEAR_C = 10 };	/* so near its limit a hotspot is believed to hold the clocks back */

static const struct bit {
	const char *name;
	unsigned place;
} bits[] = {
	{ .name = "PPT0", .place = 0 },
	{ .name = "PPT1", .place = 1 },
	{ .name = "PPT2", .place = 2 },
	{ .name = "PPT3", .place = 3 },
	{ .name = "SPL", .place = 4 },
	{ .name = "FPPT", .place = 5 },
	{ .name = "SPPT", .place = 6 },
	{ .name = "SPPT_APU", .place = 7 },
	{ .name = "TDC_GFX", .place = 16 },
	{ .name = "TDC_SOC", .place = 17 },
	{ .name = "TDC_MEM", .place = 18 },
	{ .name = "TDC_VDD", .place = 19 },
	{ .name = "TDC_CVIP", .place = 20 },
	{ .name = "EDC_CPU", .place = 21 },
	{ .name = "EDC_GFX", .place = 22 },
	{ .name = "APCC", .place = 23 },
	{ .name = "TEMP_GPU", .place = 32 },
	{ .name = "TEMP_CORE", .place = 33 },
	{ .name = "TEMP_MEM", .place = 34 },
	{ .name = "TEMP_EDGE", .place = 35 },
	{ .name = "TEMP_HOTSPOT", .place = 36 },
	{ .name = "TEMP_SOC", .place = 37 },
	{ .name = "TEMP_VR_GFX", .place = 38 },
	{ .name = "TEMP_VR_SOC", .place = 39 },
	{ .name = "TEMP_VR_MEM0", .place = 40 },
	{ .name = "TEMP_VR_MEM1", .place = 41 },
	{ .name = "TEMP_LIQUID0", .place = 42 },
	{ .name = "TEMP_LIQUID1", .place = 43 },
	{ .name = "VRHOT0", .place = 44 },
	{ .name = "VRHOT1", .place = 45 },
	{ .name = "PROCHOT_CPU", .place = 46 },
	{ .name = "PROCHOT_GFX", .place = 47 },
	{ .name = "PPM", .place = 56 },
	{ .name = "FIT", .place = 57 },
};

uint64_t amdgpu_throttle_believed(uint64_t status, struct val_f64 hotspot_c, struct val_f64 hotspot_max_c)
{
	bool near = is_known(hotspot_c) && is_known(hotspot_max_c) &&
		    f64_or(hotspot_c, 0) >= f64_or(hotspot_max_c, 0) - NEAR_C;

	return near ? status : status & ~AMDGPU_THROTTLE_HOTSPOT;
}

static void add(struct strbuf *ret, const char *name)
{
	if (ret->len)
		strbuf_addstr(ret, ", ");
	strbuf_addstr(ret, name);
}

void amdgpu_throttle_names(struct strbuf *ret, uint64_t status)
{
	if (!status) {
		add(ret, "none");
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(bits); i++) {
		if (status >> bits[i].place & 1)
			add(ret, bits[i].name);
		status &= ~((uint64_t)1 << bits[i].place);
	}
	if (status) {
		char rest[40];

		snprintf(rest, sizeof(rest), "bits 0x%llx", (unsigned long long)status);
		add(ret, rest);
	}
}

struct val_str amdgpu_throttle_status(struct arena *arena, const struct amdgpu_metrics *metrics,
				      struct val_f64 hotspot_c, struct val_f64 hotspot_max_c)
{
	STRBUF_AUTO names = STRBUF_INIT;
	uint64_t own = u64_or(metrics->throttle_status, 0);

	if (is_known(metrics->indep_throttle_status)) {
		amdgpu_throttle_names(&names,
				      amdgpu_throttle_believed(u64_or(metrics->indep_throttle_status, 0),
							       hotspot_c, hotspot_max_c));
		return val_str(arena_strdup(arena, names.buf));
	}
	if (is_known(metrics->throttle_status) && !own)
		return val_str("none");
	if (is_known(metrics->throttle_status))
		return val_str(arena_printf(arena, "0x%llx, bits of this chip", (unsigned long long)own));
	if (is_known(metrics->prochot_residency))
		return no_str(VAL_UNSUPPORTED, "this version counts how long it was held back, not whether it is");
	return no_str(metrics->throttle_status.state, metrics->throttle_status.why);
}
