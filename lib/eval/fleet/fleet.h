/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fleet.h - the reports of many nodes: which of them judge, which GPUs are slower than their kind, what those have in
 * common, and which nodes did not answer. Pure.
 *
 *	fleet_add() for each report; then fleet_expect(), fleet_label(); then fleet_judge(); then const.
 *
 * Some 400 bytes are kept of a GPU. Texts are numbers in fleet->texts; what is not known is 0.
 */
#pragma once

#include "base/json.h"
#include "base/units.h"
#include "eval/findings/findings.h"
#include "eval/fleet/texts.h"
#include "eval/judge/report.h"
#include "eval/policy/policy.h"

/* What a report is to the judgement of its node. */
enum record_standing {
	RECORD_JUDGES,		/* the newest of its node */
	RECORD_OLDER,		/* history */
	RECORD_COPY,		/* the same report once more */
	/* the newest of its node, but of another day than the fleet's: the node did not answer */
	RECORD_STALE,
};

/* Something that is of a warning or worse in a report. */
struct fleet_finding {
	text_id id;
	int32_t gpu;			/* of the record, from 0; -1: of the node */
	bool is_failure;
};

struct fleet_record {
	text_id name, machine, boot, product, kernel, run;
	text_id source;			/* file it stood in */
	unsigned line;			/* there */
	int64_t taken_ms;		/* since 1970 */
	const char *headline;
	text_id action, schedulable;
	uint32_t first_gpu, nr_gpus;
	uint32_t first_finding, nr_findings;
	uint8_t exit_status;
	enum verdict verdict;
	enum record_standing standing;
	bool is_history;		/* of --history, or of another run: it judges nothing */
	bool has_outlier;		/* a GPU of it is out of line, odd, or worse than it was */
	bool is_partial;		/* the run was interrupted: what it had by then */
	uint32_t nr_older;		/* of the one that judges: reports of the same node before it */
};

struct fleet_gpu {
	uint32_t record;
	uint32_t index;			/* the 3 of "GPU 3" */
	text_id pci, slot, model, serial, uuid, vbios, driver_version, partition;
	uint32_t power_limit_mw, clock_application_mhz, clock_max_mhz;
	uint32_t link_width_able, link_speed_able_mtps;
	uint64_t vram_total_bytes;
	uint32_t group;			/* number + 1 in fleet->groups; 0: none */
};

/* One figure of one GPU. */
struct fleet_value {
	uint32_t gpu;
	float value;
	float spread;			/* of its own measurement: mad / sqrt(n) */
};

/* What a metric is bound by: two of one family say the same twice. */
enum metric_family { FAMILY_COMPUTE, FAMILY_MEMORY, FAMILY_TRANSFER, FAMILY_COLLECTIVE, FAMILY_LATENCY,
	FAMILY_TEMPERATURE };

/* What was measured alike on all: a key of timings[], or the temperature below the load. */
struct fleet_metric {
	text_id key;
	enum unit unit;
	bool is_low_good;		/* a time, a temperature */
	enum metric_family family;
	/* as far from the median a good GPU may be: a share, or degrees where is_absolute */
	double floor;
	bool is_absolute;
	struct fleet_value *values;
	size_t nr, room;
};

/* GPUs that may be compared: of one model, firmware, driver, partition, power limit and clock. */
struct fleet_group {
	text_id model, vbios, driver_version, partition;
	uint32_t power_limit_mw, clock_application_mhz, clock_max_mhz;
	uint32_t nr_gpus, nr_nodes;	/* of reports that judge */
};

/* One metric of one group. Where its GPUs are two populations, each is judged by itself. */
struct fleet_spread {
	uint32_t group, metric;
	uint32_t n;
	double median, mad, low, high;	/* of all; low and high: the 1st and 99th percentile */
	bool is_two;			/* populations: */
	uint32_t n_worse;		/* in the worse one */
	double median_better, median_worse;
	/* what is worse than the median by more is out of line; of two, of the better; 0: none */
	double limit;
};

/* A figure out of the line of its kind. */
struct fleet_outlier {
	uint32_t gpu, metric;
	double value, median;
	double worse;			/* than the median, as a share: 0.11 is 11 % slower, or hotter by degrees */
	double mads;			/* how many deviations of its kind */
	uint32_t cause;			/* number + 1 in fleet->causes; 0: none yet */
	/* the same, of a place that it is in, and far worse than; private to fleet_cause.c */
	uint32_t within;
	/* It counts only with others: of the worse of two populations; no farther off than good ones stray. */
	bool is_population, is_doubtful;
};

/* What several figures out of line have in common, or one card, as far as they tell. */
struct fleet_cause {
	const char *level;		/* "card", "node", "slot", "serial-batch", or a label's name: "rack" */
	const char *value;		/* its name there: "r7" */
	uint32_t metric;
	uint32_t bad, of;		/* GPUs out of line, of those there that were measured */
	double chance;			/* that so many of them fall there by chance; 1 for a card */
	double worse;			/* median of theirs */
	const char *also;		/* another level that has exactly the same GPUs; or NULL */
	const char *within;		/* a place that is worse, too, and by less: "rack r7"; or NULL */
	const char *before;		/* what older reports say of a card or a slot: "slow in gpu17 too"; or NULL */
	uint32_t first_member;		/* in fleet->members, `bad` of them */
};

/* One value of a setting or a version that GPUs of a model do not share. */
struct fleet_share {
	text_id value;
	uint32_t nr_gpus, nr_nodes;
	uint32_t example;		/* a record that has it */
};

/* A setting or a version that differs within a model: which values there are, the most common first. */
struct fleet_split {
	const char *what, *says;	/* "driver_version", "driver" */
	text_id model;			/* 0: of the nodes */
	struct fleet_share *shares;
	size_t nr;
	bool is_setting;		/* and no version, of which it may be a roll-out */
};

/* A setting of one GPU that nearly all of its model in that model of machine have otherwise. */
struct fleet_odd_setting {
	const char *what, *says;	/* "power_limit_mw", "power limit" */
	uint32_t gpu;
	text_id value, usual;		/* "500 W", and what the others have */
	uint32_t nr_usual, of;		/* so many of so many GPUs have the usual one */
};

/* A card that is worse than it was itself. */
struct fleet_drift {
	uint32_t gpu, metric;
	double value, median;		/* now, and of the reports before */
	double worse;			/* as of an outlier */
	bool is_step;			/* at once; otherwise little by little */
	uint32_t nr_reports;		/* in its history */
};

/* A metric in which most GPUs of a group are worse than they were: it is not the cards. */
struct fleet_shift {
	uint32_t group, metric;
	uint32_t nr, of;		/* so many, of those that have a history */
	double worse;			/* the median of theirs, as of an outlier */
};

/* A node that should have answered. */
struct fleet_missing {
	const char *name;
	const char *known;		/* what is known of it: "last report of 2026-11-20"; or NULL */
};

/* What could not be read. */
struct fleet_refusal {
	const char *source, *why;
	unsigned line;
};

/* A label of nodes: "rack", and each node's value. */
struct fleet_label {
	const char *name;
	text_id *of_record;		/* by record */
};

struct fleet {
	struct texts texts;
	struct arena arena;
	struct fleet_record *records;
	struct fleet_gpu *gpus;
	struct fleet_finding *findings;
	struct fleet_metric *metrics;
	size_t nr_records, nr_gpus, nr_findings, nr_metrics;
	size_t room_records, room_gpus, room_findings, room_metrics;
	struct fleet_refusal *refusals;	/* MAX_REFUSALS at most; nr_refused counts all */
	size_t nr_refusals, nr_refused;
	bool is_history;		/* what is added from here on is history */
	struct fleet_label *labels;
	size_t nr_labels;
	uint32_t *first_of_name, *next_of_name;	/* records + 1, private to fleet_label.c */
	size_t nr_names;
	const char **expected;
	size_t nr_expected;
	uint32_t expected_count;	/* where only a number was given; 0: not */

	/* Made by fleet_judge(): */
	struct fleet_group *groups;
	struct fleet_spread *spreads;	/* by group */
	struct fleet_outlier *outliers;	/* by GPU */
	struct fleet_cause *causes;	/* those of most GPUs first; all of one place together */
	struct fleet_drift *drifts;
	struct fleet_shift *shifts;
	struct fleet_split *splits;
	struct fleet_odd_setting *odd_settings;	/* by what and value, then by GPU */
	struct fleet_missing *missing;
	size_t nr_groups, nr_spreads, nr_outliers, nr_causes, nr_drifts, nr_shifts, nr_splits, nr_odd_settings,
		nr_missing;
	uint32_t *members;		/* outliers by cause */
	uint32_t nr_missing_unnamed;	/* of expected_count, those beyond the ones with a name */
	uint32_t *nodes;		/* records that judge, by name */
	size_t nr_nodes;
	uint32_t nr_good, nr_warned, nr_no_go, nr_unknown, nr_outlier_nodes, nr_judged_gpus;
	size_t nr_comparisons;
	double expected_by_chance;	/* healthy figures that the rules would take for outliers */
	const char *headline;
	const char **notes;		/* about the reports themselves: equal names, clocks */
	size_t nr_notes;
	enum verdict verdict;
	int exit_status;
};

enum { MAX_REFUSALS = 20 };

/* How a fleet is judged. */
struct fleet_rules {
	const struct policy *policy;
	int64_t max_age_ms;		/* before the newest report; 0: any age */
	uint32_t allow_missing;		/* so many may be missing */
	const char *run_id;		/* reports of this run judge, all others are history; NULL: of any */
};

void fleet_release(struct fleet *fleet);

/*
 * Adds one report, a document of gpudiag.report/1 that ends in a NUL behind len bytes. 0; or -EINVAL, counted among the
 * refused with its source, line and why, and nothing of it is kept.
 */
int fleet_add(struct fleet *fleet, const char *source, unsigned line, const char *text, size_t len);
/* What could not be read as a report. */
void fleet_refuse(struct fleet *fleet, const char *source, unsigned line, const char *why);

/* Nodes that should answer; names may repeat. */
void fleet_expect(struct fleet *fleet, const char *name);
/* A label of nodes: "rack" of node `name` is `value`. After all reports. False where no report is of that node. */
bool fleet_label(struct fleet *fleet, const char *label, const char *name, const char *value);

void fleet_judge(struct fleet *fleet, const struct fleet_rules *rules);

/* What a GPU is called beside its node: "GPU 3". */
static inline const struct fleet_record *record_of(const struct fleet *fleet, const struct fleet_gpu *gpu)
{
	return &fleet->records[gpu->record];
}

/* Where a GPU sits: its slot's label, or its address, which slots of one model of machine share. */
static inline text_id slot_of_gpu(const struct fleet_gpu *gpu)
{
	return gpu->slot ? gpu->slot : gpu->pci;
}

/* How a node stands, the worst of what is known of it. */
enum node_state { NODE_GOOD, NODE_WARNED, NODE_OUTLIER, NODE_NOT_JUDGED, NODE_NO_GO };
enum node_state fleet_node_state(const struct fleet_record *record);
const char *node_state_name(enum node_state state);

/* Are both of one place, with different metrics? */
bool fleet_same_place(const struct fleet_cause *a, const struct fleet_cause *b);
/* "rack r7", "slot PCIe-7", "batch 1652608…". */
const char *fleet_place_phrase(struct arena *arena, const struct fleet_cause *cause);

/* A node's name, or what stands for one. */
const char *fleet_node_name(const struct fleet *fleet, const struct fleet_record *record);
