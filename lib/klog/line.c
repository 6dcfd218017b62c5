// SPDX-License-Identifier: GPL-2.0-or-later
/* line.c - prefix by prefix, in whatever order and depth they come. */
#include "base/compat.h"
#include "klog/line_internal.h"

enum { MAX_PREFIXES = 32, ESCAPE = 0x1b, BELL = 7, RECORD_SEPARATOR = 0x1e };

bool klog_time_between(struct klog_time from, struct klog_time to, bool same_boot, int64_t *ret)
{
	if (same_boot && from.has_boot && to.has_boot)
		*ret = (int64_t)(to.boot_us - from.boot_us);
	else if (from.has_wall && to.has_wall && from.wall_is_local == to.wall_is_local)
		*ret = to.wall_us - from.wall_us;
	else
		return false;
	return true;
}

void klog_line_context_release(struct klog_line_context *context)
{
	strbuf_release(&context->scratch);
}

void klog_parse_own(struct klog_parse *parse)
{
	struct strbuf *scratch = &parse->context->scratch;

	if (parse->is_own)
		return;
	strbuf_reset(scratch);
	strbuf_add(scratch, parse->at.at, span_len(parse->at));
	parse->at = (struct span){ scratch->buf, scratch->buf + scratch->len };
	parse->is_own = true;
}

/* Past what a terminal takes for a command: "\e[31m", "\e]0;title\a", "\e(B". */
static const char *skip_escape(const char *at, const char *end)
{
	if (++at == end)
		return at;
	if (*at == '[') {
		for (at++; at < end && (*at < '@' || *at > '~'); at++)
			;
	} else if (*at == ']') {
		for (at++; at < end && *at != BELL && *at != ESCAPE; at++)
			;
		at += at + 1 < end && *at == ESCAPE;
	} else if (*at == '(' || *at == ')') {
		at += at + 1 < end;
	}
	return at < end ? at + 1 : at;
}

/* Colours go, wherever they stand. */
static void strip_colours(struct klog_parse *parse)
{
	const char *from;
	char *to;

	if (!memchr(parse->at.at, ESCAPE, span_len(parse->at)))
		return;
	klog_parse_own(parse);
	from = parse->at.at;
	to = parse->context->scratch.buf + (from - parse->context->scratch.buf);
	while (from < parse->at.end) {
		if (*from == ESCAPE)
			from = skip_escape(from, parse->at.end);
		else
			*to++ = *from++;
	}
	parse->at.end = to;
}

/* What journalctl writes where a boot or the journal begins, which no kernel says but all should know. */
static bool take_boundary(struct klog_parse *parse)
{
	struct span at = parse->at;

	if (!span_take(&at, "-- "))
		return false;
	if (span_take(&at, "Boot ")) {
		if (span_len(at) < 32)
			return false;
		span_copy((struct span){ at.at, at.at + 32 }, parse->line->boot_id, sizeof(parse->line->boot_id));
	} else if (!span_begins(at, "Reboot --") && !span_begins(at, "Logs begin ") &&
		   !span_begins(at, "Journal begins ")) {
		return false;
	}
	parse->line->origin = KLOG_ORIGIN_KERNEL;
	parse->is_done = true;
	return true;
}

/* "【ログ】": what follows is a log, says whoever writes Japanese or Chinese. */
static bool take_label(struct span *at)
{
	enum { LONGEST = 48 };
	static const char close[] = "】";
	struct span from = *at;
	const char *end;

	if (!span_take(&from, "【"))
		return false;
	end = memmem(from.at, span_len(from) < LONGEST ? span_len(from) : LONGEST, close, strlen(close));
	if (!end)
		return false;
	at->at = end + strlen(close);
	return true;
}

/* Marks of mails, tables, code and streams, and what a crash leaves at the beginning of a line. */
static bool take_mark(struct klog_parse *parse)
{
	static const char *const marks[] = { ">", "|", "`", "\xef\xbb\xbf", "data: ", "\xe2\x94\x82",
					     "* ", "- ", "\xe2\x80\xa2 " };
	char c = *parse->at.at;

	if (c == '\0' || c == RECORD_SEPARATOR) {
		while (parse->at.at < parse->at.end && *parse->at.at == c)
			parse->at.at++;
		return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(marks); i++)
		if (span_take(&parse->at, marks[i]))
			return true;
	return take_label(&parse->at) || take_boundary(parse);
}

static bool take_prefix(struct klog_parse *parse)
{
	span_trim(&parse->at);
	if (parse->is_done || !span_len(parse->at))
		return false;
	if (klog_take_bracket(parse) || klog_take_priority(parse))
		return true;
	if (parse->is_kernel)
		return false;
	if (!parse->is_stamped && take_mark(parse))
		return true;
	if (parse->is_stamped ? klog_take_console(parse) || klog_take_stream(parse) || klog_take_labels(parse) ||
					klog_take_esxi(parse) || klog_take_cell(parse)
			      : klog_take_record(parse) || klog_take_service(parse) || klog_take_event(parse) ||
					klog_take_place(parse) || klog_take_talos(parse) || klog_take_cell(parse))
		return true;
	if (klog_take_tag(parse))
		return true;
	if (klog_take_json(parse)) {
		strip_colours(parse);
		return true;
	}
	return klog_take_level(parse) || klog_take_date(parse) || klog_take_bare_stamp(parse) ||
	       klog_take_node(parse) || klog_take_name(parse);
}

/* Line end, blanks, and the other end of a mark. */
static struct span trim_end(struct span text, bool is_marked)
{
	while (text.end > text.at && (text.end[-1] == '\r' || text.end[-1] == '\n' || text.end[-1] == ' ' ||
				      text.end[-1] == '\t' || text.end[-1] == '\0' ||
				      (is_marked && (text.end[-1] == '|' || text.end[-1] == '`'))))
		text.end--;
	return text;
}

void klog_line_parse(struct klog_line_context *context, struct span raw, struct klog_line *ret)
{
	struct klog_parse parse = { .context = context, .line = ret, .at = raw };
	struct span first = raw;
	bool is_marked;

	*ret = (struct klog_line){ .level = -1 };
	strip_colours(&parse);
	span_trim(&first);
	is_marked = span_begins(first, "|") || span_begins(first, "`");
	for (unsigned nr = 0; nr < MAX_PREFIXES && take_prefix(&parse); nr++)
		;
	ret->text = trim_end(parse.at, is_marked);
}
