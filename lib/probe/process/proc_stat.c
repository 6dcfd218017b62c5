// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/process/proc_stat.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>

#define PF_KTHREAD 0x00200000u		/* include/linux/sched.h; its value has not changed since 2.6.27 */

/* Places in the line, counted from 1 as proc_pid_stat(5) does. */
enum {
	FIELD_STATE = 3, FIELD_PARENT = 4, FIELD_GROUP = 5, FIELD_SESSION = 6, FIELD_FLAGS = 9, FIELD_MINOR_FAULTS = 10,
	FIELD_MAJOR_FAULTS = 12, FIELD_USER = 14, FIELD_SYSTEM = 15, FIELD_THREADS = 20, FIELD_START = 22,
	FIELD_EXIT_SIGNAL = 38, FIELD_CPU = 39, NR_FIELDS
};

/* The numbers after the state, in their places; the last that is there. Negative ones are those of "none". */
static int read_fields(const char *at, uint64_t fields[NR_FIELDS])
{
	int field = FIELD_STATE;

	while (field < FIELD_CPU && (at = strchr(at, ' '))) {
		at++;
		fields[++field] = strtoull(at, NULL, 10);
	}
	return field;
}

int proc_stat_parse(const char *text, struct proc_stat *ret)
{
	const char *open = strchr(text, '(');
	const char *close = strrchr(text, ')');	/* the name may hold one */
	uint64_t fields[NR_FIELDS] = { 0 };
	size_t len;
	int last;

	if (!open || !close || close < open || close[1] != ' ' || !close[2])
		return -EINVAL;
	last = read_fields(close + 2, fields);
	if (last < FIELD_THREADS)
		return -EINVAL;
	*ret = (struct proc_stat){
		.state = close[2], .is_kernel_thread = fields[FIELD_FLAGS] & PF_KTHREAD,
		.parent = fields[FIELD_PARENT], .group = fields[FIELD_GROUP], .session = fields[FIELD_SESSION],
		.minor_faults = fields[FIELD_MINOR_FAULTS], .major_faults = fields[FIELD_MAJOR_FAULTS],
		.user_ticks = fields[FIELD_USER], .system_ticks = fields[FIELD_SYSTEM],
		.threads = fields[FIELD_THREADS], .has_cpu = last == FIELD_CPU,
		.started_ticks = fields[FIELD_START], .cpu = fields[FIELD_CPU],
		/* Such a thread sends no signal when it exits: -1. */
		.is_thread = fields[FIELD_EXIT_SIGNAL] == UINT64_MAX,
	};
	len = (size_t)(close - open - 1);
	if (len >= sizeof(ret->comm))
		len = sizeof(ret->comm) - 1;
	memcpy(ret->comm, open + 1, len);
	return 0;
}

int proc_stat_read(const struct root *root, struct proc_stat *ret, const char *path_format, ...)
{
	char text[PROC_STAT_BYTES + 1], path[PATH_MAX];
	va_list args;
	size_t len;
	int error;

	va_start(args, path_format);
	error = root_format_path(path, path_format, args);
	va_end(args);
	if (!error)
		error = root_read_bytes(root, text, PROC_STAT_BYTES, &len, "%s", path);
	if (error)
		return error;
	text[len] = '\0';
	return proc_stat_parse(text, ret);
}
