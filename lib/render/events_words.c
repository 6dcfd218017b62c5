// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "render/events_words.h"

#include "base/text.h"
#include "base/units.h"
#include "render/events.h"
#include "snapshot/snapshot.h"

enum {
	LEAST_STORM = 10,	/* so many repeats have a rate */
	MOMENT_US = 100000,	/* nearer is at once */
};

void events_add_count(struct strbuf *out, uint64_t nr)
{
	char digits[32];
	size_t len = (size_t)snprintf(digits, sizeof(digits), "%llu", (unsigned long long)nr);

	for (size_t i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0 && len > 4)
			strbuf_addstr(out, "\u202f");
		strbuf_addch(out, digits[i]);
	}
}

struct told_place told_place(const struct told_log *told, uint64_t number)
{
	if (!told || !number || number > told->nr_places || !told->places[number - 1].line)
		return (struct told_place){ .line = number };
	return told->places[number - 1];
}

/* ---- when */

static void add_day(struct strbuf *out, struct klog_time time)
{
	char stamp[32];

	format_rfc3339(time.wall_us / 1000000, 0, stamp);
	strbuf_addf(out, "%.10s", stamp);
}

/* "15:02:07", or without its seconds. */
static void add_clock(struct strbuf *out, struct klog_time time, bool seconds)
{
	char stamp[32];

	format_rfc3339(time.wall_us / 1000000, 0, stamp);
	strbuf_addf(out, "%.*s", seconds ? 8 : 5, stamp + 11);
}

static bool same_day(struct klog_time a, struct klog_time b)
{
	return a.wall_us / 86400000000 == b.wall_us / 86400000000;
}

static void add_zone(struct strbuf *out, struct klog_time time)
{
	strbuf_addstr(out, time.wall_is_local ? " local time" : " UTC");
}

static void add_boot_stamp(struct strbuf *out, struct klog_time time)
{
	strbuf_addf(out, "%llu.%06u", (unsigned long long)(time.boot_us / 1000000), (unsigned)(time.boot_us % 1000000));
}

/* Do both look alike? */
static bool shows_same(struct klog_time a, struct klog_time b, bool seconds)
{
	int64_t step_us = seconds ? 1000000 : 60000000;

	return a.wall_us / step_us == b.wall_us / step_us;
}

bool events_add_span(struct strbuf *out, struct klog_time first, struct klog_time last, bool seconds)
{
	if (first.has_wall && last.has_wall) {
		add_day(out, first);
		strbuf_addch(out, ' ');
		add_clock(out, first, seconds);
		if (!shows_same(first, last, seconds)) {
			strbuf_addstr(out, " to ");
			if (!same_day(first, last)) {
				add_day(out, last);
				strbuf_addch(out, ' ');
			}
			add_clock(out, last, seconds);
		}
		add_zone(out, last);
	} else if (first.has_boot && last.has_boot) {
		add_boot_stamp(out, first);
		if (first.boot_us != last.boot_us) {
			strbuf_addstr(out, " to ");
			add_boot_stamp(out, last);
		}
		strbuf_addstr(out, " s after boot");
	} else {
		return false;
	}
	return true;
}

void events_add_rate(struct strbuf *out, const struct klog_event *event)
{
	int64_t us;
	double rate;

	if (event->count < 2)
		return;
	strbuf_addstr(out, out->len ? ", " : "");
	events_add_count(out, event->count);
	strbuf_addstr(out, " times");
	if (event->count < LEAST_STORM || !klog_time_between(event->first, event->last, true, &us) || us <= 0)
		return;
	rate = (double)(event->count - 1) * 1e6 / (double)us;
	if (rate * 60 < 1)
		return;
	strbuf_addstr(out, ", ");
	if (rate >= 1)
		unit_format(out, UNIT_PER_S, rate);
	else
		strbuf_addf(out, "%.0f a minute", rate * 60);
}

void events_add_when(struct strbuf *out, const struct klog_event *event)
{
	events_add_span(out, event->first, event->last, true);
	events_add_rate(out, event);
}

void events_add_distance(struct strbuf *out, const struct klog_event *event, const struct klog_event *worst)
{
	bool before = event->first_line < worst->first_line;
	int64_t us;

	if (!klog_time_between(worst->first, event->first, true, &us))
		return;
	us = us < 0 ? -us : us;
	if (us < MOMENT_US) {
		strbuf_addstr(out, before ? "just before" : "at once");
		return;
	}
	unit_format(out, UNIT_MS, (double)(us >= 1000000 ? us / 1000000 * 1000 : us / 1000));
	strbuf_addstr(out, before ? " before" : " later");
}

/* ---- of the log itself */

static void add_message(struct arena *arena, struct strs *messages, uint64_t nr, const char *one, const char *many)
{
	if (nr)
		strs_add(arena, messages, arena_printf(arena, "%llu %s", (unsigned long long)nr, nr == 1 ? one : many));
}

const char *events_unjudged(struct arena *arena, const struct klog_log *log)
{
	if (log->unjudged == 1)
		return "1 line names a GPU error but is in no known form: not judged";
	return arena_printf(arena, "%llu lines name a GPU error but are in no known form: not judged",
			    (unsigned long long)log->unjudged);
}

static bool has_stamps(const struct klog_log *log)
{
	if (log->coverage.first.has_wall || log->coverage.first.has_boot)
		return true;
	for (size_t i = 0; i < log->nr_events; i++)
		if (log->events[i].last.has_wall || log->events[i].last.has_boot)
			return true;
	return false;
}

void events_messages(struct arena *arena, const struct klog_log *log, struct strs *ret)
{
	add_message(arena, ret, log->coverage.lost_records,
		    "record was overwritten before it was read",
		    "records were overwritten before they were read");
	add_message(arena, ret, log->coverage.cut_lines, "overlong line was read up to 64 KiB only",
		    "overlong lines were read up to 64 KiB only");
	add_message(arena, ret, log->dropped,
		    "line of the mildest and oldest events left out: too many different ones",
		    "lines of the mildest and oldest events left out: too many different ones");
	add_message(arena, ret, log->suspends, "time asleep: stamps since boot leave that time out",
		    "times asleep: stamps since boot leave that time out");
	if (!has_stamps(log))
		strs_add(arena, ret, log->nr_events ?
			 "the lines have no timestamps: the last boot counts" :
			 "the lines have no timestamps and may not be a kernel log");
}
