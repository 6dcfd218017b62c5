// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "snapshot/growth.h"

#define NS_PER_S 1e9
#define BITS_32 (UINT64_C(1) << 32)

static const char went_back[] = "its counter went backwards during the window";

struct val_u64 growth_of(struct val_u64 start, struct val_u64 end)
{
	uint64_t from = u64_or(start, 0), to = u64_or(end, 0);

	if (!is_known(start))
		return start;
	if (!is_known(end))
		return end;
	/* By half of all numbers: it fell below zero, which the kernel writes so. */
	if (to < from || to - from > UINT64_MAX / 2)
		return no_u64(VAL_ABSENT, went_back);
	return val_u64(to - from);
}

struct val_u64 growth_of_32_bits(struct val_u64 start, struct val_u64 end)
{
	uint64_t from = u64_or(start, 0), to = u64_or(end, 0);

	if (is_known(start) && is_known(end) && to < from && from < BITS_32 && to + BITS_32 - from < BITS_32 / 2)
		return val_u64(to + BITS_32 - from);
	return growth_of(start, end);
}

struct val_f64 rate_of(struct val_u64 growth, double each, uint64_t elapsed_ns)
{
	if (!is_known(growth))
		return no_f64(growth.state, growth.why);
	if (!elapsed_ns)
		return no_f64(VAL_ABSENT, "no time passed");
	return val_f64((double)u64_or(growth, 0) * each * NS_PER_S / (double)elapsed_ns);
}

struct val_f64 share_of(struct val_u64 growth, uint64_t step_ns, uint64_t elapsed_ns)
{
	double steps = (double)u64_or(growth, 0), share;

	if (!is_known(growth))
		return no_f64(growth.state, growth.why);
	if (!elapsed_ns)
		return no_f64(VAL_ABSENT, "no time passed");
	share = 100.0 * steps * (double)step_ns / (double)elapsed_ns;
	/* Both ends are rounded to a step, and were not read at the very moment the clock was. */
	if (share > 110.0 && (steps - 2.0) * (double)step_ns > 1.1 * (double)elapsed_ns)
		return no_f64(VAL_ABSENT, "it counted more time than passed");
	return val_f64(share > 100.0 ? 100.0 : share);
}
