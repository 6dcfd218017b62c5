// SPDX-License-Identifier: GPL-2.0-or-later
/* line_syslog.c - dates, hosts and names before a message, as syslog and journalctl write them. */
#include "base/compat.h"
#include "klog/line_internal.h"

/* "Sat 2023-01-07 14:25:56 CET" of journalctl -o short-full */
static bool take_full(struct span *at, struct klog_time *ret)
{
	struct span from = *at, weekday, zone;

	if (!klog_take_word(&from, &weekday) || span_len(weekday) > 12 || !klog_take_iso(&from, ret))
		return false;
	if (!ret->wall_is_local) {
		*at = from;
		return true;
	}
	/* A zone's name, which is ambiguous and not used. */
	if (!span_take(&from, " ") || !klog_take_word(&from, &zone) || span_len(zone) > 6)
		return false;
	from.at = zone.end;
	*at = from;
	return true;
}

bool klog_take_any_date(struct span *at, int64_t now_us, bool may_be_clock, struct klog_time *ret)
{
	return klog_take_iso(at, ret) || take_full(at, ret) || klog_take_month_day(at, now_us, ret) ||
	       klog_take_unix(at, ret) || klog_take_viewer_date(at, ret) || (may_be_clock && klog_take_clock(at));
}

/* What stands between the first column and the next, if these are columns; 0. */
static char separator_after(struct span at)
{
	if (span_begins(at, "\t"))
		return '\t';
	if (span_begins(at, ",") && span_len(at) > 1 && at.at[1] != ' ')
		return ',';
	span_trim(&at);
	return span_begins(at, "| ") ? '|' : '\0';
}

bool klog_take_date(struct klog_parse *parse)
{
	struct klog_time time = parse->line->time;
	struct span at = parse->at;
	char separator;

	if (!klog_take_any_date(&at, parse->context->now_us, !parse->is_stamped, &time))
		return false;
	span_take(&at, ":");
	separator = separator_after(at);
	if (at.at < at.end && *at.at != ' ' && !separator)
		return false;
	if (separator == ',') {
		at.at++;
	} else if (separator == '|') {
		span_trim(&at);
		at.at++;
	}
	if (separator)
		parse->separator = separator;
	parse->line->time = time;
	parse->is_stamped = true;
	parse->at = at;
	return true;
}

/* "sshd[123]:"; a host may hold anything but that. */
static bool is_process(struct span word)
{
	const char *c = word.end - 1;

	if (span_len(word) < 5 || *c-- != ':' || *c-- != ']')
		return false;
	for (; c > word.at && is_digit(*c); c--)
		;
	return *c == '[' && c > word.at && c[1] != ']';
}

/* "kern.warn", as busybox writes it before the name */
static bool is_level(struct span word)
{
	return span_begins(word, "kern.");
}

/* Up to the next blank or the end. */
static bool next_word(struct span *at, struct span *ret)
{
	span_trim(at);
	ret->at = at->at;
	while (at->at < at->end && *at->at != ' ' && *at->at != '\t')
		at->at++;
	ret->end = at->at;
	return span_len(*ret) > 0;
}

/*
 * "a b kernel: " and "the kernel: " of a line that tells nothing else are a person's words; "node7 kernel: " is a line
 * whose date was cut off.
 */
static bool kernel_may_stand(const struct klog_parse *parse, size_t place, struct span before)
{
	if (place == 0)
		return true;
	if (place == 2 && !is_level(before))
		return false;
	return place == 1 || parse->is_stamped || parse->line->level >= 0;
}

/* Programs that pass on what the kernel said as it was, and say nothing of their own that begins so. */
static bool is_relay(struct span word)
{
	static const char *const relays[] = { "node-problem-detector", "gpud", "healthcheck", "health-check", "klogd",
					      "dmesg", "kmsg", "fluent-bit", "fluentd", "vector", "promtail" };

	while (word.end > word.at && (word.end[-1] == ':' || word.end[-1] == ']' || is_digit(word.end[-1])))
		word.end--;
	word.end -= word.end > word.at && word.end[-1] == '[';
	for (size_t i = 0; i < ARRAY_SIZE(relays); i++)
		if (span_is(word, relays[i]))
			return true;
	return false;
}

/* "gpud[77]: " with a line of the kernel's after it: what that says decides. */
static bool take_relay(struct klog_parse *parse, struct span word, struct span rest)
{
	if (word.end[-1] != ':' || !is_relay(word) || (is_process(word) && !klog_begins_as_kernel(rest)))
		return false;
	parse->line->is_relayed = true;
	parse->at = rest;
	return true;
}

/*
 * "kernel:[Hardware Error]: …", as syslogd writes it to every terminal: the name has no blank behind it. In a list of
 * versions "kernel:5.15.0" reads alike, so that what is said has to tell that it is the kernel's.
 */
static bool take_broadcast(struct klog_parse *parse, struct span word)
{
	struct span rest = { word.at, parse->at.end };

	if (parse->is_stamped || !span_take(&rest, "kernel:") || span_is(word, "kernel:"))
		return false;
	parse->is_kernel = true;
	parse->at = rest;
	return true;
}

bool klog_take_name(struct klog_parse *parse)
{
	struct span at = parse->at, word, before = { at.at, at.at }, rest;

	for (size_t place = 0; place < 3 && next_word(&at, &word); place++, before = word) {
		if (span_is(word, "kernel:")) {
			if (!kernel_may_stand(parse, place, before) || (!parse->is_stamped && span_is(before, "the")))
				return false;
			parse->line->origin = KLOG_ORIGIN_KERNEL;
			parse->is_kernel = true;
			parse->at = at;
			return true;
		}
		if (place == 0 && take_broadcast(parse, word))
			return true;
		rest = at;
		span_trim(&rest);
		if (place < 2 && take_relay(parse, word, rest))
			return true;
		/* The kernel names a process so itself: "python3[77]: segfault at 8 ip …". */
		if (place < 2 && is_process(word) && !span_begins(rest, "segfault at ")) {
			parse->line->origin = KLOG_ORIGIN_USER;
			parse->is_done = true;
			parse->at = rest;
			return true;
		}
		/* The kernel's own words: "NVRM:", "pcieport 0000:00:01.0:", "[drm]". */
		if (word.end[-1] == ':' || *word.at == '[')
			return false;
	}
	return false;
}
