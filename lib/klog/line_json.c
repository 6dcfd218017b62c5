// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * line_json.c - a line within an object of JSON: journald's, dmesg's, Docker's, Loki's and other shippers'.
 *
 * Only what is asked for is decoded, in place, and an object that was cut short is used up to there.
 */
#include "base/compat.h"
#include "klog/line_internal.h"
#include "klog/prefilter.h"
#include "klog/source.h"

/* The members that are asked for, as they stand: strings with their quotes. */
enum member { MESSAGE, TRANSPORT, NAME, PRIORITY, WALL, BOOT, BOOT_LATE, BOOT_ID, TIME, PROGRAM, NR_MEMBERS };

static const struct {
	const char *key;
	enum member member;
} keys[] = {
	{ "MESSAGE", MESSAGE }, { "log", MESSAGE }, { "line", MESSAGE }, { "msg", MESSAGE }, { "message", MESSAGE },
	{ "_TRANSPORT", TRANSPORT },
	{ "SYSLOG_IDENTIFIER", NAME }, { "ident", NAME }, { "appname", NAME }, { "programname", NAME },
	{ "PRIORITY", PRIORITY }, { "pri", PRIORITY }, { "priority", PRIORITY },
	{ "__REALTIME_TIMESTAMP", WALL }, { "timestamp", WALL }, { "@timestamp", WALL }, { "ts", WALL },
	{ "date", WALL },
	{ "_SOURCE_MONOTONIC_TIMESTAMP", BOOT }, { "__MONOTONIC_TIMESTAMP", BOOT_LATE },
	{ "_BOOT_ID", BOOT_ID },
	{ "time", TIME },
	{ "level", PROGRAM }, { "lvl", PROGRAM }, { "log.level", PROGRAM }, { "logger", PROGRAM },
};

static void skip_space(struct span *at)
{
	while (at->at < at->end && (*at->at == ' ' || *at->at == '\t' || *at->at == '\n' || *at->at == '\r'))
		at->at++;
}

/* Past a string, or what there is of it. */
static void skip_string(struct span *at)
{
	for (at->at++; at->at < at->end && *at->at != '"'; at->at++)
		at->at += *at->at == '\\' && at->at + 1 < at->end;
	at->at += at->at < at->end;
}

static struct span take_value(struct span *at)
{
	struct span value = *at;
	size_t depth = 0;

	while (at->at < at->end) {
		char c = *at->at;

		if (c == '"') {
			skip_string(at);
		} else {
			if (depth == 0 && (c == ',' || c == '}' || c == ']'))
				break;
			depth += c == '{' || c == '[';
			depth -= c == '}' || c == ']';
			at->at++;
		}
		if (depth == 0 && (c == '"' || c == '}' || c == ']'))
			break;
	}
	value.end = at->at;
	return value;
}

/* The next member of an object, after its brace or a comma. */
static bool next_member(struct span *at, struct span *key, struct span *value)
{
	skip_space(at);
	span_take(at, ",");
	skip_space(at);
	if (!span_begins(*at, "\""))
		return false;
	key->at = at->at + 1;
	skip_string(at);
	key->end = at->at - 1;
	skip_space(at);
	/* Fluent Bit prints objects as Ruby does. */
	if (key->end < key->at || (!span_take(at, ":") && !span_take(at, "=>")))
		return false;
	skip_space(at);
	*value = take_value(at);
	return true;
}

static void find_members(struct span at, struct span found[NR_MEMBERS])
{
	struct span key, value;

	while (next_member(&at, &key, &value))
		for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
			if (span_is(key, keys[i].key) && !found[keys[i].member].at && !span_is(value, "null"))
				found[keys[i].member] = value;
}

static unsigned take_unit(struct span *at)
{
	unsigned unit = 0;
	size_t nr = 0;

	for (; nr < 4 && at->at < at->end && hex_digit(*at->at) >= 0; nr++)
		unit = unit << 4 | (unsigned)hex_digit(*at->at++);
	return nr == 4 ? unit : '?';
}

/* What stands after "\u", as UTF-8; never longer than it was. */
static char *decode_unit(struct span *at, char *to)
{
	unsigned c = take_unit(at);

	if (c >= 0xd800 && c < 0xdc00 && span_take(at, "\\u"))
		c = 0x10000 + ((c - 0xd800) << 10 | ((take_unit(at) - 0xdc00) & 0x3ff));
	if (c >= 0xd800 && c < 0xe000)
		c = 0xfffd;
	if (c < 0x80) {
		*to++ = (char)c;
	} else if (c < 0x800) {
		*to++ = (char)(0xc0 | c >> 6);
	} else if (c < 0x10000) {
		*to++ = (char)(0xe0 | c >> 12);
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
	} else {
		*to++ = (char)(0xf0 | c >> 18);
		*to++ = (char)(0x80 | (c >> 12 & 0x3f));
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
	}
	if (c >= 0x80)
		*to++ = (char)(0x80 | (c & 0x3f));
	return to;
}

static char *decode_escape(struct span *at, char *to)
{
	static const char from[] = "bfnrt", into[] = "\b\f\n\r\t";
	char c = *at->at++;
	const char *place;

	if (c == 'u')
		return decode_unit(at, to);
	place = memchr(from, c, sizeof(from) - 1);
	*to++ = place ? into[place - from] : c;
	return to;
}

/* A string's text, written over it. */
static struct span decode_string(char *to, struct span value)
{
	struct span at = value, text = { to, to };

	for (at.at++; at.at < at.end && *at.at != '"';) {
		if (*at.at == '\\' && at.at + 1 < at.end) {
			at.at++;
			to = decode_escape(&at, to);
		} else {
			*to++ = *at.at++;
		}
	}
	text.end = to;
	return text;
}

/* "[78,86,82,77]": what is no text journald writes as the numbers of its bytes. Of several strings, the first. */
static struct span decode_array(char *to, struct span value)
{
	struct span at = value, text = { to, to };
	uint64_t byte;

	at.at++;
	skip_space(&at);
	if (span_begins(at, "\"")) {
		value.at = at.at;
		return decode_string(to, value);
	}
	while (span_take_u64(&at, &byte)) {
		*to++ = (char)byte;
		skip_space(&at);
		span_take(&at, ",");
		skip_space(&at);
	}
	text.end = to;
	return text;
}

static struct span decode(struct klog_parse *parse, struct span value)
{
	char *to = parse->context->scratch.buf;

	if (!span_len(value))
		return (struct span){ to, to };
	to += value.at - to;
	if (*value.at == '"')
		return decode_string(to, value);
	return *value.at == '[' ? decode_array(to, value) : value;
}

static void read_times(struct klog_parse *parse, const struct span found[NR_MEMBERS])
{
	struct klog_time *time = &parse->line->time;
	struct span boot = decode(parse, found[found[BOOT].at ? BOOT : BOOT_LATE]);
	struct span at = decode(parse, found[TIME]);
	const char *digits;
	uint64_t seconds, us;

	klog_read_time(decode(parse, found[WALL]), time);
	time->has_boot = span_take_u64(&boot, &time->boot_us) && time->boot_us <= KLOG_MAX_TIME_US;
	/* dmesg's is a number of seconds since boot, others' is a date. */
	if (klog_read_time(at, time) || !span_take_u64(&at, &seconds) || seconds > UINT32_MAX || !span_take(&at, "."))
		return;
	digits = at.at;
	if (!span_take_u64(&at, &us) || at.at - digits != 6)
		return;
	time->has_boot = true;
	time->boot_us = seconds * 1000000 + us;
	parse->line->origin = KLOG_ORIGIN_KERNEL;
}

/* Does a message, with its quote, begin with a stamp or name of the kernel's? */
static bool holds_whole_line(struct span value)
{
	span_take(&value, "\"");
	return klog_begins_with_stamp(value) || span_begins(value, "kernel: ");
}

/* Does a message begin as a driver of GPUs does? Then the program passes on what the kernel said. */
static bool holds_drivers_line(struct span value)
{
	struct klog_source source;

	if (!span_len(value))
		return false;
	span_take(&value, "\"");
	klog_source_find(value, &source);
	return klog_family_drives_gpus(source.family) && !source.is_relayed && source.body.at > value.at;
}

/* Who says it. */
static void read_origin(struct klog_parse *parse, const struct span found[NR_MEMBERS])
{
	struct span transport = decode(parse, found[TRANSPORT]), name = decode(parse, found[NAME]);
	struct span at = decode(parse, found[PRIORITY]);
	struct span who = span_len(transport) ? transport : name;
	uint64_t priority;

	if (span_take_u64(&at, &priority) && priority <= 191) {
		parse->line->level = (int)(priority & 7);
		if (priority > 7)
			parse->line->origin = KLOG_ORIGIN_USER;
	}
	if (span_len(who))
		parse->line->origin = span_is(who, "kernel") ? KLOG_ORIGIN_KERNEL : KLOG_ORIGIN_USER;
	else if (found[PROGRAM].at && holds_drivers_line(found[MESSAGE]))
		parse->line->is_relayed = true;
	else if (found[PROGRAM].at && !holds_whole_line(found[MESSAGE]))
		/* Programs log so of themselves; what a shipper passes on begins as the kernel's line did. */
		parse->line->origin = KLOG_ORIGIN_USER;
	/* Without a time of its own, the message may have one: it is a line as any other. */
	parse->is_done = parse->line->origin != KLOG_ORIGIN_UNKNOWN;
}

bool klog_take_json(struct klog_parse *parse)
{
	struct span found[NR_MEMBERS] = { 0 }, at = parse->at, id, whole;

	if (!span_take(&at, "{"))
		return false;
	skip_space(&at);
	if (!span_begins(at, "\""))
		return false;
	klog_parse_own(parse);
	at = parse->at;
	at.at++;
	find_members(at, found);
	if (!found[MESSAGE].at && !found[TRANSPORT].at && !found[WALL].at)
		return false;
	read_times(parse, found);
	read_origin(parse, found);
	id = decode(parse, found[BOOT_ID]);
	span_copy(id, parse->line->boot_id, sizeof(parse->line->boot_id));
	whole = parse->at;
	parse->at = decode(parse, found[MESSAGE]);
	/* A program may quote the kernel in a member of its own. */
	if (parse->line->origin == KLOG_ORIGIN_USER &&
	    klog_next_candidate(parse->at.at, parse->at.end) == parse->at.end &&
	    klog_next_candidate(whole.at, whole.end) != whole.end)
		parse->at = whole;
	parse->is_stamped = false;
	return true;
}
