// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/sample/sample_pids.h"

/* The kernel's first namespace has that fixed number (include/linux/proc_ns.h, PROC_PID_INIT_INO). */
#define FIRST_NAMESPACE "pid:[4026531836]"

const char *sample_pids_told(const struct snapshot *sealed)
{
	return bool_or(sealed->host.sees_all_processes, false) ? "host" : "";
}

bool sample_pids_are_hosts(const struct root *root, const char *told)
{
	STRBUF_AUTO link = STRBUF_INIT;

	if (*told)
		return true;
	return root_is_live(root) && !root_readlink(root, &link, "/proc/self/ns/pid") &&
	       !strcmp(link.buf, FIRST_NAMESPACE);
}
