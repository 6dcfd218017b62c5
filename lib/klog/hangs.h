/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hangs.h - after which events a driver is not to be called: hangs.def. */
#pragma once

#include "klog/event.h"

/* True too of an Xid 154 that asks for a reset or a reboot. */
bool klog_event_hangs(const struct klog_event *event);
