// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/log_outcome.h"

#include <inttypes.h>

/* ---- when */

static bool is_later(struct klog_time a, struct klog_time b)
{
	int64_t after_us;

	return klog_time_between(b, a, true, &after_us) && after_us > 0;
}

static bool is_of_last_boot(const struct klog_log *log, const struct klog_event *event)
{
	return event->boot + 1 == log->boots;
}

struct klog_time log_end(const struct klog_log *log)
{
	struct klog_time end = log->coverage.last;

	for (size_t i = 0; i < log->nr_events; i++) {
		const struct klog_event *event = &log->events[i];

		if (is_of_last_boot(log, event) && (is_later(event->last, end) || (!end.has_wall && !end.has_boot)))
			end = event->last;
	}
	return end;
}

static bool is_old(const struct klog_log *log, const struct klog_event *event, struct klog_time now, double current_s)
{
	int64_t age_us;

	return klog_time_between(event->last, now, is_of_last_boot(log, event), &age_us) &&
	       (double)age_us / 1e6 > current_s;
}

/* ---- what counts */

/* Has another GPU the same? */
static bool others_have(const struct klog_log *log, const struct klog_event *event)
{
	for (size_t i = 0; i < log->nr_events; i++) {
		const struct klog_event *other = &log->events[i];

		if (other->row == event->row && other->code == event->code && other->is_gpu &&
		    other->currency == KLOG_CURRENT && strcmp(other->device, event->device) != 0)
			return true;
	}
	return false;
}

/* Processes named within a minute of one counted already are of one job. */
static unsigned jobs_of(const struct klog_log *log, const struct klog_event *event, struct klog_time now)
{
	const int64_t minute_us = 60 * INT64_C(1000000);
	bool same_boot = is_of_last_boot(log, event);
	int64_t ages[MAX_EVENT_PROCESSES];
	unsigned nr = 0;

	for (size_t i = 0; i < event->nr_processes; i++) {
		const struct klog_process *process = &event->processes[i];
		bool apart = true;
		int64_t age;

		if (!process->has_pid || !klog_time_between(process->time, now, same_boot, &age) ||
		    age / 1000000 > LOG_JOBS_WITHIN_S)
			continue;
		for (unsigned other = 0; other < nr; other++)
			apart &= age - ages[other] >= minute_us || ages[other] - age >= minute_us;
		if (apart)
			ages[nr++] = age;
	}
	return nr;
}

bool log_points_to_gpu(const struct klog_log *log, const struct klog_event *event, struct klog_time now)
{
	return klog_rows[event->row].age == KLOG_AGE_APPLICATION && event->is_gpu && event->currency == KLOG_CURRENT &&
	       event->processes_seen >= LOG_JOBS && jobs_of(log, event, now) >= LOG_JOBS && !others_have(log, event);
}

enum outcome log_event_outcome(const struct klog_log *log, const struct klog_event *event, struct klog_time now,
			       double current_s)
{
	enum outcome outcome = finding_defs[log_finding(event->row)].outcome;

	if (log_points_to_gpu(log, event, now))
		return OUTCOME_WARN;
	if (outcome <= OUTCOME_NOTE)
		return outcome;
	if (klog_rows[event->row].age == KLOG_AGE_APPLICATION || event->currency != KLOG_CURRENT ||
	    is_old(log, event, now, current_s))
		return OUTCOME_NOTE;
	return outcome;
}

const struct klog_event *log_story_worst(const struct klog_log *log, const struct klog_story *story,
					 struct klog_time now, double current_s)
{
	const struct klog_event *worst = NULL;
	enum outcome worst_outcome = OUTCOME_SKIP;
	enum action worst_action = ACTION_NONE;

	for (size_t i = 0; i < story->nr; i++) {
		const struct klog_event *event = story->events[i];
		enum outcome outcome = log_event_outcome(log, event, now, current_s);
		enum action action = finding_defs[log_finding(event->row)].action;

		if (worst && (outcome < worst_outcome || (outcome == worst_outcome && action <= worst_action)))
			continue;
		worst = event;
		worst_outcome = outcome;
		worst_action = action;
	}
	return worst;
}

enum outcome log_outcome(const struct klog_log *log, struct klog_time now, double current_s)
{
	enum outcome worst = OUTCOME_PASS;

	for (size_t i = 0; i < log->nr_events; i++) {
		enum outcome outcome = log_event_outcome(log, &log->events[i], now, current_s);

		if (outcome > worst)
			worst = outcome;
	}
	return worst;
}

/* ---- words */

static bool is_place(const char *place, size_t len, const char *name)
{
	return strlen(name) == len && !memcmp(place, name, len);
}

static const struct klog_process *first_named(const struct klog_event *event)
{
	for (size_t i = 0; i < event->nr_processes; i++)
		if (event->processes[i].name[0])
			return &event->processes[i];
	return NULL;
}

bool log_fill_place(struct strbuf *out, const struct klog_event *event, const char *place, size_t len)
{
	const struct klog_process *named = first_named(event);

	if (is_place(place, len, "process")) {
		strbuf_addstr(out, named ? named->name : "a process");
	} else if (is_place(place, len, "pid")) {
		if (event->nr_processes && event->processes[0].has_pid)
			strbuf_addf(out, "%" PRIu64, event->processes[0].pid);
		else
			strbuf_addstr(out, "not told");
	} else if (is_place(place, len, "unit")) {
		strbuf_addstr(out, event->unit[0] ? event->unit : "a unit that is not named");
	} else if (is_place(place, len, "address")) {
		if (event->has_address)
			strbuf_addf(out, "0x%" PRIx64, event->address);
		else
			strbuf_addstr(out, "an address that is not told");
	} else if (is_place(place, len, "status")) {
		strbuf_addstr(out, event->status[0] ? event->status : "no status told");
	} else {
		return false;
	}
	return true;
}

void log_fill(struct strbuf *out, const struct klog_event *event, const char *template)
{
	while (*template) {
		size_t len = strcspn(template, "{");
		const char *bar;

		strbuf_add(out, template, len);
		template += len;
		if (*template != '{')
			continue;
		len = strcspn(++template, "}");
		bar = memchr(template, '|', len);
		if (bar)
			strbuf_add(out, template, (size_t)(bar - template));
		else
			log_fill_place(out, event, template, len);
		template += len + (template[len] == '}');
	}
}
