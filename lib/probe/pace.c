// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/pace.h"

#include "sys/clock.h"

void pace_begin(struct pace *pace)
{
	pace->began_cpu_ns = clock_cpu_ns();
	pace->due_ns = pace->due_ns ? pace->due_ns : clock_now_ns();
}

void pace_end(struct pace *pace)
{
	uint64_t cost_ns = (clock_cpu_ns() - pace->began_cpu_ns) * pace->cost_share, now_ns = clock_now_ns();

	pace->due_ns += pace->every_ns;
	if (pace->due_ns < now_ns || cost_ns > pace->every_ns)
		pace->due_ns = now_ns + (cost_ns > pace->every_ns ? cost_ns : 0);
}
