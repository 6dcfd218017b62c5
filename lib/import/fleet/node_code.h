/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * node_code.h - codes in conditions and events of Kubernetes nodes, as NVSentinel writes them, one behind the other:
 * "ErrorCode:79 GPU:3 … Recommended Action=RESTART_VM;".
 */
#pragma once

#include "import/dump/dump.h"
#include "import/dump/xid_report.h"

bool node_code_is(const char *text);

/* The next one from *at on, which moves behind it; false: there is none. */
bool node_code_take(struct arena *arena, const char **at, struct xid_report *ret);
