/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * redact_log.h - the kernel's log in a snapshot that can be given away.
 *
 * Lines that an event, what goes on with one or a mark of the time line was
 * made of are rewritten by their forms (klog/redact.h). Of a line that names an
 * error of a GPU in no known form only that fact stays, and it is not judged
 * then either. All others are left out; where the place of one counts, between
 * the lines of one event or where a clock goes back, its time stays alone.
 */
#pragma once

#include "snapshot/redact.h"

/* For struct redact_options. */
void redact_log(struct snapshot *snapshot, const struct redact_options *options);
