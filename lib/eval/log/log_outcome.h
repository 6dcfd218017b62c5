/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log_outcome.h - which outcome an event of a kernel log has now: its row's
 * while it is current, a note once it is past.
 *
 * "now" is the time ages count from: of a live log the time it is, in the
 * clocks that its lines have; of a file the log's own end.
 */
#pragma once

#include "base/strbuf.h"
#include "eval/findings/findings.h"
#include "eval/judge/report.h"
#include "klog/incident.h"

enum {
	LOG_CURRENT_S = 72 * 3600,	/* what is older is a note; policy: klog.current_s */
	LOG_JOBS_WITHIN_S = 24 * 3600,	/* in which so many jobs … */
	LOG_JOBS = 3,			/* … that fail on one GPU alone point to the GPU */
	LOG_HANGS_WITHIN_S = 24 * 3600,	/* in which so many hangs as klog/repeats.def says are more than a program's */
	LOG_HANGS = 3,			/* what those numbers are made for; policy: klog.hangs_per_day */
	LOG_SERVER_SILENT_S = 6 * 3600,	/* in which nobody was kept waiting by a file server once more: it answers */
};

/* Where events stop to count, or begin to. */
struct log_limits {
	double current_s;		/* for so long they are current */
	double hangs_per_day;
};
extern const struct log_limits log_limits_built_in;

/* The log's own end: of its last line, or of its last event where that is later. */
struct klog_time log_end(const struct klog_log *log);

/* Was it last seen so long before now? false if no clock can say. */
bool log_is_old(const struct klog_event *event, struct klog_time now, double current_s);

/* As it counts while it happens: an application's fault is a note, and so is another device's. */
enum outcome log_row_outcome(const struct klog_event *event);

/* As it counts at that time, whosever it is. limits: log_limits_built_in, unless a policy has others. */
enum outcome log_event_outcome(const struct klog_log *log, const struct klog_event *event, struct klog_time now,
			       const struct log_limits *limits);

/*
 * Is this an application's fault that LOG_JOBS different jobs had on this GPU,
 * and on no other, within LOG_JOBS_WITHIN_S before now? One program's own
 * processes fail together: they are one job.
 */
bool log_points_to_gpu(const struct klog_log *log, const struct klog_event *event, struct klog_time now);

/* Hangs that ended by themselves, of this GPU in this boot; 0: they are fewer, or past, and a note each. */
uint64_t log_hangs_again(const struct klog_log *log, const struct klog_event *event,
			 const struct log_limits *limits);

/* The event of a incident that decides what to do: of the worst outcome, of these the costliest action, the first. */
const struct klog_event *log_incident_worst(const struct klog_log *log, const struct klog_incident *incident,
					 struct klog_time now, const struct log_limits *limits);

/*
 * The same where nothing but the log says what is a GPU: what PCI tells of any
 * other device (a dock, a network card) is a note, unless it is a bridge and a
 * GPU's event stands in its incident.
 */
enum outcome log_told_outcome(const struct klog_log *log, const struct klog_incident *incident,
			      const struct klog_event *event, struct klog_time now, const struct log_limits *limits);

/* Of its events as reported: the worst; OUTCOME_PASS without any. */
enum outcome log_outcome(const struct klog_log *log, const struct klog_incidents *incidents, struct klog_time now,
			 const struct log_limits *limits);

/* Of the whole log: OUTCOME_UNKNOWN where lines name an error of a GPU in no known form, and no event is a fault. */
enum outcome log_verdict(const struct klog_log *log, const struct klog_incidents *incidents, struct klog_time now,
			 const struct log_limits *limits);

/* ---- log_words.c: an event in words, and what to do about it */

/*
 * What a place of a row's templates says for this event: "process", "pid",
 * "unit", "address", "status"; general words where the lines did not tell
 * ("a process"). false: there is no such place.
 */
bool log_fill_place(struct strbuf *out, const struct klog_event *event, const char *place, size_t len);

/* A row's template with its places filled; {one|many} in the form for one device. */
void log_fill(struct strbuf *out, const struct klog_event *event, const char *template);
/* The same about several devices. */
void log_fill_many(struct strbuf *out, const struct klog_event *event, const char *template);

/* "Xid 79", "SXid 12028"; without a number the name of its row: "amdgpu-reset-failed". */
const char *log_name(struct arena *arena, const struct klog_event *event);

/* "GPU 0000:5d:00.0", "device 0000:5c:00.0", "a GPU not named in the log"; "" of what is the host's. */
void log_subject(struct strbuf *out, const struct klog_event *event);

/* Subject and title as one sentence without its full stop. */
void log_sentence(struct strbuf *out, const struct klog_event *event);

/* What to do about it: its finding's steps or else its action's, with its own address filled in. */
void log_steps(struct arena *arena, const struct klog_event *event, const struct step **ret, size_t *nr);
