// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "render/formats.h"

const struct format formats[] = {
	{ .name = "text", .help = "for people: the cause, the next step, a line for each stage", .render = render_text },
	{ .name = "json", .help = "for programs: all that was judged, with its evidence (gpudiag.report/1)", .render = render_json },
	{ .name = "snapshot", .help = "all that was seen, to be judged again later (" SNAPSHOT_SCHEMA ")", .render = render_snapshot },
	{ .name = NULL },
};

const struct format *format_by_name(const char *name)
{
	for (const struct format *format = formats; format->name; format++)
		if (!strcmp(format->name, name))
			return format;
	return NULL;
}
