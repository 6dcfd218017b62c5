/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unlisted.h - errors of GPU drivers that the catalogue does not list: by their words alone, which tell that something
 * failed and not how bad that is. What healthy machines log in such words is in harmless.def.
 */
#pragma once

#include "klog/line.h"
#include "klog/source.h"

/* Is that a driver of GPUs that tells of an error? source: of the line, which no pattern of the catalogue fits. */
bool klog_tells_error(const struct klog_line *line, const struct klog_source *source);

/* The device that its words name, where its prefix names none; "": they do not. */
bool klog_error_device(struct span text, char ret[PCI_TEXT_BYTES]);

/* Does it say that there was none, or that it was done otherwise? "0 errors", "error=0", "falling back". */
bool klog_denies_error(struct span text);
