/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kube_described.h - kubectl describe pod of the GPU stack's: "State: Waiting", and below it "Reason:
 * CrashLoopBackOff", where "Name:" stands above.
 */
#pragma once

#include "import/dump/dump.h"

bool kube_described_begins(const char *text);

/*
 * What all parts of one text tell of such pods: of a name its last description counts. Of the first part, and nothing
 * of others. true: it tells the state of one.
 */
bool kube_described_read(struct reading *reading);
