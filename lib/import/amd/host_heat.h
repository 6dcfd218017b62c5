/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host_heat.h - a processor or NVMe disk that sensors shows at its limit. */
#pragma once

#include "import/dump/dump.h"

/* "Core 0:  +97.0°C  (high = +84.0°C, crit = +100.0°C)  ALARM": is it hot? */
bool host_heat_is_in(const char *text);
/* Puts it into the snapshot, if it is. */
bool host_heat_take(struct reading *reading, struct dump_line *line);
