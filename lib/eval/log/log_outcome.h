/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log_outcome.h - which outcome an event of a kernel log has now: its row's
 * while it is current, a note once it is past.
 *
 * "now" is the time ages count from: of a live log the time it is, in the
 * clocks that its lines have; of a file the log's own end.
 */
#pragma once

#include "eval/findings/findings.h"
#include "eval/log/log_words.h"
#include "klog/incident.h"

enum {
	LOG_CURRENT_S = 72 * 3600,	/* what is older is a note; policy: klog.current_s */
	LOG_JOBS_WITHIN_S = 24 * 3600,	/* in which so many jobs … */
	LOG_JOBS = 3,			/* … that fail on one GPU alone point to the GPU */
};

/* The log's own end: of its last line, or of its last event where that is later. */
struct klog_time log_end(const struct klog_log *log);

/* Was it last seen so long before now? false if no clock can say. */
bool log_is_old(const struct klog_event *event, struct klog_time now, double current_s);

/* As it counts while it happens: an application's fault is a note, and so is another device's. */
enum outcome log_row_outcome(const struct klog_event *event);

/* As it counts at that time, whosever it is. current_s: LOG_CURRENT_S, unless a policy has another. */
enum outcome log_event_outcome(const struct klog_log *log, const struct klog_event *event, struct klog_time now,
			       double current_s);

/*
 * Is this an application's fault that LOG_JOBS different jobs had on this GPU,
 * and on no other, within LOG_JOBS_WITHIN_S before now? One program's own
 * processes fail together: they are one job.
 */
bool log_points_to_gpu(const struct klog_log *log, const struct klog_event *event, struct klog_time now);

/* The event of a incident that decides what to do: of the worst outcome, of these the costliest action, the first. */
const struct klog_event *log_incident_worst(const struct klog_log *log, const struct klog_incident *incident,
					 struct klog_time now, double current_s);

/*
 * The same where nothing but the log says what is a GPU: what PCI tells of any
 * other device (a dock, a network card) is a note, unless it is a bridge and a
 * GPU's event stands in its incident.
 */
enum outcome log_told_outcome(const struct klog_log *log, const struct klog_incident *incident, const struct klog_event *event,
			      struct klog_time now, double current_s);

/* Of its events as reported: the worst; OUTCOME_PASS without any. */
enum outcome log_outcome(const struct klog_log *log, const struct klog_incidents *incidents, struct klog_time now,
			 double current_s);

/* Of the whole log: OUTCOME_UNKNOWN where lines name an error of a GPU in no known form, and no event is a fault. */
enum outcome log_verdict(const struct klog_log *log, const struct klog_incidents *incidents, struct klog_time now,
			 double current_s);
