/* SPDX-License-Identifier: GPL-2.0-or-later */
/* events.h - what a kernel log tells, in words or data. A renderer decides nothing. */
#ifndef GPUDIAG_RENDER_EVENTS_H
#define GPUDIAG_RENDER_EVENTS_H

#include "klog/story.h"
#include "render/render.h"

#define EVENTS_SCHEMA "gpudiag.events/1"

/* A log as it was read, for a renderer. */
struct told_log {
	const struct klog_log *log;
	const struct klog_stories *stories;
	const char *source;		/* file name, "standard input", "/dev/kmsg" */
};

void render_events_text(struct strbuf *out, const struct told_log *told, const struct render_options *options);
void render_events_json(struct strbuf *out, const struct told_log *told, const struct render_options *options);
/* One event on one line, for those who watch. */
void render_event_line(struct strbuf *out, const struct klog_event *event, const struct render_options *options);

#endif
