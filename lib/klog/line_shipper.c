// SPDX-License-Identifier: GPL-2.0-or-later
/* line_shipper.c - what containers and log shippers put before a line. */
#include "base/compat.h"
#include "klog/line_internal.h"

/* What follows is a line as it was before it was shipped, with prefixes of its own. */
static void begin_anew(struct klog_parse *parse, struct span at)
{
	parse->at = at;
	parse->is_stamped = false;
}

bool klog_take_stream(struct klog_parse *parse)
{
	struct span at = parse->at, tag;

	if ((!span_take(&at, "stdout ") && !span_take(&at, "stderr ")) || !klog_take_word(&at, &tag) ||
	    (*tag.at != 'F' && *tag.at != 'P') || (span_len(tag) > 1 && tag.at[1] != ':'))
		return false;
	begin_anew(parse, at);
	return true;
}

/* name="value" */
static bool take_label(struct span *at)
{
	const char *equals = memchr(at->at, '=', span_len(*at));
	const char *c;

	if (!equals || equals == at->at || equals + 1 == at->end || equals[1] != '"')
		return false;
	for (c = at->at; c < equals; c++)
		if (!is_digit(*c) && *c != '_' && !((*c | 0x20) >= 'a' && (*c | 0x20) <= 'z'))
			return false;
	for (c = equals + 2; c < at->end && *c != '"'; c++)
		c += *c == '\\' && c + 1 < at->end;
	if (c == at->end)
		return false;
	at->at = c + 1;
	return true;
}

bool klog_take_labels(struct klog_parse *parse)
{
	struct span at = parse->at;

	if (!span_take(&at, "{"))
		return false;
	while (!span_take(&at, "}")) {
		if (!take_label(&at))
			return false;
		span_take(&at, ",");
		span_trim(&at);
	}
	if (!span_begins(at, " ") && !span_begins(at, "\t"))
		return false;
	begin_anew(parse, at);
	return true;
}

bool klog_take_service(struct klog_parse *parse)
{
	struct span at = parse->at, name;

	if (!klog_take_word(&at, &name))
		return false;
	span_trim(&at);
	if (!span_take(&at, "| "))
		return false;
	begin_anew(parse, at);
	return true;
}

/* Takes the word that it begins with. */
static struct span take_whole_word(struct span *at)
{
	struct span ret = { at->at, at->at };

	while (span_len(*at) && *at->at != ' ')
		at->at++;
	ret.end = at->at;
	return ret;
}

/* Of an older kubectl the node stands behind who said it, "kernel-monitor, gpu01  ". */
static bool take_described_event(struct span *at, struct span *ret_node)
{
	enum { LONGEST = 160 };
	static const char from[] = " kernel-monitor";
	const char *found;

	if (!span_begins(*at, "Warning ") && !span_begins(*at, "Normal "))
		return false;
	found = memmem(at->at, span_len(*at), from, strlen(from));
	if (!found || found - at->at > LONGEST)
		return false;
	at->at = found + strlen(from);
	if (span_take(at, ", "))
		*ret_node = take_whole_word(at);
	return span_begins(*at, " ");
}

/* kubectl get events: "2m13s (x2 over 5m)   Warning   TaskHung   node/gpu01   ", also behind a namespace. */
static bool take_listed_event(struct span *at, struct span *ret_node)
{
	enum { MOST_WORDS = 6 };
	static const char *const reasons[] = {
		"OOMKilling ", "TaskHung ", "UnregisterNetDevice ", "KernelOops ", "Ext4Error ", "Ext4Warning ",
		"IOError ",
		"MemoryReadError ", "DockerHung ", "AUFSUmountHung ", "FilesystemIsReadOnly ", "XfsHasShutdown ",
	};
	bool is_event = false;

	if (!memmem(at->at, span_len(*at), " node/", strlen(" node/")))
		return false;
	for (int i = 0; i < MOST_WORDS && !is_event; i++) {
		is_event = span_begins(*at, "Warning ") || span_begins(*at, "Normal ");
		take_whole_word(at);
		span_trim(at);
	}
	for (size_t i = 0; is_event && i < ARRAY_SIZE(reasons); i++) {
		if (!span_take(at, reasons[i]))
			continue;
		span_trim(at);
		if (!span_take(at, "node/"))
			return false;
		*ret_node = take_whole_word(at);
		return true;
	}
	return false;
}

/*
 * "Warning  Ext4Error  2m13s (x2 over 5m)  kernel-monitor  ": an event of node-problem-detector's, as kubectl describe
 * or get events has it. Its age is of when it was asked.
 */
bool klog_take_event(struct klog_parse *parse)
{
	struct span at = parse->at, node = { at.at, at.at };

	span_trim(&at);
	if (!take_described_event(&at, &node)) {
		at = parse->at;
		span_trim(&at);
		if (!take_listed_event(&at, &node))
			return false;
	}
	span_trim(&at);
	begin_anew(parse, at);
	parse->line->node = node;
	parse->line->origin = KLOG_ORIGIN_KERNEL;
	return true;
}

/* "[0] kmsg.0: [1700000000.123456789, " of Fluent Bit, whose object is no JSON to the letter (line_json.c) */
static bool take_fluent_bit(struct klog_parse *parse)
{
	struct span at = parse->at, tag, stamp;
	uint64_t number;

	if (!span_take(&at, "[") || !span_take_u64(&at, &number) || !span_take(&at, "] ") ||
	    !klog_take_word(&at, &tag) || tag.end[-1] != ':' || !span_take(&at, "["))
		return false;
	span_take(&at, "[");
	stamp = at;
	if (!span_take_u64(&at, &number) || !span_take(&at, ".") || !span_take_u64(&at, &number))
		return false;
	stamp.end = at.at;
	span_take(&at, ", {}]");
	if (!span_take(&at, ", ") || !span_begins(at, "{"))
		return false;
	klog_read_time(stamp, &parse->line->time);
	begin_anew(parse, at);
	return true;
}

bool klog_take_tag(struct klog_parse *parse)
{
	struct span at = parse->at, tag;

	if (!parse->is_stamped)
		return take_fluent_bit(parse);
	if (!klog_take_word(&at, &tag) || tag.end[-1] != ':' || !span_begins(at, "{\""))
		return false;
	begin_anew(parse, at);
	return true;
}

bool klog_take_talos(struct klog_parse *parse)
{
	static const char *const levels[] = { "emerg", "alert", "crit", "err", "warning", "notice", "info", "debug" };
	struct span at = parse->at, word, level;
	struct klog_time time = parse->line->time;

	/* The node stands before it where several were asked. */
	if (!klog_take_word(&at, &word) || (!span_is(word, "kern:") && (word.end[-1] != ':' ||
									 !klog_take_word(&at, &word))))
		return false;
	if (!klog_take_word(&at, &level) || level.end[-1] != ':' || !span_take(&at, "[") ||
	    !klog_take_iso(&at, &time) || !span_take(&at, "]: "))
		return false;
	level.end--;
	for (size_t i = 0; i < ARRAY_SIZE(levels); i++)
		if (span_is(level, levels[i]))
			parse->line->level = (int)i;
	parse->line->origin = span_is(word, "kern:") ? KLOG_ORIGIN_KERNEL : KLOG_ORIGIN_USER;
	parse->line->time = time;
	parse->is_stamped = parse->is_kernel = true;
	parse->is_done = parse->line->origin == KLOG_ORIGIN_USER;
	parse->at = at;
	return true;
}

/* "In(182) vmkernel: " of ESXi 8 */
static void skip_esxi_name(struct span *at)
{
	struct span from = *at, level;

	if (!klog_take_word(&from, &level) || span_len(level) < 5 || level.at[2] != '(' || level.end[-1] != ')')
		return;
	span_trim(&from);
	if (span_take(&from, "vmkernel: "))
		*at = from;
}

bool klog_take_esxi(struct klog_parse *parse)
{
	enum { LONGEST_TASK = 48 };	/* "2098765 opID=1a2b3c4d" */
	struct span at = parse->at;
	const char *close;
	uint64_t number;

	skip_esxi_name(&at);
	if (!span_take(&at, "cpu") || !span_take_u64(&at, &number) || !span_take(&at, ":") ||
	    !span_take_u64(&at, &number))
		return false;
	close = memchr(at.at, ')', span_len(at));
	if (!close || close - at.at > LONGEST_TASK)
		return false;
	at.at = close + 1;
	span_take(&at, "WARNING: ");
	parse->line->origin = KLOG_ORIGIN_KERNEL;
	parse->is_kernel = true;
	parse->at = at;
	return true;
}
