// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "render/formats.h"

/* Observed, and nothing of what was thought of it. */
void render_snapshot(struct strbuf *out, const struct report *report, const struct render_options *options)
{
	(void)options;
	snapshot_write(out, report->snapshot);
}
