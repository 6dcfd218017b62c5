/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kernel_log.h - the running kernel's log, from wherever it can be had: for the probe and for `gpudiag logs`. */
#ifndef GPUDIAG_PROBE_KERNEL_LOG_H
#define GPUDIAG_PROBE_KERNEL_LOG_H

#include "klog/reader.h"

/*
 * Feeds all of this boot's log that there is into a reader that has been given
 * nothing else. 0, or -errno: -EPERM where this user may not read it. *source
 * says what was read: "/dev/kmsg". Does not end the reader.
 */
int kernel_log_read(struct klog_reader *reader, const char **source) MUST_CHECK;

#endif
