// SPDX-License-Identifier: GPL-2.0-or-later
/* line_stamp.c - what the kernel, /dev/kmsg and dmesg put before a message. */
#include "base/compat.h"
#include "klog/line_internal.h"

/* "12345.678901"; how many digits the fraction had */
static size_t take_seconds(struct span *at, uint64_t *ret_us)
{
	struct span from = *at;
	uint64_t seconds, fraction;
	const char *point;
	size_t digits;

	if (!span_take_u64(&from, &seconds) || seconds > UINT32_MAX || !span_take(&from, "."))
		return 0;
	point = from.at;
	if (!span_take_u64(&from, &fraction))
		return 0;
	digits = (size_t)(from.at - point);
	if (digits > 6)
		return 0;
	for (size_t i = digits; i < 6; i++)
		fraction *= 10;
	*ret_us = seconds * 1000000 + fraction;
	*at = from;
	return digits;
}

/* "+0.000844" of dmesg -H, "<    0.000001>" of dmesg -d: since the line before. */
static bool take_delta(struct span *at)
{
	struct span from = *at;
	bool is_angled = span_take(&from, "<");
	uint64_t us;

	span_trim(&from);
	if ((!span_take(&from, "+") && !is_angled) || !take_seconds(&from, &us) ||
	    (is_angled && !span_take(&from, ">")))
		return false;
	*at = from;
	return true;
}

/* "T1946", "C0": the task or processor that printed it. */
static bool take_caller(struct span *at)
{
	struct span from = *at;
	uint64_t number;

	if ((!span_take(&from, "T") && !span_take(&from, "C")) || !span_take_u64(&from, &number))
		return false;
	*at = from;
	return true;
}

/*
 * "T39596;" behind a date, of a daemon that takes the network console's lines: what follows is the kernel's message, and
 * behind its end, which syslog writes as "#012", are the fields of its record.
 */
bool klog_take_console(struct klog_parse *parse)
{
	static const char feed[] = "#012";
	struct span at = parse->at;
	const char *end;

	if (!take_caller(&at) || !span_take(&at, ";"))
		return false;
	end = memmem(at.at, span_len(at), feed, strlen(feed));
	parse->at = (struct span){ at.at, end ? end : at.end };
	parse->line->origin = KLOG_ORIGIN_KERNEL;
	parse->is_kernel = parse->is_done = true;
	return true;
}

/* "30709s" of a console whose stamps are whole seconds */
static bool take_whole_seconds(struct span *at, uint64_t *ret_us)
{
	struct span from = *at;
	uint64_t seconds;

	if (!span_take_u64(&from, &seconds) || seconds > UINT32_MAX || !span_take(&from, "s") || span_len(from))
		return false;
	*ret_us = seconds * 1000000;
	*at = from;
	return true;
}

bool klog_begins_with_stamp(struct span text)
{
	uint64_t us;

	if (!span_take(&text, "["))
		return false;
	span_trim(&text);
	return take_seconds(&text, &us) && span_begins(text, "]");
}

bool klog_begins_as_kernel(struct span text)
{
	static const char *const sources[] = { "NVRM: ", "Xid (PCI:", "nvidia-nvswitch", "nvidia-modeset: ", "nvidia 0",
					       "amdgpu 0", "i915 0", "xe 0", "nouveau 0", "radeon 0", "pcieport 0",
					       "[drm:", "kernel: " };

	if (klog_begins_with_stamp(text))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(sources); i++)
		if (span_begins(text, sources[i]))
			return true;
	return false;
}

bool klog_take_bare_stamp(struct klog_parse *parse)
{
	struct span at = parse->at;
	uint64_t us;

	if (parse->is_stamped || take_seconds(&at, &us) != 6 || !span_begins(at, " "))
		return false;
	parse->line->time.has_boot = true;
	parse->line->time.boot_us = us;
	parse->is_stamped = true;
	parse->at = at;
	return true;
}

/* A stamp means a kernel line, unless a priority before it says otherwise. */
static void say_kernel(struct klog_parse *parse)
{
	if (parse->line->origin == KLOG_ORIGIN_UNKNOWN)
		parse->line->origin = KLOG_ORIGIN_KERNEL;
}

/* What stands within the brackets. */
static bool read_bracket(struct klog_parse *parse, struct span in)
{
	struct klog_time *time = &parse->line->time;
	int64_t now_us = parse->context->now_us;
	size_t digits;
	uint64_t us;

	if (span_begins(in, "pod/"))
		return !parse->is_stamped && !parse->is_kernel;
	span_trim(&in);
	if ((digits = take_seconds(&in, &us)) || take_whole_seconds(&in, &us)) {
		time->has_boot = true;
		time->boot_us = us;
	} else if (klog_take_iso(&in, time)) {
		digits = 0;
	} else if (take_delta(&in) || take_caller(&in) || klog_take_ctime(&in, time) ||
		   klog_take_short_date(&in, now_us, time)) {
		digits = 6;
	} else {
		return false;
	}
	span_trim(&in);
	take_delta(&in);
	span_trim(&in);
	if (span_len(in))
		return false;
	/* Three digits are X's and other programs', or a person's who cut it short. */
	if (digits == 6)
		say_kernel(parse);
	parse->is_stamped = true;
	return true;
}

bool klog_take_bracket(struct klog_parse *parse)
{
	struct klog_time before = parse->line->time;
	struct span in = parse->at;
	const char *stop;

	if (!span_take(&in, "["))
		return false;
	stop = memchr(in.at, ']', span_len(in) < 256 ? span_len(in) : 256);
	if (!stop)
		return false;
	in.end = stop;
	if (!read_bracket(parse, in)) {
		parse->line->time = before;
		return false;
	}
	parse->at.at = stop + 1;
	return true;
}

void klog_set_priority(struct klog_parse *parse, uint64_t priority)
{
	parse->line->level = (int)(priority & 7);
	parse->line->origin = priority >> 3 ? KLOG_ORIGIN_USER : KLOG_ORIGIN_KERNEL;
}

/* "-", or "[id name="value"]" as often as one likes */
static bool take_structured(struct span *at)
{
	bool is_quoted = false;

	if (span_take(at, "-"))
		return true;
	if (!span_begins(*at, "["))
		return false;
	for (; at->at < at->end; at->at++) {
		if (*at->at == '\\' && is_quoted)
			at->at += at->at + 1 < at->end;
		else if (*at->at == '"')
			is_quoted = !is_quoted;
		else if (*at->at == ']' && !is_quoted && (at->at + 1 == at->end || at->at[1] != '['))
			return span_take(at, "]");
	}
	return false;
}

/* RFC 5424, after its priority: "1 2026-01-02T03:04:05.678Z host kernel - - - text" */
static bool take_rfc5424(struct klog_parse *parse)
{
	struct span at = parse->at, host, name, word;
	struct klog_time time = parse->line->time;

	if (!span_take(&at, "1 ") || (!span_take(&at, "-") && !klog_take_iso(&at, &time)) || !span_take(&at, " ") ||
	    !klog_take_word(&at, &host) || !klog_take_word(&at, &name) || !klog_take_word(&at, &word) ||
	    !klog_take_word(&at, &word) || !take_structured(&at))
		return false;
	span_trim(&at);
	span_take(&at, "\xef\xbb\xbf");
	parse->line->time = time;
	parse->is_stamped = true;
	parse->at = at;
	if (span_is(name, "kernel")) {
		parse->line->origin = KLOG_ORIGIN_KERNEL;
		parse->is_kernel = true;
	} else if (!span_is(name, "-")) {
		parse->line->origin = KLOG_ORIGIN_USER;
		parse->is_done = true;
	}
	return true;
}

bool klog_take_priority(struct klog_parse *parse)
{
	struct span at = parse->at;
	uint64_t priority;

	if (!span_take(&at, "<") || !span_take_u64(&at, &priority) || priority > 191 || !span_take(&at, ">"))
		return false;
	if (parse->is_kernel)
		parse->line->level = (int)(priority & 7);
	else
		klog_set_priority(parse, priority);
	parse->at = at;
	take_rfc5424(parse);
	return true;
}

static bool take_any(struct span *at, const char *const *words, size_t nr, size_t *ret)
{
	for (*ret = 0; *ret < nr; ++*ret)
		if (span_take(at, words[*ret]))
			return true;
	return false;
}

bool klog_take_level(struct klog_parse *parse)
{
	static const char *const facilities[] = { "kern", "user", "mail", "daemon", "authpriv", "auth", "syslog", "lpr",
						  "news", "uucp", "cron", "ftp", "local", "res" };
	static const char *const levels[] = { "emerg", "alert", "crit", "err", "warn", "notice", "info", "debug" };
	struct span at = parse->at;
	size_t facility, level;

	if (!take_any(&at, facilities, ARRAY_SIZE(facilities), &facility))
		return false;
	if (at.at < at.end && is_digit(*at.at))
		at.at++;
	span_trim(&at);
	if (!span_take(&at, ":") || !take_any(&at, levels, ARRAY_SIZE(levels), &level))
		return false;
	span_trim(&at);
	if (!span_take(&at, ":"))
		return false;
	klog_set_priority(parse, facility << 3 | level);
	parse->at = at;
	return true;
}

/* "\x1b" and the like back to bytes, in place. */
static void unescape(struct klog_parse *parse)
{
	char *to;
	const char *from;

	if (!memchr(parse->at.at, '\\', span_len(parse->at)))
		return;
	klog_parse_own(parse);
	from = parse->at.at;
	to = parse->context->scratch.buf + (from - parse->context->scratch.buf);
	while (from < parse->at.end) {
		int high = -1, low = -1;

		if (parse->at.end - from >= 4 && from[0] == '\\' && from[1] == 'x') {
			high = hex_digit(from[2]);
			low = hex_digit(from[3]);
		}
		if (high >= 0 && low >= 0) {
			*to++ = (char)(high << 4 | low);
			from += 4;
		} else {
			*to++ = *from++;
		}
	}
	parse->at.end = to;
}

bool klog_take_record(struct klog_parse *parse)
{
	struct span at = parse->at;
	uint64_t priority, sequence, us;
	const char *text, *stop;

	if (!span_take_u64(&at, &priority) || !span_take(&at, ",") || !span_take_u64(&at, &sequence) ||
	    !span_take(&at, ",") || !span_take_u64(&at, &us) || !span_take(&at, ","))
		return false;
	text = memchr(at.at, ';', span_len(at));
	if (!text || memchr(at.at, ' ', (size_t)(text - at.at)))
		return false;
	/* More of the record stands in lines after it: " DEVICE=+pci:0000:01:00.0". */
	stop = memchr(text, '\n', (size_t)(at.end - text));
	parse->at = (struct span){ text + 1, stop ? stop : at.end };
	klog_set_priority(parse, priority);
	parse->line->time.has_boot = us <= KLOG_MAX_TIME_US;
	parse->line->time.boot_us = us;
	unescape(parse);
	parse->is_done = true;
	return true;
}
