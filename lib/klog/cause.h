/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cause.h - which event led to which, by follows.def. Private to the incidents. */
#pragma once

#include "base/arena.h"
#include "klog/event.h"

/* The first cause of each event, both by their places in the log: an event that nothing led to is its own. */
size_t *klog_first_causes(struct arena *arena, const struct klog_log *log);
