// SPDX-License-Identifier: GPL-2.0-or-later
/* fleet_metric.c - what was measured, a column of figures each, and how much good GPUs differ in it. */
#include "base/compat.h"
#include "eval/fleet/fleet_internal.h"

#include "base/text.h"

struct fleet_metric *fleet_metric_of(struct fleet *fleet, text_id key, enum unit unit)
{
	struct fleet_metric *metric;

	/* Some thirty, and asked for in the order of the last report. */
	for (size_t i = 0; i < fleet->nr_metrics; i++)
		if (fleet->metrics[i].key == key && fleet->metrics[i].unit == unit)
			return &fleet->metrics[i];
	fleet->metrics =
		fleet_grow(fleet->metrics, fleet->nr_metrics, &fleet->room_metrics, sizeof(*fleet->metrics));
	metric = &fleet->metrics[fleet->nr_metrics++];
	*metric = (struct fleet_metric){
		.key = key, .unit = unit, .is_low_good = unit == UNIT_NS || unit == UNIT_CELSIUS,
	};
	return metric;
}

void fleet_metric_add(struct fleet_metric *metric, struct fleet_value value)
{
	metric->values = fleet_grow(metric->values, metric->nr, &metric->room, sizeof(*metric->values));
	metric->values[metric->nr++] = value;
}

/* By what the test is bound by: its name begins with it. */
static enum metric_family family_of(const struct fleet_metric *metric, const char *key)
{
	if (metric->unit == UNIT_CELSIUS)
		return FAMILY_TEMPERATURE;
	if (metric->unit == UNIT_NS)
		return FAMILY_LATENCY;
	if (text_begins(key, "h2d") || text_begins(key, "d2h") || text_begins(key, "p2p"))
		return FAMILY_TRANSFER;
	if (text_begins(key, "memory"))
		return FAMILY_MEMORY;
	return text_begins(key, "collective") ? FAMILY_COLLECTIVE : FAMILY_COMPUTE;
}

static double floor_of(enum metric_family family, const char *key, const struct policy *policy)
{
	switch (family) {
	case FAMILY_TEMPERATURE:
		return policy->fleet_temperature_c;
	case FAMILY_LATENCY:
		return policy->fleet_latency_ratio;
	case FAMILY_TRANSFER:
		return strstr(key, "pageable") ? policy->fleet_pageable_ratio : policy->fleet_transfer_ratio;
	case FAMILY_MEMORY:
		return policy->fleet_memory_ratio;
	case FAMILY_COLLECTIVE:
		return policy->fleet_collective_ratio;
	case FAMILY_COMPUTE:
		break;
	}
	return policy->fleet_compute_ratio;
}

void fleet_metrics_grade(struct fleet *fleet, const struct policy *policy)
{
	for (size_t i = 0; i < fleet->nr_metrics; i++) {
		struct fleet_metric *metric = &fleet->metrics[i];
		const char *key = texts_get(&fleet->texts, metric->key);

		metric->family = family_of(metric, key);
		metric->is_absolute = metric->family == FAMILY_TEMPERATURE;
		metric->floor = floor_of(metric->family, key, policy);
	}
}
