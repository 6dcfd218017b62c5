// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/log/log_outcome.h"

#define MINUTE_US (60 * INT64_C(1000000))

const struct log_limits log_limits_built_in = { .current_s = LOG_CURRENT_S, .hangs_per_day = LOG_HANGS };

/* ---- when */

static bool is_later(struct klog_time a, struct klog_time b)
{
	int64_t after_us;

	return klog_time_between(b, a, true, &after_us) && after_us > 0;
}

static bool is_of_last_boot(const struct klog_event *event)
{
	return event->currency != KLOG_BEFORE_BOOT;
}

struct klog_time log_end(const struct klog_log *log)
{
	struct klog_time end = log->coverage.last;

	for (size_t i = 0; i < log->nr_events; i++) {
		const struct klog_event *event = &log->events[i];

		if (is_of_last_boot(event) && (is_later(event->last, end) || (!end.has_wall && !end.has_boot)))
			end = event->last;
	}
	return end;
}

bool log_is_old(const struct klog_event *event, struct klog_time now, double current_s)
{
	int64_t age_us;

	return klog_time_between(event->last, now, is_of_last_boot(event), &age_us) &&
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
static unsigned jobs_of(const struct klog_event *event, struct klog_time now)
{
	bool same_boot = is_of_last_boot(event);
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
			apart &= age - ages[other] >= MINUTE_US || ages[other] - age >= MINUTE_US;
		if (apart)
			ages[nr++] = age;
	}
	return nr;
}

bool log_points_to_gpu(const struct klog_log *log, const struct klog_event *event, struct klog_time now)
{
	return klog_rows[event->row].age == KLOG_AGE_APPLICATION && event->is_gpu && event->currency == KLOG_CURRENT &&
	       event->processes_seen >= LOG_JOBS && jobs_of(event, now) >= LOG_JOBS && !others_have(log, event);
}

/* How many of that row within a day make more than notes of them, by a policy's number for any GPU; 0: of no number. */
static double hangs_that_count(enum klog_row_id row, double per_day)
{
	static const struct { enum klog_row_id row; uint64_t times; } repeats[] = {
#define REPEATS(row_, times_) { KLOG_ROW_##row_, times_ },
#include "klog/repeats.def"
	};

	for (size_t i = 0; i < ARRAY_SIZE(repeats); i++)
		if (repeats[i].row == row)
			return (double)repeats[i].times * per_day / LOG_HANGS;
	return 0;
}

uint64_t log_hangs_again(const struct klog_log *log, const struct klog_event *event,
			 const struct log_limits *limits)
{
	const struct klog_event *first = event, *last = event;
	double wanted = hangs_that_count(event->row, limits->hangs_per_day);
	uint64_t times = 0;
	int64_t lasted_us;

	if (wanted <= 0 || event->currency != KLOG_CURRENT)
		return 0;
	/* Each engine and ring has an event of its own. */
	for (size_t i = 0; i < log->nr_events; i++) {
		const struct klog_event *other = &log->events[i];

		if (other->row != event->row || other->boot != event->boot || other->currency != KLOG_CURRENT ||
		    strcmp(other->device, event->device) != 0)
			continue;
		times += other->count;
		first = other->first_line < first->first_line ? other : first;
		last = other->last_line > last->last_line ? other : last;
	}
	if ((double)times < wanted)
		return 0;
	if (!klog_time_between(first->first, last->last, true, &lasted_us))
		return times;
	/* In one minute a program hangs in one bug, whatever number of times; so do tests of drivers, on purpose. */
	if (event->processes_seen && lasted_us < MINUTE_US)
		return 0;
	/* Spread over days they are as many a day as they are in all, by their days. */
	if ((double)lasted_us / 1e6 * wanted > (double)times * LOG_HANGS_WITHIN_S)
		return 0;
	return times;
}

static enum outcome row_outcome(const struct klog_event *event)
{
	enum outcome outcome = finding_defs[log_finding(event->row)].outcome;

	return klog_rows[event->row].age == KLOG_AGE_APPLICATION && outcome > OUTCOME_NOTE ? OUTCOME_NOTE : outcome;
}

/* PCI or the IOMMU logs about a device by its address, and no GPU driver does. */
static bool is_of_other_device(const struct klog_event *event)
{
	if (!event->device[0] || event->is_gpu)
		return false;
	switch (klog_rows[event->row].kind) {
	case KLOG_PCIE_AER_CORRECTABLE:
	case KLOG_PCIE_AER_NONFATAL:
	case KLOG_PCIE_AER_FATAL:
	case KLOG_PCIE_LINK_DOWN:
	case KLOG_PCIE_LINK_LIMITED:
	case KLOG_PCIE_RESET_FAILED:
	case KLOG_IOMMU_FAULT:
		return true;
	default:
		return false;
	}
}

enum outcome log_row_outcome(const struct klog_event *event)
{
	enum outcome outcome = row_outcome(event);

	if (outcome > OUTCOME_NOTE && is_of_other_device(event) && !klog_event_is_of_bridge(event))
		return OUTCOME_NOTE;
	return outcome;
}

static bool names_process(const struct klog_event *event, uint64_t pid)
{
	for (size_t i = 0; i < event->nr_processes; i++)
		if (event->processes[i].has_pid && event->processes[i].pid == pid)
			return true;
	return false;
}

/* The OOM-killed program is also named by a GPU's driver: it held that GPU. */
static bool killed_holder(const struct klog_log *log, const struct klog_event *event)
{
	if (klog_rows[event->row].kind != KLOG_OOM_KILL)
		return false;
	for (size_t i = 0; i < log->nr_events; i++) {
		const struct klog_event *other = &log->events[i];

		if (!other->is_gpu || other->boot != event->boot)
			continue;
		for (size_t at = 0; at < event->nr_processes; at++)
			if (event->processes[at].has_pid && names_process(other, event->processes[at].pid))
				return true;
	}
	return false;
}

/*
 * A file server that said nothing for a while has answered. That it has the log may have lost; whoever else asks a
 * server that is still silent is told of too, so hours without another such line tell the same.
 */
static bool is_answered(const struct klog_log *log, const struct klog_event *event)
{
	if (event->row != KLOG_ROW_FILE_SERVER_SILENT)
		return false;
	if (log_is_old(event, log_end(log), LOG_SERVER_SILENT_S))
		return true;
	for (size_t i = 0; i < log->nr_events; i++) {
		const struct klog_event *other = &log->events[i];

		if (other->row == KLOG_ROW_FILE_SERVER_BACK && other->boot == event->boot &&
		    !strcmp(other->unit, event->unit) && other->last_line > event->last_line)
			return true;
	}
	return false;
}

enum outcome log_event_outcome(const struct klog_log *log, const struct klog_event *event, struct klog_time now,
			       const struct log_limits *limits)
{
	enum outcome outcome = row_outcome(event);

	if (log_points_to_gpu(log, event, now))
		return OUTCOME_WARN;
	if (log_hangs_again(log, event, limits) && !log_is_old(event, now, limits->current_s))
		return OUTCOME_WARN;
	/* A crash's own words are quoted in mails and lists of changes; who was at work stands in no sentence. */
	if (event->row == KLOG_ROW_KERNEL_OOPS && !event->nr_processes)
		return OUTCOME_NOTE;
	if (outcome == OUTCOME_NOTE && killed_holder(log, event))
		outcome = OUTCOME_WARN;
	if (outcome > OUTCOME_NOTE && (event->currency != KLOG_CURRENT || is_answered(log, event) ||
				       log_is_old(event, now, limits->current_s)))
		return OUTCOME_NOTE;
	return outcome;
}

const struct klog_event *log_incident_worst(const struct klog_log *log, const struct klog_incident *incident,
					 struct klog_time now, const struct log_limits *limits)
{
	const struct klog_event *worst = NULL;
	enum outcome worst_outcome = OUTCOME_SKIP;
	enum action worst_action = ACTION_NONE;

	for (size_t i = 0; i < incident->nr; i++) {
		const struct klog_event *event = incident->events[i];
		enum outcome outcome = log_event_outcome(log, event, now, limits);
		enum action action = finding_defs[log_finding(event->row)].action;

		if (worst && (outcome < worst_outcome || (outcome == worst_outcome && action <= worst_action)))
			continue;
		worst = event;
		worst_outcome = outcome;
		worst_action = action;
	}
	return worst;
}

enum outcome log_told_outcome(const struct klog_log *log, const struct klog_incident *incident,
			      const struct klog_event *event, struct klog_time now, const struct log_limits *limits)
{
	enum outcome outcome = log_event_outcome(log, event, now, limits);

	if (outcome > OUTCOME_NOTE && is_of_other_device(event) &&
	    !(incident->is_gpu && klog_event_is_of_bridge(event)))
		return OUTCOME_NOTE;
	return outcome;
}

enum outcome log_outcome(const struct klog_log *log, const struct klog_incidents *incidents, struct klog_time now,
			 const struct log_limits *limits)
{
	enum outcome worst = OUTCOME_PASS;

	for (size_t i = 0; i < incidents->nr; i++) {
		const struct klog_incident *incident = &incidents->items[i];

		for (size_t at = 0; at < incident->nr; at++) {
			enum outcome outcome = log_told_outcome(log, incident, incident->events[at], now, limits);

			if (outcome > worst)
				worst = outcome;
		}
	}
	return worst;
}

enum outcome log_verdict(const struct klog_log *log, const struct klog_incidents *incidents, struct klog_time now,
			 const struct log_limits *limits)
{
	enum outcome worst = log_outcome(log, incidents, now, limits);

	return log->unjudged && worst < OUTCOME_FAIL ? OUTCOME_UNKNOWN : worst;
}
