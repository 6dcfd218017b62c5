/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fleet_internal.h - what the files of lib/eval/fleet share. */
#pragma once

#include "eval/fleet/fleet.h"

/* fleet.c: room for one more: by a room that the array's owner keeps, or by its number alone. */
void *fleet_grow(void *array, size_t nr, size_t *room, size_t element_bytes);
void *fleet_append(void *array, size_t nr, size_t element_bytes);
void fleet_note(struct fleet *fleet, const char *note);

/* fleet_metric.c: the metric of a key, which is made where it is new. */
struct fleet_metric *fleet_metric_of(struct fleet *fleet, text_id key, enum unit unit);
void fleet_metric_add(struct fleet_metric *metric, struct fleet_value value);
/* How far from the median good GPUs may be, by the policy. */
void fleet_metrics_grade(struct fleet *fleet, const struct policy *policy);
#define TEMPERATURE_METRIC "temperature-under-load"

/* How much worse a value is than another, in the metric's own unit. */
static inline double fleet_worse_by(const struct fleet_metric *metric, double value, double reference)
{
	return metric->is_low_good ? value - reference : reference - value;
}

#define MAD_TO_DEVIATION 1.4826		/* of a normal distribution */
/* Nothing is measured more exactly: a share of the median, and degrees. */
#define LEAST_DEVIATION 0.005
#define LEAST_DEGREES 1.0

/* fleet_nodes.c: which report judges each node; who is missing. */
void fleet_fold(struct fleet *fleet, const struct fleet_rules *rules);
void fleet_find_missing(struct fleet *fleet);

/* fleet_group.c, fleet_outlier.c, fleet_cause.c, fleet_split.c, fleet_verdict.c: in this order. */
void fleet_make_groups(struct fleet *fleet);
void fleet_find_outliers(struct fleet *fleet, const struct policy *policy);
/* How many of a group's figures make a population of their own. */
size_t fleet_population_least(size_t nr);
void fleet_find_causes(struct fleet *fleet, const struct policy *policy);
/* fleet_history.c: what older reports say of single cards. */
void fleet_look_back(struct fleet *fleet);
/* fleet_place.c: by place, the places of most GPUs first. */
void fleet_order_causes(struct fleet *fleet);
/* fleet_drift.c: against their own older reports. */
void fleet_find_drifts(struct fleet *fleet);
void fleet_find_splits(struct fleet *fleet, const struct policy *policy);
void fleet_decide(struct fleet *fleet, const struct fleet_rules *rules);
