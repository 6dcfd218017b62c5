/* SPDX-License-Identifier: GPL-2.0-or-later */
/* events.h - what a kernel log tells, in words or data. A renderer decides nothing. */
#pragma once

#include "eval/log/log_outcome.h"
#include "klog/incident.h"
#include "render/render.h"

#define EVENTS_SCHEMA "gpudiag.events/1"

/* Where a line stands. */
struct told_place {
	const char *file;
	uint64_t line;
};

/* A log as it was read, for a renderer. */
struct told_log {
	const struct klog_log *log;
	const struct klog_incidents *incidents;
	const char *source;		/* file name, "standard input", "/dev/kmsg" */
	/* of each line, by its number less 1, if the log was taken out of a text with more in it; else none */
	const struct told_place *places;
	size_t nr_places;
	bool is_of_files;		/* they are of several files */
	bool is_part;			/* only what --since, --until or --boot asked for */
	struct klog_time now;		/* that ages count from; of a file log_end() (eval/log/log_outcome.h) */
};

/* Where the line of that number stands; of a log that is a file of its own there. */
struct told_place told_place(const struct told_log *told, uint64_t number);

void render_events_text(struct strbuf *out, const struct told_log *told, const struct render_options *options);
void render_events_json(struct strbuf *out, const struct told_log *told, const struct render_options *options);

/* One event, as it happens, on one line: for a log that is followed. */
void render_event_line(struct strbuf *out, const struct klog_event *event, const struct render_options *options);
/* The same as one JSON object on one line: an item of "events" of the whole. */
void render_event_json_line(struct strbuf *out, const struct klog_event *event);
