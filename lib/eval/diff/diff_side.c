// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * diff_side.c - sides made of snapshots, of judgements, and of JSON reports.
 * The machine and GPUs of a report become a snapshot of those facts
 * alone, so that it is compared like any other; what has another form than the
 * schema says is as if not there.
 */
#include "base/compat.h"
#include "eval/diff/diff_side.h"

#include <errno.h>

#include "base/json_writer.h"
#include "eval/facts/twin_stats.h"
#include "snapshot/gpus.h"
#include "snapshot/under_test.h"

#define REPORT_SCHEMA_BEGIN "gpudiag.report/"
#define REPORT_SCHEMA_KNOWN REPORT_SCHEMA_BEGIN "1"

static const char *place_of(const struct subject *subject)
{
	if (subject->kind == SUBJECT_NODE)
		return "";
	return subject->address ? subject->address : subject->name;
}

static void add_figure(struct diff_side *side, const struct diff_figure *figure)
{
	side->figures = arena_grow(&side->arena, side->figures, side->nr_figures, sizeof(*side->figures));
	side->figures[side->nr_figures++] = *figure;
}

static void add_timing(struct diff_side *side, const char *place, const struct timing *timing, enum unit unit,
		       double median, double mad, size_t n)
{
	add_figure(side, &(struct diff_figure){
		.place = place, .key = str_or(timing->key, "?"), .unit = unit, .median = median, .mad = mad, .n = n,
		.clock = str_or(timing->clock, NULL), .method = str_or(timing->method, NULL),
		.size_bytes = u64_or(timing->size_bytes, 0), .disturbed = is_known(timing->disturbed),
		.node = is_known(timing->numa_node) ? u64_or(timing->numa_node, 0) + 1 : 0,
	});
}

static void list_device_figures(struct diff_side *side, const struct ocl_device *device)
{
	const struct gpu *gpu = ocl_device_gpu(side->snapshot, device);
	const char *place = gpu ? str_or(gpu->key, "?") : str_or(device->key, "?");

	for (size_t i = 0; i < device->nr_timings; i++) {
		struct stats stats;
		enum unit unit;

		if (timing_figure(&device->timings[i], &unit, &stats))
			add_timing(side, place, &device->timings[i], unit, stats.median, stats.mad, stats.n);
	}
}

void diff_side_of_snapshot(struct diff_side *ret, const struct snapshot *snapshot)
{
	*ret = (struct diff_side){ .snapshot = snapshot };
	for (size_t i = 0; i < snapshot->nr_ocl_devices; i++)
		list_device_figures(ret, &snapshot->ocl_devices[i]);
}

static void take_judgement(struct diff_side *side, const struct report *report)
{
	side->results = arena_alloc(&side->arena, report->nr_results * sizeof(*side->results));
	for (size_t i = 0; i < report->nr_results; i++) {
		const struct result *result = &report->results[i];

		side->results[side->nr_results++] = (struct diff_result){
			.place = place_of(&result->subject), .check = result->check->name, .reason = result->reason,
			.outcome = result->outcome, .required = result->required,
		};
	}
	side->findings = arena_alloc(&side->arena, report->nr_findings * sizeof(*side->findings));
	for (size_t i = 0; i < report->nr_findings; i++) {
		const struct finding *finding = report->findings[i];

		side->findings[side->nr_findings++] = (struct diff_finding){
			.place = place_of(&finding->subject), .id = finding->def->name, .key = finding->key,
			.check = finding->check->name, .title = finding->title, .outcome = finding->outcome,
		};
	}
}

void diff_side_of_report(struct diff_side *ret, const struct report *report)
{
	*ret = (struct diff_side){
		.snapshot = report->snapshot, .is_judged = true, .verdict = verdict_name(report->verdict),
	};
	/* The report has its statistics made already. */
	for (size_t i = 0; i < report->nr_timings; i++) {
		const struct report_timing *timing = &report->timings[i];

		add_timing(ret, place_of(&timing->subject), timing->timing, timing->unit, timing->median, timing->mad,
			   timing->n);
	}
	take_judgement(ret, report);
}

/* ---- a report: its members */

static const char *text_of(const cJSON *object, const char *key)
{
	const cJSON *value = json_member(object, key);

	return value && cJSON_IsString(value) ? value->valuestring : NULL;
}

static const cJSON *first_of(const cJSON *object, const char *key)
{
	const cJSON *list = json_member(object, key);

	return list && cJSON_IsArray(list) ? list->child : NULL;
}

static double number_of(const cJSON *object, const char *key)
{
	const cJSON *value = json_member(object, key);

	return value && cJSON_IsNumber(value) ? value->valuedouble : 0.0;
}

static uint64_t whole_of(const struct json_doc *doc, const cJSON *object, const char *key, uint64_t fallback)
{
	const cJSON *value = json_member(object, key);
	uint64_t ret;

	return value && !json_u64(doc, value, &ret) ? ret : fallback;
}

/* ---- facts, as a snapshot */

/* A member of the report as the field of that name, and why it is not known. */
static void put_value(struct json_writer *w, const struct json_doc *doc, const cJSON *object, const char *from,
		      const char *to)
{
	const char *text = text_of(object, from);
	uint64_t number;

	if (text)
		json_str(w, to, text);
	else if (json_member(object, from) && !json_u64(doc, json_member(object, from), &number))
		json_u64_member(w, to, number);
	else if (text_of(json_member(object, "unknown"), from))
		json_null_member(w, to);
}

struct renamed {
	const char *from, *to;
};

static void put_record(struct json_writer *w, const struct json_doc *doc, const char *name, const cJSON *object,
		       const struct renamed *values, size_t nr)
{
	const cJSON *unknown = json_member(object, "unknown");

	if (name)
		json_object_member(w, name);
	for (size_t i = 0; i < nr; i++)
		put_value(w, doc, object, values[i].from, values[i].to);
	json_object_member(w, "unknown");
	for (size_t i = 0; i < nr; i++)
		if (!text_of(object, values[i].from) && text_of(unknown, values[i].from))
			json_str(w, values[i].to, text_of(unknown, values[i].from));
	json_object_end(w);
	json_object_end(w);
}

static void put_gpu(struct json_writer *w, const struct json_doc *doc, const cJSON *gpu)
{
	static const struct renamed pci[] = {
		{ "vendor_id", "vendor_id" }, { "device_id", "device_id" }, { "driver", "driver" },
		{ "numa_node", "numa_node" }, { "model", "model" },
	};
	static const struct renamed nvidia[] = {
		{ "serial", "serial" }, { "uuid", "uuid" }, { "vbios", "vbios" }, { "module_id", "module_id" },
	};
	static const struct renamed amd[] = { { "serial", "serial" }, { "uuid", "unique_id" }, { "vbios", "vbios" } };
	const char *vendor = text_of(gpu, "vendor_id");
	bool is_amd = vendor && !strcmp(vendor, "0x1002");

	json_object_begin(w);
	json_str(w, "key", text_of(gpu, "pci"));
	if (text_of(gpu, "slot"))
		json_str(w, "slot", text_of(gpu, "slot"));
	put_record(w, doc, "pci", gpu, pci, ARRAY_SIZE(pci));
	if (is_amd)
		put_record(w, doc, "amdgpu", gpu, amd, ARRAY_SIZE(amd));
	else
		put_record(w, doc, "nvml", gpu, nvidia, ARRAY_SIZE(nvidia));
	json_object_end(w);
}

static void put_gpus(struct json_writer *w, const struct json_doc *doc)
{
	uint64_t nr = 0;

	json_array_member(w, "gpus");
	for (const cJSON *gpu = first_of(doc->root, "gpus"); gpu; gpu = gpu->next)
		if (text_of(gpu, "pci") && ++nr)
			put_gpu(w, doc, gpu);
	json_array_end(w);
	json_object_member(w, "bus");
	if (json_member(doc->root, "gpus") && cJSON_IsArray(json_member(doc->root, "gpus")))
		json_u64_member(w, "gpus", nr);
	json_object_end(w);
}

static int take_facts(struct diff_side *side, const struct json_doc *doc, struct json_error *error)
{
	static const struct renamed run[] = { { "tool", "tool" }, { "taken_at", "taken_at" } };
	static const struct renamed host[] = {
		{ "name", "name" }, { "product", "product" }, { "machine_serial", "machine_serial" },
		{ "boot_id", "boot_id" }, { "kernel", "kernel" }, { "os", "os" }, { "architecture", "architecture" },
		{ "virtualisation", "virtualisation" }, { "container", "container" },
	};
	STRBUF_AUTO text = STRBUF_INIT;
	struct json_writer w = { .out = &text };
	struct merge_unknown unknown;

	json_object_begin(&w);
	json_str(&w, "schema", SNAPSHOT_SCHEMA);
	put_record(&w, doc, "run", doc->root, run, ARRAY_SIZE(run));
	put_record(&w, doc, "host", json_member(doc->root, "host"), host, ARRAY_SIZE(host));
	put_gpus(&w, doc);
	json_object_end(&w);
	if (!snapshot_load(&side->own, text.buf, text.len, &unknown, error))
		return 0;
	error->line = 0;	/* of a text made here, not of the file */
	return -EINVAL;
}

/* ---- figures and judgement */

/* Texts are the document's; the side keeps its own. */
static const char *copied(struct diff_side *side, const char *text)
{
	return text ? arena_strdup(&side->arena, text) : NULL;
}

static const char *copied_place(struct diff_side *side, const cJSON *object)
{
	const char *address = text_of(object, "gpu"), *subject = text_of(object, "subject");

	if (!address && (!subject || !strcmp(subject, "node")))
		return "";
	return copied(side, address ? address : subject);
}

static enum outcome outcome_of(const cJSON *object, const char *key)
{
	const char *name = text_of(object, key);

	for (int i = 0; name && i < NR_OUTCOMES; i++)
		if (!strcmp(name, outcome_name((enum outcome)i)))
			return (enum outcome)i;
	return OUTCOME_UNKNOWN;
}

static bool unit_of(const cJSON *object, enum unit *ret)
{
	static const enum unit units[] = { UNIT_GBPS, UNIT_GFLOPS, UNIT_NS };	/* of timings: twin_stats.h */
	const char *symbol = text_of(object, "unit");

	for (size_t i = 0; symbol && i < ARRAY_SIZE(units); i++)
		if (!strcmp(symbol, unit_symbol(units[i]))) {
			*ret = units[i];
			return true;
		}
	return false;
}

static void take_figures(struct diff_side *side, const struct json_doc *doc)
{
	for (const cJSON *item = first_of(doc->root, "timings"); item; item = item->next) {
		uint64_t node = whole_of(doc, item, "numa_node", UINT64_MAX);
		struct diff_figure figure = {
			.place = copied_place(side, item), .key = copied(side, text_of(item, "key")),
			.median = number_of(item, "median"), .mad = number_of(item, "mad"),
			.n = (size_t)whole_of(doc, item, "n", 0), .clock = copied(side, text_of(item, "clock")),
			.method = copied(side, text_of(item, "method")),
			.size_bytes = whole_of(doc, item, "size_bytes", 0), .node = node + 1,
		};

		if (!figure.key || !unit_of(item, &figure.unit))
			continue;
		add_figure(side, &figure);
	}
}

static void take_roles(struct diff_side *side, const struct json_doc *doc)
{
	for (const cJSON *gpu = first_of(doc->root, "gpus"); gpu; gpu = gpu->next) {
		const char *role = text_of(gpu, "role"), *address = text_of(gpu, "pci");

		side->tells_roles |= role != NULL;
		if (role && address && !strcmp(role, gpu_role_name(GPU_ROLE_NOT_OURS)))
			strs_add(&side->arena, &side->not_ours, copied(side, address));
	}
}

static void take_results(struct diff_side *side, const struct json_doc *doc)
{
	for (const cJSON *item = first_of(doc->root, "checks"); item; item = item->next) {
		const cJSON *required = json_member(item, "required");
		struct diff_result result = {
			.place = copied_place(side, item), .check = copied(side, text_of(item, "check")),
			.reason = copied(side, text_of(item, "reason")), .outcome = outcome_of(item, "result"),
			.required = required && cJSON_IsTrue(required),
		};

		if (!result.check)
			continue;
		side->results = arena_grow(&side->arena, side->results, side->nr_results, sizeof(*side->results));
		side->results[side->nr_results++] = result;
	}
}

static void take_findings(struct diff_side *side, const struct json_doc *doc)
{
	for (const cJSON *item = first_of(doc->root, "findings"); item; item = item->next) {
		const char *key = text_of(item, "key"), *check = text_of(item, "check");
		const char *title = text_of(item, "title");
		struct diff_finding finding = {
			.place = copied_place(side, item), .id = copied(side, text_of(item, "id")),
			.key = copied(side, key ? key : ""), .check = copied(side, check ? check : ""),
			.title = copied(side, title ? title : ""), .outcome = outcome_of(item, "outcome"),
		};

		if (!finding.id)
			continue;
		side->findings = arena_grow(&side->arena, side->findings, side->nr_findings, sizeof(*side->findings));
		side->findings[side->nr_findings++] = finding;
	}
}

int diff_side_of_document(struct diff_side *ret, const struct json_doc *doc, struct json_error *error)
{
	const char *schema = text_of(doc->root, "schema");

	*ret = (struct diff_side){ .is_judged = true };
	if (!schema || strcmp(schema, REPORT_SCHEMA_KNOWN) != 0) {
		error->line = schema ? json_line(doc, json_member(doc->root, "schema")) : 0;
		snprintf(error->what, sizeof(error->what), "schema is %.40s, where " SNAPSHOT_SCHEMA " or "
			 REPORT_SCHEMA_KNOWN " is understood", schema ? schema : "not named");
		return -EINVAL;
	}
	ret->snapshot = &ret->own;
	ret->verdict = copied(ret, text_of(doc->root, "verdict"));
	take_roles(ret, doc);
	take_figures(ret, doc);
	take_results(ret, doc);
	take_findings(ret, doc);
	return take_facts(ret, doc, error);
}

/* ---- */

void diff_side_release(struct diff_side *side)
{
	arena_release(&side->arena);
	snapshot_release(&side->own);
}
