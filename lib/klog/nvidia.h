/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nvidia.h - the meaning of NVIDIA's numbers: SXids by code, NVLink errors by their bits. */
#pragma once

#include "klog/catalogue.h"
#include "klog/span.h"

enum klog_sxid_class { KLOG_SXID_NONFATAL, KLOG_SXID_LINK, KLOG_SXID_PORT, KLOG_SXID_FABRIC, KLOG_SXID_THERMAL };

struct klog_sxid {
	unsigned code;
	enum klog_sxid_class class;
	const char *what;
};
extern const struct klog_sxid klog_sxids[];	/* in rising order */
extern const size_t nr_klog_sxids;

/* NULL where NVIDIA's guide has none of that number. */
const struct klog_sxid *klog_sxid_by_code(uint64_t code);
/* The row of a class, by the code alone. */
enum klog_row_id klog_sxid_class_row(enum klog_sxid_class class);

/*
 * The row of a line that by its words (or their lack) has row `told`: its code
 * and what is left of the line may tell more. told, where they do not.
 */
enum klog_row_id klog_sxid_row(enum klog_row_id told, uint64_t code);
enum klog_row_id klog_nvlink_row(enum klog_row_id told, uint64_t xid, struct span body);
