// SPDX-License-Identifier: GPL-2.0-or-later
/* line_syslog.c - dates, hosts and names before a message, as syslog and journalctl write them. */
#include "base/compat.h"
#include "klog/line_private.h"

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
	/* A zone's name, which tells nothing that is the same everywhere. */
	if (!span_take(&from, " ") || !klog_take_word(&from, &zone) || span_len(zone) > 6)
		return false;
	from.at = zone.end;
	*at = from;
	return true;
}

bool klog_take_date(struct klog_parse *parse)
{
	struct klog_time time = parse->line->time;
	struct span at = parse->at;

	if (!klog_take_iso(&at, &time) && !take_full(&at, &time) &&
	    !klog_take_month_day(&at, parse->context->now_us, &time) && !klog_take_unix(&at, &time) &&
	    (parse->is_stamped || !klog_take_clock(&at)))
		return false;
	span_take(&at, ":");
	if (at.at < at.end && *at.at != ' ' && *at.at != '\t')
		return false;
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

/* "host kernel: " of a line that tells nothing else could be a person's words: it needs the kernel's stamp after it. */
static bool kernel_may_stand(const struct klog_parse *parse, struct span after, size_t place, struct span before)
{
	span_trim(&after);
	if (place == 0)
		return true;
	if (place == 2 && !is_level(before))
		return false;
	return parse->is_stamped || parse->line->level >= 0 || (span_begins(after, "[") && span_len(after) > 1 &&
								 (after.at[1] == ' ' || is_digit(after.at[1])));
}

bool klog_take_name(struct klog_parse *parse)
{
	struct span at = parse->at, word, before = { at.at, at.at }, rest;

	for (size_t place = 0; place < 3 && next_word(&at, &word); place++, before = word) {
		if (span_is(word, "kernel:")) {
			if (!kernel_may_stand(parse, at, place, before))
				return false;
			parse->line->origin = KLOG_ORIGIN_KERNEL;
			parse->is_kernel = true;
			parse->at = at;
			return true;
		}
		rest = at;
		span_trim(&rest);
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
