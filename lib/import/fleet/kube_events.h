/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kube_events.h - events of nodes and pods as kubectl describe and kubectl get events list them: a node that was not
 * ready, ran out of memory or disk, pods that were evicted, and pods of the GPU stack that end again and again.
 */
#pragma once

#include "import/dump/dump.h"

bool kube_event_begins(const char *text);

/*
 * What all parts of one text tell, unless a later event ends it. Of the first part, and nothing of others. has_pods:
 * the state of the GPU stack's pods is told, in a table or a description: that is better than what once happened to
 * them.
 */
void kube_events_read(struct reading *reading, bool has_pods);
