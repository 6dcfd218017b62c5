// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "render/formats.h"

/* Observed, and nothing of what was thought of it. */
void render_snapshot(struct strbuf *out, const struct report *report, const struct render_options *options)
{
	(void)options;
	snapshot_write(out, report->snapshot);
}

const struct format formats[] = {
	{
		.name = "text", .render = render_text,
		.help = "for people: the cause, the next step, a line for each stage",
	},
	{
		.name = "line", .render = render_line,
		.help = "one line with verdict, cause and decision; nothing where there is nothing to do",
	},
	{
		.name = "short", .render = render_short,
		.help = "one ASCII line of at most 80 bytes, cause first: a drain reason, a message of node-problem-detector",
	},
	{
		.name = "json", .is_json = true, .has_compact = true, .render = render_json,
		.help = "for programs: all that was judged, with its evidence (" REPORT_SCHEMA ")",
	},
	{
		.name = "jsonl", .is_json = true, .has_compact = true, .render = render_jsonl,
		.help = "for logs and fleets: compact JSON on one line (" REPORT_SCHEMA ")",
	},
	{
		.name = "snapshot", .is_json = true, .render = render_snapshot,
		.help = "the snapshot, to be judged again later (" SNAPSHOT_SCHEMA ")",
	},
	{
		.name = "markdown", .render = render_markdown,
		.help = "for a ticket: all that was judged, with its evidence, in Markdown of GitHub and Jira",
	},
	{
		.name = "html", .render = render_html,
		.help = "for a ticket or a browser: all that was judged, as one page that needs no other file",
	},
	{
		.name = "svg", .render = render_picture,
		.help = "the text report as a picture, for a page or a chat",
	},
	{
		.name = "junit", .render = render_junit,
		.help = "for CI: a test case for each check and GPU, as XML",
	},
	{
		.name = "github", .render = render_github,
		.help = "annotations of a GitHub workflow, the verdict as the last line",
	},
	{
		.name = "nagios", .render = render_nagios,
		.help = "one line with performance data, for monitoring that calls it as a plugin",
	},
	{
		.name = "prometheus", .is_for_others = true, .render = render_prometheus,
		.help = "metrics, for the textfile collector of node_exporter",
	},
	{ .name = NULL },
};

const struct format *format_by_name(const char *name)
{
	for (const struct format *format = formats; format->name; format++)
		if (!strcmp(format->name, name))
			return format;
	return NULL;
}
