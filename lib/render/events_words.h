/* SPDX-License-Identifier: GPL-2.0-or-later */
/* events_words.h - how often and when, in words, and what a reader should know of a log. Private to events*.c. */
#pragma once

#include "base/arena.h"
#include "base/strbuf.h"
#include "snapshot/value.h"
#include "klog/event.h"

/* "48 213", "1234": as people read it. */
void events_add_count(struct strbuf *out, uint64_t nr);
/* "2026-11-20 03:12:05 to 15:02:07 UTC", "431.500000 to 955.000000 s after boot"; false: no stamps, nothing added. */
bool events_add_span(struct strbuf *out, struct klog_time first, struct klog_time last, bool seconds);
/* "120 times, 12/s": how often, and how fast where that is a storm; nothing of what was once. */
void events_add_rate(struct strbuf *out, const struct klog_event *event);
/* Span and rate. */
void events_add_when(struct strbuf *out, const struct klog_event *event);
/* "3 s before" the worst, "2 m later", "at once"; nothing where no clock tells. */
void events_add_distance(struct strbuf *out, const struct klog_event *event, const struct klog_event *worst);

/* What a reader should know of the log itself: what was lost, cut or left out. */
/* "2 lines name a GPU error but are in no known form: not judged", of a log that has such. */
const char *events_unjudged(struct arena *arena, const struct klog_log *log);

void events_messages(struct arena *arena, const struct klog_log *log, struct strs *ret);
