// SPDX-License-Identifier: GPL-2.0-or-later
/* test_render_data.c - the report as data, the table of formats, the schema of a snapshot. */
#include "base/compat.h"
#include "base/text.h"
#include "tests/unit/render_node.h"

static void parse(struct json_doc *doc, const char *text)
{
	struct json_error error;

	if (json_parse(text, strlen(text), 0, doc, &error))
		fail_msg("line %u: %s\n%s", error.line, error.what, text);
}

/* All keys of the object, in that order, and no others. */
static void assert_keys(const cJSON *object, const char *const *keys, size_t nr)
{
	const cJSON *member = object ? object->child : NULL;

	for (size_t i = 0; i < nr; i++, member = member->next) {
		if (!member) {
			fail_msg("no \"%s\"", keys[i]);
			return;
		}
		assert_string_equal(member->string, keys[i]);
	}
	assert_null(member);
}
#define assert_keys_are(object, ...)                                                                      \
	do {                                                                                              \
		static const char *const keys_[] = { __VA_ARGS__ };                                       \
		assert_keys((object), keys_, ARRAY_SIZE(keys_));                                          \
	} while (0)

static const cJSON *first_of(const cJSON *root, const char *list)
{
	const cJSON *array = json_member(root, list);

	assert_non_null(array);
	assert_true(cJSON_IsArray(array));
	assert_non_null(array->child);
	return array->child;
}

static void json_has_all_keys(void **state)
{
	struct json_doc doc;
	struct node node;
	char *text;

	(void)state;
	node_init(&node);
	text = render(&node, "json", (struct render_options){ .colour = true, .ascii = true });
	parse(&doc, text);
	assert_keys_are(doc.root, "schema", "tool", "argv", "taken_at", "host", "request", "policy", "verdict",
			"headline", "decision", "stages", "gpus", "holders", "checks", "timings", "findings",
			"unknown", "unanswered", "probes",
			"messages", "exit_status", "elapsed_ms");
	assert_keys_are(json_member(doc.root, "host"), "name", "product", "machine_serial", "machine_id", "boot_id",
			"kernel", "os", "architecture", "virtualisation", "container", "unknown");
	assert_keys_are(json_member(doc.root, "request"), "level", "run_id", "opencl_type", "expect_gpus",
			"expect_model", "even_if_busy", "touch_hung", "wake", "window_ms", "pid", "pid_is_self",
			"measure_ms", "memory_share_percent", "sustain_ms", "together", "per_numa_node", "framework",
			"collective", "collective_ms", "gpus", "python", "storage", "tests", "sizes_bytes",
			"only_checks", "skip_checks");
	assert_keys_are(json_member(doc.root, "decision"), "action", "reason", "schedulable", "unusable_gpus", "next");
	assert_keys_are(first_of(doc.root, "stages"), "number", "name", "verdict", "summary", "finding");
	assert_int_equal(cJSON_GetArraySize(json_member(doc.root, "stages")), 11);
	assert_keys_are(first_of(doc.root, "gpus"), "index", "pci", "model", "serial", "uuid", "vbios", "slot",
			"module_id", "minor", "vendor_id", "device_id", "driver", "driver_version", "partition",
			"clock_application_mhz", "clock_max_mhz", "numa_node", "temperature_c", "power_mw",
			"power_limit_mw", "busy_percent", "vram_used_bytes", "vram_total_bytes", "link_width",
			"link_width_able", "link_speed_mtps", "link_speed_able_mtps", "ecc_corrected",
			"ecc_uncorrected", "role", "under_test", "state", "unknown");
	assert_keys_are(first_of(doc.root, "holders"), "pid", "comm", "uid", "memory_bytes", "slurm_job", "pod",
			"container", "gpus", "any_gpu", "unknown");
	assert_keys_are(first_of(doc.root, "checks"), "check", "stage", "subject", "gpu", "required", "result",
			"reason", "evidence");
	assert_keys_are(first_of(doc.root, "timings"), "test", "key", "subject", "gpu", "size_bytes",
			"noisy", "conditions",
			"median", "unit", "p5", "p95", "p99", "min", "max", "mad", "n", "method", "clock", "clock_why",
			"event_ratio",
			"vector_width", "local_items", "rows", "numa_node", "cpu_percent", "settled", "unknown");
	assert_keys_are(first_of(doc.root, "findings"), "id", "key", "check", "stage", "subject", "gpu", "outcome",
			"action", "blame", "title", "sentence", "why", "next", "evidence", "caused_by", "caused_by_key",
			"explains", "possible_causes");
	assert_keys_are(first_of(doc.root, "unknown"), "check", "stage", "subject", "gpu", "required", "reason",
			"failed_to_answer", "caused_by", "caused_by_key");
	assert_keys_are(first_of(doc.root, "probes"), "probe", "target", "touches", "outcome", "why", "call", "pid",
			"wchan", "stack", "output", "deadline_ms", "elapsed_ms", "unknown");
	json_release(&doc);
	free(text);
	node_release(&node);
}

static void json_tells_what_is_not_known(void **state)
{
	const cJSON *evidence, *finding;
	struct json_doc doc;
	struct node node;
	char *text;

	(void)state;
	node_init(&node);
	text = render(&node, "json", (struct render_options){ .columns = 0 });
	parse(&doc, text);
	finding = first_of(doc.root, "findings");
	evidence = first_of(finding, "evidence");
	assert_keys_are(evidence, "what", "of", "observed", "expected", "unit", "source");
	assert_int_equal(json_member(evidence, "observed")->valuedouble, 8);
	assert_int_equal(json_member(evidence, "expected")->valuedouble, 16);
	assert_string_equal(json_member(evidence, "unit")->valuestring, "lanes");
	evidence = evidence->next;
	assert_true(cJSON_IsNull(json_member(evidence, "observed")));
	assert_true(cJSON_IsNull(json_member(evidence, "expected")));
	assert_string_equal(json_member(evidence, "of")->valuestring, "0000:0f:00.0");
	assert_string_equal(json_member(evidence, "unknown")->valuestring, "denied: EACCES");
	assert_string_equal(
		json_member(json_member(json_member(doc.root, "host"), "unknown"), "machine_serial")->valuestring,
		"denied: EACCES");
	assert_string_equal(json_member(finding->next, "caused_by")->valuestring, "pcie-width.below-twins");
	assert_string_equal(json_member(finding->next, "caused_by_key")->valuestring, "0123456789abcdef");
	assert_string_equal(first_of(finding, "explains")->valuestring, "fedcba9876543210");
	assert_int_equal(cJSON_GetArraySize(json_member(finding, "possible_causes")), 0);
	assert_int_equal(cJSON_GetArraySize(json_member(doc.root, "unknown")), 8);
	json_release(&doc);
	free(text);
	node_release(&node);
}

/* Nothing was seen and nothing judged: every format is still whole. */
static void an_empty_report_is_whole(void **state)
{
	const struct snapshot snapshot = { .nr_gpus = 0 };
	const struct report report = {
		.policy = &policy_built_in, .snapshot = &snapshot, .verdict = VERDICT_UNKNOWN, .exit_status = 3,
		.headline = "Nothing was judged.", .decision.schedulable = "no",
	};
	const struct render_options options = { .colour = true };

	(void)state;
	for (const struct format *format = formats; format->name; format++) {
		struct strbuf out = STRBUF_INIT;
		struct json_doc doc;

		format->render(&out, &report, &options);
		assert_int_equal(out.buf[out.len - 1], '\n');
		if (format->is_json) {
			parse(&doc, out.buf);
			json_release(&doc);
		}
		strbuf_release(&out);
	}
}

/* One line, or none where there is nothing to do. */
static void line_is_one_or_none(void **state)
{
	const struct render_options options = { .ascii = true };
	struct strbuf out = STRBUF_INIT;
	struct node node;

	(void)state;
	node_init(&node);
	node.report.headline = "Two\nlines \x1b[31m.";
	format_by_name("line")->render(&out, &node.report, &options);
	assert_string_equal(out.buf, "fail: Two lines \\x1b[31m. decision: drain-and-repair, schedulable: no\n");
	strbuf_reset(&out);
	node.report.verdict = VERDICT_PASS;
	node.report.exit_status = 0;
	format_by_name("line")->render(&out, &node.report, &options);
	assert_string_equal(out.buf, "");
	/* All is well but for what --strict asks: that is something to do. */
	node.report.exit_status = 3;
	format_by_name("line")->render(&out, &node.report, &options);
	assert_int_equal(strncmp(out.buf, "pass: ", strlen("pass: ")), 0);
	strbuf_release(&out);
	node_release(&node);
}

static void snapshot_reads_back(void **state)
{
	struct merge_unknown unknown;
	struct json_error error;
	struct snapshot back;
	struct node node;
	char *text, *again;

	(void)state;
	node_init(&node);
	text = render(&node, "snapshot", (struct render_options){ .columns = 0 });
	assert_int_equal(snapshot_load(&back, text, strlen(text), &unknown, &error), 0);
	assert_int_equal(unknown.nr, 0);
	node.report.snapshot = &back;
	again = render(&node, "snapshot", (struct render_options){ .columns = 0 });
	/* The argument with bytes that are no text came back with their replacement, as JSON has it. */
	assert_string_equal(again, text);
	free(text);
	free(again);
	snapshot_release(&back);
	node_release(&node);
}

/* ---- the table of formats, the schema */

static void formats_by_name(void **state)
{
	(void)state;
	for (const struct format *format = formats; format->name; format++) {
		assert_ptr_equal(format_by_name(format->name), format);
		assert_non_null(format->help);
	}
	assert_null(format_by_name("txt"));
	assert_null(format_by_name(""));
}

/* Every reference leads to a definition. */
static void assert_references(const cJSON *value, const cJSON *definitions)
{
	static const char path[] = "#/$defs/";
	const cJSON *reference = json_member(value, "$ref");

	if (reference) {
		assert_int_equal(strncmp(reference->valuestring, path, strlen(path)), 0);
		assert_non_null(json_member(definitions, reference->valuestring + strlen(path)));
	}
	for (const cJSON *child = value->child; child; child = child->next)
		assert_references(child, definitions);
}

static void assert_described(const cJSON *properties, const struct record *record)
{
	assert_non_null(properties);
	for (size_t i = 0; i < record->nr; i++) {
		const cJSON *property = json_member(properties, record->fields[i].name);

		if (!property)
			fail_msg("%s.%s is not in the schema", record->name, record->fields[i].name);
		assert_non_null(json_member(property, "description"));
		assert_true(json_member(property, "type") || json_member(property, "$ref"));
	}
}

static void schema_has_every_field(void **state)
{
	struct strbuf text = STRBUF_INIT;
	struct json_doc doc;
	const cJSON *definitions;

	(void)state;
	render_snapshot_schema(&text);
	parse(&doc, text.buf);
	definitions = json_member(doc.root, "$defs");
	assert_references(doc.root, definitions);
	assert_described(json_member(doc.root, "properties"), &record_snapshot);
	assert_described(json_member(json_member(definitions, "gpu"), "properties"), &record_gpu);
	assert_described(json_member(json_member(definitions, "timing"), "properties"), &record_timing);
	assert_string_equal(first_of(json_member(definitions, "hop"), "required")->valuestring, "key");
	assert_null(json_member(json_member(definitions, "host"), "required"));
	json_release(&doc);
	strbuf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_has_all_keys),
		cmocka_unit_test(json_tells_what_is_not_known),
		cmocka_unit_test(an_empty_report_is_whole),
		cmocka_unit_test(line_is_one_or_none),
		cmocka_unit_test(snapshot_reads_back),
		cmocka_unit_test(formats_by_name),
		cmocka_unit_test(schema_has_every_field),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
