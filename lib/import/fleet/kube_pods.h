/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kube_pods.h - kubectl get pods, "NAME READY STATUS RESTARTS AGE", also with namespaces before it and nodes behind it:
 * pods of the GPU stack that do not run, and others that were OOM-killed or evicted.
 */
#pragma once

#include "import/dump/dump.h"

/* Is it the head of such a table, a row whose columns are all there, or the reason for which a container ended? */
bool kube_pods_begin(const char *text);

/*
 * What all parts of one text tell of pods: the last table counts. Of the first part, and nothing of others. true: pods
 * of the GPU stack are among them.
 */
bool kube_pods_read(struct reading *reading);

/* Is it a status, or a reason to wait, of a pod whose container cannot start or ends again and again? */
bool kube_pods_is_broken(const char *status, size_t len);

/* Which of the GPU stack's pods a text names first, without what tells one from another; NULL: none. */
const char *kube_pods_stack_name(const char *text);
