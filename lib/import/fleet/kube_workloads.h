/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kube_workloads.h - kubectl get daemonsets and deployments, "NAME DESIRED CURRENT READY UP-TO-DATE AVAILABLE", "NAME READY
 * UP-TO-DATE AVAILABLE AGE": those of the GPU stack of which pods are not ready.
 */
#pragma once

#include "import/dump/dump.h"

/* Is it the head of such a table? */
bool kube_workloads_begin(const char *text);

/* What all parts of one text tell of them. Of the first part, and nothing of others. */
void kube_workloads_read(struct reading *reading);
