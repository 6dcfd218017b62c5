/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff_side.h - one side of a comparison: facts, figures, and what was judged,
 * whether it came from a snapshot, from a judgement of it, or from a JSON
 * report, which holds only some of the facts.
 */
#pragma once

#include "base/json.h"
#include "eval/diff/diff.h"
#include "eval/judge/report.h"

/* What a figure, result or finding is about: a PCI address, an OpenCL key, the name of a probe; "" for the node. */
struct diff_figure {
	const char *place;
	const char *key;		/* "h2d-pinned/65536" */
	enum unit unit;
	double median, mad;
	size_t n;
	const char *clock, *method;	/* or NULL */
	uint64_t size_bytes;		/* 0: has none */
	uint64_t node;			/* NUMA node and 1; 0: none told */
	bool disturbed;			/* something was in the way of its samples */
};

struct diff_result {
	const char *place, *check, *reason;
	enum outcome outcome;
	bool required;
};

struct diff_finding {
	const char *place, *id, *check, *title;
	const char *key;		/* of report.h: the same tomorrow */
	enum outcome outcome;
};

struct diff_side {
	struct arena arena;
	const struct snapshot *snapshot;
	struct snapshot own;		/* what a report file tells of it; released with the side */
	bool tells_roles;		/* of a report file: whose its GPUs are. A snapshot's device nodes tell */
	struct strs not_ours;		/* addresses of GPUs that the container or job was not given */
	size_t nr_figures, nr_results, nr_findings;
	struct diff_figure *figures;
	bool is_judged;
	struct diff_result *results;
	struct diff_finding *findings;
	const char *verdict;		/* "pass"; NULL where not judged */
};

/* What each reads must outlive the side. */
void diff_side_of_snapshot(struct diff_side *ret, const struct snapshot *snapshot);
void diff_side_of_report(struct diff_side *ret, const struct report *report);
/*
 * A JSON report as `gpudiag run --format json` prints it, of whatever version that keeps to the schema. 0, or -EINVAL
 * with *error filled. *ret ends with diff_side_release() in either case.
 */
int diff_side_of_document(struct diff_side *ret, const struct json_doc *doc, struct json_error *error) MUST_CHECK;
void diff_side_release(struct diff_side *side);

/* As diff_facts(), with all that both sides tell; they must outlive what it makes. */
void diff_sides(struct diff *ret, const struct diff_side *before, const struct diff_side *after);
