/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hostengine_log.h - the log of nv-hostengine: "[[Health]] Detected a WARNING in health system Thermal: 'Detected … in
 * GPU 2. Verify …'".
 */
#pragma once

#include "import/dump/dump.h"
#include "import/dump/xid_report.h"

bool hostengine_log_is(const char *text);
bool hostengine_log_take(struct arena *arena, const char *text, struct xid_report *ret);
