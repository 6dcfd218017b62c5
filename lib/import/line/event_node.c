// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/line/event_node.h"

#include "import/dump/whose_node.h"
#include "klog/line.h"

/* Both of its forms have one of these: few lines need be taken apart. */
static bool may_be_event(const char *text)
{
	return strstr(text, " node/") || strstr(text, " kernel-monitor, ");
}

const char *event_node(struct arena *arena, const char *text)
{
	struct klog_line_context context = { .now_us = 0 };
	struct klog_line line;
	const char *ret = NULL;

	if (!may_be_event(text))
		return NULL;
	klog_line_parse(&context, span_of(text), &line);
	if (span_len(line.node))
		ret = arena_strndup(arena, line.node.at, span_len(line.node));
	klog_line_context_release(&context);
	return ret;
}

bool event_is_of_others(struct arena *arena, const struct dump_parts *parts, const char *text)
{
	const struct reading reading = { .parts = parts, .arena = arena };
	const char *node = event_node(arena, text);

	return node && nodes_are_of_others(&reading, node);
}
