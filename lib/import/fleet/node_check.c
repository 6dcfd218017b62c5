// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/fleet/node_check.h"

#include "import/dump/readers.h"

enum dump_begins node_check_begins(const struct dump_line *lines, size_t nr)
{
	(void)nr;
	return nhc_is_in(lines->text) || rvs_is_in(lines->text) || amd_metrics_is_in(lines->text) ? BEGINS_MORE
												  : BEGINS_NOT;
}

void node_check_read(struct reading *reading)
{
	nhc_read(reading);
	rvs_read(reading);
	amd_metrics_read(reading);
}
