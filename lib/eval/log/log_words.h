/* SPDX-License-Identifier: GPL-2.0-or-later */
/* log_words.h - an event of a kernel log in words, and what to do about it. */
#pragma once

#include "base/strbuf.h"
#include "eval/judge/report.h"
#include "klog/event.h"

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
