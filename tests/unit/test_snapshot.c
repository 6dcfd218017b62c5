// SPDX-License-Identifier: GPL-2.0-or-later
/* test_snapshot.c - merging, sealing and writing: what the replay rests on. */
#include "base/compat.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "snapshot/snapshot.h"

static const char *const frames[] = {
	"{\"host\":{\"name\":\"gpu-17\"},\"pressure\":{\"memory_full_avg10\":0.30000000000000004}}",
	"{\"gpus\":[{\"key\":\"0000:5d:00.0\",\"pci\":{\"driver\":\"nvidia\",\"link_width\":8,\"link_width_able\":16},"
	"\"hops\":[{\"key\":\"1\",\"pci\":{\"link_width\":16}},{\"key\":\"0\",\"address\":\"0000:5c:00.0\"},"
	"{\"key\":\"10\"}]}]}",
	"{\"gpus\":[{\"key\":\"0000:5d:00.0\",\"pci\":{\"numa_node\":null,"
	"\"unknown\":{\"numa_node\":\"absent: -1\"}}}]}",
	"{\"memory\":{\"oom_kills\":18446744073709551615}}",
	"{\"gpus\":[{\"key\":\"0000:1d:00.0\",\"pci\":{\"config_all_ones\":false}}]}",
	"{\"gpus\":[{\"key\":\"10000:01:00.0\",\"pci\":{\"link_width\":null,"
	"\"unknown\":{\"link_width\":\"asleep\"}}}]}",
	"{\"ocl_devices\":[{\"key\":\"opencl:pocl.icd:0\",\"timings\":[{\"key\":\"h2d-pageable\","
	"\"size_bytes\":134217728,\"samples_ns\":[26.1,26.100000000000005,0.1,1e-9]}]}]}",
	"{\"numa_nodes\":[{\"key\":\"10\"},{\"key\":\"2\",\"distances\":[10,21]},{\"key\":\"0\"}]}",
};

static int merge(struct snapshot *snapshot, const char *text, const struct merge_options *options,
		 struct json_error *error)
{
	struct json_doc doc;
	int r = json_parse(text, strlen(text), 0, &doc, error);

	if (!r)
		r = snapshot_merge(snapshot, &doc, doc.root, options, error);
	json_release(&doc);
	return r;
}

static int load(struct snapshot *snapshot, const char *text, struct merge_unknown *unknown, struct json_error *error)
{
	return snapshot_load(snapshot, text, strlen(text), unknown, error);
}

static char *dump(const struct snapshot *snapshot)
{
	struct strbuf out = STRBUF_INIT;

	snapshot_write(&out, snapshot);
	return strbuf_detach(&out);
}

/* Order of arrival leaves no trace. */
static void test_any_order_gives_the_same_bytes(void **state)
{
	size_t order[ARRAY_SIZE(frames)];
	char *first = NULL;
	unsigned seed = 3;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		order[i] = i;
	for (int round = 0; round < 500; round++) {
		struct snapshot snapshot = { .nr_gpus = 0 };
		struct json_error error;
		char *text;

		for (size_t i = ARRAY_SIZE(order) - 1; i > 0; i--) {
			size_t other = (size_t)rand_r(&seed) % (i + 1), held = order[i];

			order[i] = order[other];
			order[other] = held;
		}
		for (size_t i = 0; i < ARRAY_SIZE(order); i++)
			assert_int_equal(merge(&snapshot, frames[order[i]], NULL, &error), 0);
		text = dump(&snapshot);
		if (first)
			assert_string_equal(text, first);
		else
			first = strdup(text);
		free(text);
		snapshot_release(&snapshot);
	}
	free(first);
}

static void test_keys_sort_by_what_they_are(void **state)
{
	struct snapshot snapshot = { .nr_gpus = 0 };
	struct json_error error;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(frames); i++)
		assert_int_equal(merge(&snapshot, frames[i], NULL, &error), 0);
	assert_string_equal(str_or(snapshot.gpus[0].key, ""), "0000:1d:00.0");
	assert_string_equal(str_or(snapshot.gpus[2].key, ""), "10000:01:00.0");
	assert_string_equal(str_or(snapshot.numa_nodes[1].key, ""), "2");
	assert_string_equal(str_or(snapshot.gpus[1].hops[2].key, ""), "10");
	assert_int_equal(snapshot.gpus[2].pci.link_width.state, VAL_ASLEEP);
	assert_int_equal(snapshot.gpus[1].pci.numa_node.state, VAL_ABSENT);
	assert_string_equal(snapshot.gpus[1].pci.numa_node.why, "-1");
	assert_true(u64_or(snapshot.memory.oom_kills, 0) == UINT64_MAX);
	snapshot_release(&snapshot);
}

static void test_written_and_read_is_the_same(void **state)
{
	struct snapshot snapshot = { .nr_gpus = 0 }, again;
	struct merge_unknown unknown;
	struct json_error error;
	char *text, *text_again;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(frames); i++)
		assert_int_equal(merge(&snapshot, frames[i], NULL, &error), 0);
	text = dump(&snapshot);
	assert_int_equal(load(&again, text, &unknown, &error), 0);
	text_again = dump(&again);
	assert_string_equal(text, text_again);
	assert_int_equal(unknown.nr, 0);
	free(text);
	free(text_again);
	snapshot_release(&snapshot);
	snapshot_release(&again);
}

static void test_refused_with_line_and_cause(void **state)
{
	static const struct { const char *text, *what; unsigned line;
	} cases[] = {
		{"{\n\"gpus\":[{\"key\":\"0000:01:00.0\",\n\"pci\":{\"link_witdh\":8}}]}",
		 "unknown key \"link_witdh\" in pci_function", 3},
		{"{\"gpus\":[{\"key\":\"0000:01:00.0\",\n\"pci\":{\"link_width\":null}}]}",
		 "null without its reason", 2},
		{"{\"memory\":{\"oom_kills\":1,\n\"unknown\":{\"oom_kills\":\"denied\"}}}",
		 "unknown key \"unknown.oom_kills\" in memory", 2},
		{"{\"memory\":{\"unknown\":{\"shoe_size\":\"absent\"}}}", "unknown key \"unknown.shoe_size\"", 1},
		{"{\"memory\":{\"unknown\":[]}}", "\"unknown\": an object expected in memory", 1},
		{"{\"gpus\":[{\"key\":\"0000:01:00.0\",\"pci\":{\"link_width\":-1}}]}", "whole number", 1},
		{"{\"gpus\":[{\"key\":\"0000:01:00.0\",\"pci\":{\"link_width\":1.5}}]}", "whole number", 1},
		{"{\"gpus\":[{\"key\":\"0000:01:00.0\",\"pci\":{\"link_width\":\"8\"}}]}", "whole number", 1},
		{"{\"gpus\":[{\"pci\":{}}]}", "without its \"key\"", 1},
		{"{\"gpus\":[7]}", "without its \"key\"", 1},
		{"{\"gpus\":{}}", "a list expected", 1},
		{"{\"host\":[]}", "an object expected", 1},
		{"{\"host\":{\"name\":7}}", "a text expected", 1},
		{"{\"pressure\":{\"io_full_avg10\":\"x\"}}", "a number expected", 1},
		{"{\"host\":{\"sees_all_processes\":1}}", "true or false", 1},
		{"{\"run\":{\"argv\":[1]}}", "a text expected", 1},
		{"{\"ocl_devices\":[{\"key\":\"opencl:a:0\",\"timings\":[{\"key\":\"t\",\"samples_ns\":[true]}]}]}",
		 "a number expected", 1},
		{"[]", "an object expected", 1},
		{"{\"gpus\":[{\"key\":\"GPU 3\"}]}", "\"key\": a PCI address", 1},
		{"{\"gpus\":[{\"key\":\"0000:5D:00.0\"}]}", "\"key\": a PCI address", 1},
		{"{\"run\":{\"taken_at\":\"yesterday\"}}", "\"taken_at\": a time", 1},
		{"{\"run\":{\"taken_at\":\"2026-11-20T15:02:07.Z\"}}", "\"taken_at\": a time", 1},
		{"{\"request\":{\"level\":\"quickly\"}}", "read, quick", 1},
		{"{\"request\":{\"only_checks\":[\"a\",\"-\"]}}", "the name of a check", 1},
		{"{\"ocl_devices\":[{\"key\":\"opencl:\"}]}", "a key as opencl:", 1},
		{"{\"ocl_devices\":[{\"key\":\"opencl:a:0\",\"timings\":[{\"key\":\"t/\"}]}]}",
		 "the name of a test", 1},
		{"{\"ocl_devices\":[{\"key\":\"opencl:a:0\",\"timings\":[{\"key\":\"t/1/2\"}]}]}",
		 "the name of a test", 1},
		{"{\"ocl_devices\":[{\"key\":\"opencl:a:0\",\"timings\":[{\"key\":\"/1\"}]}]}",
		 "the name of a test", 1},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct snapshot snapshot = { .nr_gpus = 0 };
		struct json_error error = { .line = 0 };

		assert_int_equal(merge(&snapshot, cases[i].text, NULL, &error), -EINVAL);
		if (!strstr(error.what, cases[i].what))
			fail_msg("\"%s\" is not about \"%s\"", error.what, cases[i].what);
		assert_int_equal(error.line, cases[i].line);
		snapshot_release(&snapshot);
	}
}

static void test_a_scalar_is_said_once(void **state)
{
	struct snapshot snapshot = { .nr_gpus = 0 };
	struct json_error error;

	(void)state;
	assert_int_equal(merge(&snapshot, "{\"host\":{\"name\":\"a\"}}", NULL, &error), 0);
	assert_int_equal(merge(&snapshot, "{\"host\":{\"name\":\"a\"}}", NULL, &error), -EINVAL);
	assert_non_null(strstr(error.what, "said twice"));
	assert_int_equal(merge(&snapshot, "{\"run\":{\"argv\":[\"a\"]}}", NULL, &error), 0);
	assert_int_equal(merge(&snapshot, "{\"run\":{\"argv\":[\"a\"]}}", NULL, &error), -EINVAL);
	snapshot_release(&snapshot);
}

/* Which line of a dump told a value is kept, in files and of a worker that reads a tree that was pasted. */
static void test_where_a_value_is_from(void **state)
{
	static const char text[] =
		"{\"schema\":\"" SNAPSHOT_SCHEMA
		"\",\"host\":{\"name\":\"a\",\"kernel\":null,\"unknown\":{\"kernel\":\"absent\"},"
		"\"from\":{\"name\":\"2:8123\",\"kernel\":\"255:99999999999\",\"colour\":\"1:1\",\"os\":\"1:1\"}}}";
	static const char *const refused[] = { "2", "2:", ":3", "2:3x", "0:3", "256:3", "-1:3",
					       "18446744073709551616:1" };
	struct snapshot snapshot = { .nr_gpus = 0 };
	struct merge_unknown unknown;
	struct json_error error;
	char *written;

	(void)state;
	assert_int_equal(load(&snapshot, text, &unknown, &error), -EINVAL);
	assert_non_null(strstr(error.what, "from.kernel"));
	snapshot_release(&snapshot);
	assert_int_equal(merge(&snapshot, "{\"host\":{\"name\":\"a\",\"from\":{\"name\":\"2:8123\"}}}", NULL, &error),
			 0);
	assert_int_equal(value_from_line(snapshot.host.name.from), 8123);
	snapshot_release(&snapshot);
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		char file[200];

		snprintf(file, sizeof(file), "{\"schema\":\"%s\",\"host\":{\"name\":\"a\",\"from\":{\"name\":\"%s\"}}}",
			 SNAPSHOT_SCHEMA, refused[i]);
		assert_int_equal(load(&snapshot, file, &unknown, &error), -EINVAL);
		snapshot_release(&snapshot);
	}
	assert_int_equal(load(&snapshot, "{\"schema\":\"" SNAPSHOT_SCHEMA "\",\"host\":{\"name\":\"a\",\"kernel\":null,"
			      "\"unknown\":{\"kernel\":\"absent\"},\"from\":{\"name\":\"2:8123\",\"kernel\":\"255:99999999\","
			      "\"colour\":\"1:1\",\"os\":\"1:1\"}}}", &unknown, &error), 0);
	assert_int_equal(unknown.nr, 2);
	assert_int_equal(value_from_source(snapshot.host.name.from), 2);
	assert_int_equal(value_from_line(snapshot.host.name.from), 8123);
	assert_int_equal(value_from_line(snapshot.host.kernel.from), (1 << VALUE_FROM_LINE_BITS) - 1);
	written = dump(&snapshot);
	assert_non_null(strstr(written, "\"name\": \"2:8123\""));
	free(written);
	snapshot_release(&snapshot);
}

static void test_a_worker_writes_its_own(void **state)
{
	static const char *const paths[] = { "gpus.pci.link_width", "gpus.hops", NULL };
	static const struct { const char *text; bool allowed;
	} cases[] = {
		{"{\"gpus\":[{\"key\":\"0000:01:00.0\",\"pci\":{\"link_width\":8}}]}", true},
		{"{\"gpus\":[{\"key\":\"0000:01:00.0\",\"hops\":[{\"key\":\"0\",\"pci\":{\"driver\":\"x\"}}]}]}", true},
		{"{\"gpus\":[{\"key\":\"0000:01:00.0\",\"pci\":{\"driver\":\"x\"}}]}", false},
		{"{\"gpus\":[{\"key\":\"0000:02:00.0\",\"pci\":{\"link_width\":8}}]}", false},
		{"{\"host\":{\"name\":\"x\"}}", false},
		{"{\"gpus\":[{\"key\":\"0000:01:00.0\"}]}", true},
	};
	struct merge_scope scope = { .paths = paths, .key = "0000:01:00.0" };
	struct merge_options options = { .scope = &scope };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct snapshot snapshot = { .nr_gpus = 0 };
		struct json_error error;

		assert_int_equal(merge(&snapshot, cases[i].text, &options, &error), cases[i].allowed ? 0 : -EINVAL);
		snapshot_release(&snapshot);
	}
}

static void test_a_prefix_opens_what_is_below(void **state)
{
	static const char *const paths[] = { "icds.devices", "ocl_devices", NULL };
	struct merge_scope scope = { .paths = paths, .key = "pocl.icd", .key_prefix = "opencl:pocl.icd:" };
	struct merge_options options = { .scope = &scope };
	struct snapshot snapshot = { .nr_gpus = 0 };
	struct json_error error;

	(void)state;
	assert_int_equal(merge(&snapshot, "{\"icds\":[{\"key\":\"pocl.icd\",\"devices\":1}],"
			       "\"ocl_devices\":[{\"key\":\"opencl:pocl.icd:0\"}]}", &options, &error), 0);
	assert_int_equal(merge(&snapshot, "{\"ocl_devices\":[{\"key\":\"opencl:nvidia.icd:0\"}]}", &options, &error),
			 -EINVAL);
	snapshot_release(&snapshot);
}

static void test_a_newer_file_is_read_for_what_is_known(void **state)
{
	struct snapshot snapshot;
	struct merge_unknown unknown;
	struct json_error error;

	(void)state;
	assert_int_equal(load(&snapshot,
			      "{\"schema\":\"gpudiag.snapshot/1\",\n\"host\":{\"shoe_size\":44,\"name\":\"a\"},"
			      "\"moons\":[1]}",
			      &unknown, &error),
			 0);
	assert_int_equal(unknown.nr, 2);
	assert_string_equal(unknown.first, "shoe_size");
	assert_int_equal(unknown.first_line, 2);
	assert_true(str_is(snapshot.host.name, "a"));
	snapshot_release(&snapshot);
	assert_int_equal(load(&snapshot, "{\"schema\":\"gpudiag.snapshot/2\"}", &unknown, &error), -EINVAL);
	assert_non_null(strstr(error.what, "use a newer one"));
	snapshot_release(&snapshot);
	assert_int_equal(load(&snapshot, "{}", &unknown, &error), -EINVAL);
	snapshot_release(&snapshot);
	assert_int_equal(load(&snapshot, "[]", &unknown, &error), -EINVAL);
	snapshot_release(&snapshot);
}

/* What is said to be missing and is there; what was not sampled; a field and a list of an older version. */
static void test_a_reason_without_its_null_is_left_out(void **state)
{
	static const struct { const char *text, *first;
		size_t nr;
	} cases[] = {
		{ "{\"memory\":{\"oom_kills\":1,\"unknown\":{\"oom_kills\":\"denied\"}}", "unknown.oom_kills", 1 },
		{ "{\"memory\":{\"oom_kills\":1,\"unknown\":{\"total_bytes\":\"denied\"}}", "unknown.total_bytes", 1 },
		{ "{\"memory\":{\"oom_kills\":1,\"unknown\":{\"shoes\":7,\"hats\":null}}", "unknown.shoes", 2 },
		{ "{\"memory\":{\"oom_kills\":1},\"gpus\":[],\"unknown\":{\"gpus\":\"denied\"}", "unknown.gpus", 1 },
		{ "{\"memory\":{\"oom_kills\":1,\"shoes\":null,\"unknown\":{\"shoes\":\"denied\"}}", "shoes", 1 },
		{ "{\"memory\":{\"oom_kills\":1,\"total_bytes\":null,\"unknown\":{\"total_bytes\":\"denied\"}}", NULL,
		  0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct snapshot snapshot;
		struct merge_unknown unknown;
		struct json_error error;
		char text[256];

		snprintf(text, sizeof(text), "%s,\n\"schema\":\"gpudiag.snapshot/1\"}", cases[i].text);
		assert_int_equal(load(&snapshot, text, &unknown, &error), 0);
		assert_int_equal(unknown.nr, cases[i].nr);
		if (cases[i].first)
			assert_string_equal(unknown.first, cases[i].first);
		assert_int_equal(u64_or(snapshot.memory.oom_kills, 0), 1);
		snapshot_release(&snapshot);
	}
}

/* A state this version does not know is still no value. */
static void test_a_newer_state_is_an_error(void **state)
{
	struct snapshot snapshot = { .nr_gpus = 0 };
	struct json_error error;

	(void)state;
	assert_int_equal(merge(&snapshot, "{\"memory\":{\"oom_kills\":null,\"unknown\":{\"oom_kills\":\"quantum\"}}}",
			       NULL, &error),
			 0);
	assert_int_equal(snapshot.memory.oom_kills.state, VAL_ERROR);
	assert_string_equal(snapshot.memory.oom_kills.why, "quantum");
	snapshot_release(&snapshot);
}

/* However a reason is written, what is written of it is read the same. */
static void test_a_reason_is_kept_as_it_is(void **state)
{
	static const struct { const char *text, *why;
	} cases[] = {
		{"error: NVML_ERROR_UNKNOWN", "NVML_ERROR_UNKNOWN"}, {"error", NULL}, {"error:", NULL},
		{"error:  ", NULL},
		{" ", NULL}, {" : ", NULL}, {"", NULL}, {"  late", "late"},
		{"quantum: two at once", "quantum: two at once"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct snapshot snapshot = { .nr_gpus = 0 };
		struct json_error error;
		char text[128];

		snprintf(text, sizeof(text), "{\"memory\":{\"oom_kills\":null,\"unknown\":{\"oom_kills\":\"%s\"}}}",
			 cases[i].text);
		assert_int_equal(merge(&snapshot, text, NULL, &error), 0);
		assert_int_equal(snapshot.memory.oom_kills.state, VAL_ERROR);
		if (cases[i].why)
			assert_string_equal(snapshot.memory.oom_kills.why, cases[i].why);
		else
			assert_null(snapshot.memory.oom_kills.why);
		snapshot_release(&snapshot);
	}
}

static void test_a_dead_worker_leaves_its_reason(void **state)
{
	static const char *const paths[] = { "gpus.pci.link_width", "gpus.hops", "memory", NULL };
	struct merge_scope scope = { .paths = paths, .key = "0000:5d:00.0" };
	struct snapshot snapshot = { .nr_gpus = 0 };
	struct json_error error;

	(void)state;
	assert_int_equal(merge(&snapshot, "{\"gpus\":[{\"key\":\"0000:5d:00.0\",\"hops\":[{\"key\":\"0\"}]},"
			       "{\"key\":\"0000:5e:00.0\"}],\"memory\":{\"total_bytes\":1}}", NULL, &error), 0);
	snapshot_fill_unset(&snapshot, &scope, VAL_TIMEOUT, "in read of link");
	assert_int_equal(snapshot.gpus[0].pci.link_width.state, VAL_TIMEOUT);
	assert_string_equal(snapshot.gpus[0].pci.link_width.why, "in read of link");
	assert_int_equal(snapshot.gpus[0].hops[0].pci.driver.state, VAL_TIMEOUT);
	assert_int_equal(snapshot.gpus[0].pci.driver.state, VAL_UNSET);
	assert_int_equal(snapshot.gpus[1].pci.link_width.state, VAL_UNSET);
	assert_int_equal(snapshot.memory.total_bytes.state, VAL_OK);
	assert_int_equal(snapshot.memory.available_bytes.state, VAL_TIMEOUT);
	snapshot_release(&snapshot);
}

static void assert_whole(const struct record *record)
{
	for (size_t i = 0; i < record->nr; i++) {
		assert_non_null(record->fields[i].name);
		assert_true(record->fields[i].doc && *record->fields[i].doc);
	}
}

/* A row that was left out of a table would be a hole of zeros. */
static void test_every_row_is_whole(void **state)
{
	(void)state;
#define RECORD(record_name, doc_) assert_whole(&record_##record_name);
#include "snapshot/records.def"
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_order_gives_the_same_bytes),
		cmocka_unit_test(test_keys_sort_by_what_they_are),
		cmocka_unit_test(test_written_and_read_is_the_same),
		cmocka_unit_test(test_refused_with_line_and_cause),
		cmocka_unit_test(test_a_scalar_is_said_once),
		cmocka_unit_test(test_where_a_value_is_from),
		cmocka_unit_test(test_a_worker_writes_its_own),
		cmocka_unit_test(test_a_prefix_opens_what_is_below),
		cmocka_unit_test(test_a_newer_file_is_read_for_what_is_known),
		cmocka_unit_test(test_a_reason_without_its_null_is_left_out),
		cmocka_unit_test(test_a_newer_state_is_an_error),
		cmocka_unit_test(test_a_reason_is_kept_as_it_is),
		cmocka_unit_test(test_a_dead_worker_leaves_its_reason),
		cmocka_unit_test(test_every_row_is_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
