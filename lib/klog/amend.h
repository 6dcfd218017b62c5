/* SPDX-License-Identifier: GPL-2.0-or-later */
/* amend.h - what is known of an event only once the whole log is. Private to the scan. */
#pragma once

#include "klog/devices.h"
#include "klog/fold.h"

/* Names the GPU of events without one where the log knows one GPU of that driver only, and amends rows (amends.def). */
void klog_amend(struct klog_folds *folds, const struct klog_devices *devices);
