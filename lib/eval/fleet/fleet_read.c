// SPDX-License-Identifier: GPL-2.0-or-later
/* fleet_read.c - one report of a node, from its JSON: what a fleet is judged by, and nothing else. */
#include "base/compat.h"
#include "eval/fleet/fleet_internal.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/json_pull.h"
#include "base/text.h"

enum { MAX_HEADLINE_BYTES = 300 };

/* One timing, until its GPU is known. */
struct read_timing {
	text_id gpu, key;
	enum unit unit;
	double median, mad;
	uint64_t n;
	double temperature_c;
	bool has_median, has_temperature, is_noisy;
};

struct read_finding {
	text_id id, gpu;
	bool is_failure, counts;
};

/* A report as far as it was read: it joins the fleet when it proved whole. */
struct reading {
	struct fleet *fleet;
	struct json_pull pull;
	struct fleet_record record;
	struct fleet_gpu *gpus;
	struct read_timing *timings;
	struct read_finding *findings;
	size_t nr_gpus, nr_timings, nr_findings;
	size_t room_gpus, room_timings, room_findings;
	text_id first_import;		/* the first file of the dumps that the report is of; 0: it is of a node */
	bool is_report;
};

/* How a member of an object is taken: into its place in the struct that the object fills, or by a function. */
struct member {
	const char *key;
	enum { IS_TEXT, IS_U32, IS_U64, IS_F64, IS_BOOL, IS_TAKEN } kind;
	size_t at;
	void (*take)(struct reading *reading, void *into);
};
#define MEMBER(key_, kind_, of, member_) { .key = (key_), .kind = (kind_), .at = offsetof(of, member_) }
#define TAKEN(key_, take_) { .key = (key_), .kind = IS_TAKEN, .take = (take_) }

static text_id take_text(struct reading *reading)
{
	struct json_span span;

	return json_pull_str(&reading->pull, &span) ? texts_add(&reading->fleet->texts, span.text, span.len) : 0;
}

static void take_member(struct reading *reading, const struct member *member, void *into)
{
	void *place = (char *)into + member->at;
	uint64_t number;

	switch (member->kind) {
	case IS_TEXT:
		*(text_id *)place = take_text(reading);
		break;
	case IS_U32:
		if (json_pull_u64(&reading->pull, &number))
			*(uint32_t *)place = number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
		break;
	case IS_U64:
		(void)json_pull_u64(&reading->pull, place);
		break;
	case IS_F64:
		(void)json_pull_f64(&reading->pull, place);
		break;
	case IS_BOOL:
		(void)json_pull_bool(&reading->pull, place);
		break;
	case IS_TAKEN:
		member->take(reading, into);
	}
}

/* The members of the next object that a table names; the others are skipped. */
static void take_object(struct reading *reading, const struct member *members, size_t nr, void *into)
{
	struct json_span key;
	uint64_t seen = 0;

	if (!json_pull_object(&reading->pull))
		return;
	while (json_pull_member(&reading->pull, &key)) {
		size_t i = 0;

		while (i < nr && !span_is(key, members[i].key))
			i++;
		if (i == nr) {
			json_pull_skip(&reading->pull);
			continue;
		}
		if (seen >> i & 1)
			json_pull_refuse(&reading->pull, "key \"%s\" twice", members[i].key);
		seen |= UINT64_C(1) << i;
		take_member(reading, &members[i], into);
	}
}

static void take_host(struct reading *reading, void *into)
{
	static const struct member members[] = {
		MEMBER("name", IS_TEXT, struct fleet_record, name),
		MEMBER("machine_id", IS_TEXT, struct fleet_record, machine),
		MEMBER("boot_id", IS_TEXT, struct fleet_record, boot),
		MEMBER("product", IS_TEXT, struct fleet_record, product),
		MEMBER("kernel", IS_TEXT, struct fleet_record, kernel),
	};

	take_object(reading, members, ARRAY_SIZE(members), into);
}

static void take_request(struct reading *reading, void *into)
{
	static const struct member members[] = {
		MEMBER("run_id", IS_TEXT, struct fleet_record, run),
	};

	take_object(reading, members, ARRAY_SIZE(members), into);
}

static void take_decision(struct reading *reading, void *into)
{
	static const struct member members[] = {
		MEMBER("action", IS_TEXT, struct fleet_record, action),
		MEMBER("schedulable", IS_TEXT, struct fleet_record, schedulable),
	};

	take_object(reading, members, ARRAY_SIZE(members), into);
}

/* A GPU, and whether it is one that the node's report judges: not a display, not one that a job was not given. */
struct read_gpu {
	struct fleet_gpu gpu;
	bool is_under_test;
};

static void take_gpus(struct reading *reading, void *into)
{
	static const struct member members[] = {
		MEMBER("index", IS_U32, struct read_gpu, gpu.index),
		MEMBER("pci", IS_TEXT, struct read_gpu, gpu.pci),
		MEMBER("slot", IS_TEXT, struct read_gpu, gpu.slot),
		MEMBER("model", IS_TEXT, struct read_gpu, gpu.model),
		MEMBER("serial", IS_TEXT, struct read_gpu, gpu.serial),
		MEMBER("uuid", IS_TEXT, struct read_gpu, gpu.uuid),
		MEMBER("vbios", IS_TEXT, struct read_gpu, gpu.vbios),
		MEMBER("driver_version", IS_TEXT, struct read_gpu, gpu.driver_version),
		MEMBER("partition", IS_TEXT, struct read_gpu, gpu.partition),
		MEMBER("power_limit_mw", IS_U32, struct read_gpu, gpu.power_limit_mw),
		MEMBER("clock_application_mhz", IS_U32, struct read_gpu, gpu.clock_application_mhz),
		MEMBER("clock_max_mhz", IS_U32, struct read_gpu, gpu.clock_max_mhz),
		MEMBER("link_width_able", IS_U32, struct read_gpu, gpu.link_width_able),
		MEMBER("link_speed_able_mtps", IS_U32, struct read_gpu, gpu.link_speed_able_mtps),
		MEMBER("vram_total_bytes", IS_U64, struct read_gpu, gpu.vram_total_bytes),
		MEMBER("under_test", IS_BOOL, struct read_gpu, is_under_test),
	};

	(void)into;
	if (!json_pull_array(&reading->pull))
		return;
	while (json_pull_item(&reading->pull)) {
		struct read_gpu read = { .is_under_test = true };

		take_object(reading, members, ARRAY_SIZE(members), &read);
		if (!read.is_under_test)
			continue;
		reading->gpus = fleet_grow(reading->gpus, reading->nr_gpus, &reading->room_gpus, sizeof(read.gpu));
		reading->gpus[reading->nr_gpus++] = read.gpu;
	}
}

static void take_unit(struct reading *reading, void *into)
{
	static const enum unit known[] = { UNIT_GBPS, UNIT_GFLOPS, UNIT_NS };
	struct read_timing *timing = into;
	struct json_span symbol;

	if (!json_pull_str(&reading->pull, &symbol))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (span_is(symbol, unit_symbol(known[i])))
			timing->unit = known[i];
}

static void take_median(struct reading *reading, void *into)
{
	struct read_timing *timing = into;

	timing->has_median = json_pull_f64(&reading->pull, &timing->median);
}

static void take_temperature(struct reading *reading, void *into)
{
	struct read_timing *timing = into;

	timing->has_temperature = json_pull_f64(&reading->pull, &timing->temperature_c);
}

static void take_conditions(struct reading *reading, void *into)
{
	static const struct member members[] = { TAKEN("temperature_max_c", take_temperature) };

	take_object(reading, members, ARRAY_SIZE(members), into);
}

static void take_timings(struct reading *reading, void *into)
{
	static const struct member members[] = {
		MEMBER("key", IS_TEXT, struct read_timing, key),
		MEMBER("gpu", IS_TEXT, struct read_timing, gpu),
		MEMBER("noisy", IS_BOOL, struct read_timing, is_noisy),
		TAKEN("conditions", take_conditions),
		TAKEN("median", take_median),
		TAKEN("unit", take_unit),
		MEMBER("mad", IS_F64, struct read_timing, mad),
		MEMBER("n", IS_U64, struct read_timing, n),
	};

	(void)into;
	if (!json_pull_array(&reading->pull))
		return;
	while (json_pull_item(&reading->pull)) {
		struct read_timing timing = { .unit = UNIT_NONE };

		take_object(reading, members, ARRAY_SIZE(members), &timing);
		reading->timings =
			fleet_grow(reading->timings, reading->nr_timings, &reading->room_timings, sizeof(timing));
		reading->timings[reading->nr_timings++] = timing;
	}
}

static void take_outcome(struct reading *reading, void *into)
{
	struct read_finding *finding = into;
	struct json_span outcome;

	if (!json_pull_str(&reading->pull, &outcome))
		return;
	finding->is_failure = span_is(outcome, "fail");
	finding->counts = finding->is_failure || span_is(outcome, "warn");
}

static void take_findings(struct reading *reading, void *into)
{
	static const struct member members[] = {
		MEMBER("id", IS_TEXT, struct read_finding, id),
		MEMBER("gpu", IS_TEXT, struct read_finding, gpu),
		TAKEN("outcome", take_outcome),
	};

	(void)into;
	if (!json_pull_array(&reading->pull))
		return;
	while (json_pull_item(&reading->pull)) {
		struct read_finding finding = { .id = 0 };

		take_object(reading, members, ARRAY_SIZE(members), &finding);
		if (!finding.counts)
			continue;
		reading->findings =
			fleet_grow(reading->findings, reading->nr_findings, &reading->room_findings, sizeof(finding));
		reading->findings[reading->nr_findings++] = finding;
	}
}

static void take_schema(struct reading *reading, void *into)
{
	struct json_span schema;

	(void)into;
	if (!json_pull_str(&reading->pull, &schema))
		return;
	reading->is_report = span_is(schema, "gpudiag.report/1");
	if (!reading->is_report)
		json_pull_refuse(&reading->pull, "not a report of gpudiag run, but \"%.*s\"",
				 (int)(schema.len < 40 ? schema.len : 40), schema.text);
}

/* Milliseconds count where a node reports twice in a second. */
static void take_taken_at(struct reading *reading, void *into)
{
	struct fleet_record *record = into;
	struct json_span span;
	const char *point;
	char text[40];
	int64_t seconds;

	if (!json_pull_str(&reading->pull, &span))
		return;
	snprintf(text, sizeof(text), "%.*s", (int)(span.len < sizeof(text) ? span.len : sizeof(text) - 1), span.text);
	if (parse_rfc3339(text, &seconds)) {
		json_pull_refuse(&reading->pull, "taken_at: \"%s\" is no time", text);
		return;
	}
	point = strchr(text, '.');
	record->taken_ms = seconds * 1000 + (point ? (int64_t)(strtod(point, NULL) * 1000 + 0.5) : 0);
}

static void take_verdict(struct reading *reading, void *into)
{
	struct fleet_record *record = into;
	struct json_span span;

	record->verdict = VERDICT_UNKNOWN;
	if (!json_pull_str(&reading->pull, &span))
		return;
	for (enum verdict verdict = VERDICT_PASS; verdict <= VERDICT_UNKNOWN; verdict++)
		if (span_is(span, verdict_name(verdict)))
			record->verdict = verdict;
}

static void take_headline(struct reading *reading, void *into)
{
	struct fleet_record *record = into;
	struct json_span span;

	if (json_pull_str(&reading->pull, &span))
		record->headline = arena_strndup(&reading->fleet->arena, span.text,
						 span.len <= MAX_HEADLINE_BYTES ?
						 span.len : utf8_floor(span.text, MAX_HEADLINE_BYTES));
}

static void take_exit_status(struct reading *reading, void *into)
{
	struct fleet_record *record = into;
	uint64_t status;

	if (!json_pull_u64(&reading->pull, &status))
		return;
	record->exit_status = status < UINT8_MAX ? (uint8_t)status : UINT8_MAX;
	record->is_partial = status >= 128;	/* of a signal */
}

struct read_source {
	text_id file;
};

static void take_sources(struct reading *reading, void *into)
{
	static const struct member members[] = { MEMBER("file", IS_TEXT, struct read_source, file) };

	(void)into;
	if (!json_pull_array(&reading->pull))
		return;
	while (json_pull_item(&reading->pull)) {
		struct read_source source = { .file = 0 };

		take_object(reading, members, ARRAY_SIZE(members), &source);
		reading->first_import = reading->first_import ? reading->first_import : source.file;
	}
}

/* A dump that does not name its node stands in a file that somebody named: "tickets/node7.txt" is of node7. */
static void name_by_file(struct reading *reading)
{
	struct fleet *fleet = reading->fleet;
	const char *file = texts_get(&fleet->texts, reading->first_import), *slash = strrchr(file, '/'), *dot;

	file = slash ? slash + 1 : file;
	dot = strrchr(file, '.');
	reading->record.name = texts_add(&fleet->texts, file, dot && dot > file ? (size_t)(dot - file) : strlen(file));
}

static void take_report(struct reading *reading)
{
	static const struct member members[] = {
		TAKEN("schema", take_schema),
		TAKEN("taken_at", take_taken_at),
		TAKEN("host", take_host),
		TAKEN("request", take_request),
		TAKEN("sources", take_sources),
		TAKEN("verdict", take_verdict),
		TAKEN("headline", take_headline),
		TAKEN("decision", take_decision),
		TAKEN("gpus", take_gpus),
		TAKEN("timings", take_timings),
		TAKEN("findings", take_findings),
		TAKEN("exit_status", take_exit_status),
	};

	take_object(reading, members, ARRAY_SIZE(members), &reading->record);
	if (!reading->record.name && !reading->record.machine && reading->first_import)
		name_by_file(reading);
	if (!reading->is_report)
		json_pull_refuse(&reading->pull, "not a report of gpudiag run");
	else if (!reading->record.name && !reading->record.machine)
		json_pull_refuse(&reading->pull, "a report of no machine: host has neither a name nor a machine_id");
}

/* Which of the record's GPUs an address is; -1: none. Timings of one GPU stand together. */
static int32_t find_gpu(const struct reading *reading, text_id pci, int32_t last)
{
	if (last >= 0 && pci && reading->gpus[last].pci == pci)
		return last;
	for (size_t i = 0; pci && i < reading->nr_gpus; i++)
		if (reading->gpus[i].pci == pci)
			return (int32_t)i;
	return -1;
}

/* As it is kept: no measurement is 0, or beyond what a float holds. */
static bool is_figure(double value)
{
	return value >= (double)FLT_MIN && value <= (double)FLT_MAX;
}

static void join_timings(struct reading *reading, uint32_t first_gpu)
{
	struct fleet *fleet = reading->fleet;
	int32_t last = -1;

	for (size_t i = 0; i < reading->nr_timings; i++) {
		const struct read_timing *timing = &reading->timings[i];
		struct fleet_value value = { .spread = 0.0F };

		last = find_gpu(reading, timing->gpu, last);
		/* What is noisy accuses nothing: the node's own report says that it is. */
		if (last < 0 || !timing->key || timing->unit == UNIT_NONE || !timing->has_median || timing->is_noisy ||
		    !is_figure(timing->median))
			continue;
		value.value = (float)timing->median;
		value.gpu = first_gpu + (uint32_t)last;
		if (timing->n && is_figure(timing->mad))
			value.spread = (float)(timing->mad / sqrt((double)timing->n));
		fleet_metric_add(fleet_metric_of(fleet, timing->key, timing->unit), value);
	}
}

/* The highest that any test made of a GPU. */
static void join_temperatures(struct reading *reading, uint32_t first_gpu)
{
	struct fleet *fleet = reading->fleet;
	text_id key = texts_add(&fleet->texts, TEMPERATURE_METRIC, strlen(TEMPERATURE_METRIC));

	for (size_t g = 0; g < reading->nr_gpus; g++) {
		struct fleet_value value = { .gpu = first_gpu + (uint32_t)g };
		bool any = false;

		for (size_t i = 0; i < reading->nr_timings; i++) {
			const struct read_timing *timing = &reading->timings[i];

			if (!timing->has_temperature || !is_figure(timing->temperature_c) || !timing->gpu ||
			    timing->gpu != reading->gpus[g].pci)
				continue;
			if (!any || (float)timing->temperature_c > value.value)
				value.value = (float)timing->temperature_c;
			any = true;
		}
		if (any)
			fleet_metric_add(fleet_metric_of(fleet, key, UNIT_CELSIUS), value);
	}
}

static void join(struct reading *reading)
{
	struct fleet *fleet = reading->fleet;
	struct fleet_record *record = &reading->record;

	record->first_gpu = (uint32_t)fleet->nr_gpus;
	record->nr_gpus = (uint32_t)reading->nr_gpus;
	record->first_finding = (uint32_t)fleet->nr_findings;
	record->nr_findings = (uint32_t)reading->nr_findings;
	for (size_t i = 0; i < reading->nr_findings; i++) {
		const struct read_finding *finding = &reading->findings[i];

		fleet->findings = fleet_grow(fleet->findings, fleet->nr_findings, &fleet->room_findings,
					     sizeof(*fleet->findings));
		fleet->findings[fleet->nr_findings++] = (struct fleet_finding){
			finding->id, find_gpu(reading, finding->gpu, -1), finding->is_failure,
		};
	}
	join_timings(reading, record->first_gpu);
	join_temperatures(reading, record->first_gpu);
	for (size_t i = 0; i < reading->nr_gpus; i++) {
		reading->gpus[i].record = (uint32_t)fleet->nr_records;
		fleet->gpus = fleet_grow(fleet->gpus, fleet->nr_gpus, &fleet->room_gpus, sizeof(*fleet->gpus));
		fleet->gpus[fleet->nr_gpus++] = reading->gpus[i];
	}
	fleet->records = fleet_grow(fleet->records, fleet->nr_records, &fleet->room_records, sizeof(*fleet->records));
	fleet->records[fleet->nr_records++] = *record;
}

int fleet_add(struct fleet *fleet, const char *source, unsigned line, const char *text, size_t len)
{
	struct reading reading = { .fleet = fleet };
	struct json_error error = { .line = 0 };
	int result;

	reading.record.source = texts_add(&fleet->texts, source, strlen(source));
	reading.record.line = line;
	reading.record.is_history = fleet->is_history;
	json_pull_begin(&reading.pull, text, len, &error);
	take_report(&reading);
	result = json_pull_end(&reading.pull);
	if (!result)
		join(&reading);
	else
		fleet_refuse(fleet, source, line ? line : error.line, error.what);
	free(reading.gpus);
	free(reading.timings);
	free(reading.findings);
	return result;
}
