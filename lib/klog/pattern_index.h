/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pattern_index.h - the patterns of the catalogue by what asks for them, so
 * that a line is not held against all of them. Made at the first question.
 */
#pragma once

#include "klog/catalogue.h"
#include "klog/pattern.h"

struct klog_pattern_list {
	size_t nr;
	const uint16_t *indexes;	/* in klog_patterns, rising */
	const char *firsts;		/* of each the letter it begins with, or 0: a place */
};

/* Events, details and marks of a family, in the order of the catalogue. */
struct klog_pattern_list klog_family_patterns(enum klog_family family);
/* What a later line may make of an event of that row. */
struct klog_pattern_list klog_reclassify_patterns(enum klog_row_id row);

/* The steps of klog_patterns[index], of an Xid's those behind its number and ", ". */
struct klog_prepared {
	bool has_code;
	uint64_t code;
	size_t nr;
	const struct klog_step *steps;
};
const struct klog_prepared *klog_prepared_pattern(const struct klog_pattern *pattern);

/* How far behind an event of that row a line may stand that makes another of it; 0: none does. */
unsigned klog_reclassify_lines(enum klog_row_id row);
/* How far behind its event a detail may stand, of that family or another of the same driver. */
unsigned klog_detail_follow(enum klog_family family);
