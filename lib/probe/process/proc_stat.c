// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/process/proc_stat.h"

#include <errno.h>

#define PF_KTHREAD 0x00200000u		/* include/linux/sched.h; its value has not changed since 2.6.27 */

/* Places in the line, counted from 1 as proc_pid_stat(5) does. */
enum { FIELD_STATE = 3, FIELD_PARENT = 4, FIELD_FLAGS = 9, FIELD_THREADS = 20, FIELD_START = 22, FIELD_CPU = 39 };

int proc_stat_parse(const char *text, struct proc_stat *ret)
{
	const char *open = strchr(text, '(');
	const char *close = strrchr(text, ')');	/* the name may hold one */
	uint64_t flags = 0;
	const char *at;
	int field = FIELD_STATE;
	size_t len;

	if (!open || !close || close < open || close[1] != ' ' || !close[2])
		return -EINVAL;
	*ret = (struct proc_stat){ .state = close[2] };
	len = (size_t)(close - open - 1);
	if (len >= sizeof(ret->comm))
		len = sizeof(ret->comm) - 1;
	memcpy(ret->comm, open + 1, len);
	for (at = close + 2; at && field < FIELD_CPU; field++) {
		at = strchr(at, ' ');
		if (!at && field < FIELD_THREADS)
			return -EINVAL;
		if (!at)
			break;
		at++;
		if (field + 1 == FIELD_PARENT)
			ret->parent = strtoull(at, NULL, 10);
		else if (field + 1 == FIELD_FLAGS)
			flags = strtoull(at, NULL, 10);
		else if (field + 1 == FIELD_THREADS)
			ret->threads = strtoull(at, NULL, 10);
		else if (field + 1 == FIELD_START)
			ret->started_ticks = strtoull(at, NULL, 10);
		else if (field + 1 == FIELD_CPU)
			ret->cpu = strtoull(at, NULL, 10);
	}
	ret->has_cpu = field == FIELD_CPU;
	ret->is_kernel_thread = flags & PF_KTHREAD;
	return 0;
}
