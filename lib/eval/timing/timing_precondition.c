// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/timing/timing_precondition.h"

#include "eval/facts/load_permission.h"
#include "eval/judge/selection.h"
#include "eval/judge/judging.h"

bool load_is_permitted(struct judgement *j)
{
	const char *refused = permit_load(j->arena, j->snapshot, j->policy, j->log, j->device);

	if (refused && level_asks_for(&j->snapshot->request, j->judging->check))
		unknown(j, refused);
	else if (refused)
		skip_check(j, refused);
	return !refused;
}

bool measured_figure_of(struct judgement *j, const struct timing *timing, enum unit *ret_unit, struct stats *ret)
{
	if (timing_figure(timing, ret_unit, ret))
		return true;
	unknown(j, "no valid samples");
	return false;
}

bool measured_figure(struct judgement *j, const char *test, enum unit *ret_unit, struct stats *ret)
{
	const struct timing *timing;

	if (!load_is_permitted(j))
		return false;
	timing = device_timing(j->device, test);
	need(j, ocl_device, j->device, builds_kernels);
	need(j, timing, timing, method);
	return timing && all_known(j) && measured_figure_of(j, timing, ret_unit, ret);
}
