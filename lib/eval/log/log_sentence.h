/* SPDX-License-Identifier: GPL-2.0-or-later */
/* log_sentence.h - the parts of a sentence about an incident of the kernel log, and its lines as evidence. */
#pragma once

#include "eval/judge/judging.h"
#include "eval/log/kernel_log.h"

/* The UUID of a GPU, or the name of its node, as Kubernetes' device plugins tell of its Xid; "": they do not. */
const char *log_plugin_name(const struct klog_event *event);

/*
 * What the sentence is about where it is not the GPU itself, with a blank behind it: "Port 0000:00:01.0, above GPU 0,
 * ".
 */
const char *log_device_words(struct judgement *j, const struct log_incident *incident);

/*
 * {when}: " (Xid 79, twice, last 14:01 UTC, pid 31 python)". Of several GPUs told in one sentence only what they share:
 * " (Xid 79)".
 */
void log_say_when(struct judgement *j, const struct klog_event *event);

/* {process}, {pid}, {unit}, {address} and {status} of the row's words. */
void log_say_places(struct judgement *j, const struct klog_event *event);

/* The lines of an incident as evidence, its first cause first. */
void log_show_lines(struct judgement *j, const struct log_incident *incident);
