// SPDX-License-Identifier: GPL-2.0-or-later
/* test_bench.c - whom --gpu means, and how a bench of several GPUs is told and drawn. */
#include "base/compat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"
#include "render/bench.h"
#include "snapshot/under_test.h"

/* What an evil device could call itself. */
#define HOSTILE "ca<rd & \"x\"\x1b[2J\x07\xff, dab\nnew\xef\xbf\xbf"

enum { NR_GPUS = 3 };

static const struct playbook no_checks = { .nr = 0 };

static void add_timing(struct snapshot *snapshot, struct ocl_device *device, const char *key, const char *test,
		       uint64_t size, double ns)
{
	struct timing *timing = list_element(&snapshot->arena, device, timings, timing, key);

	timing->test = val_str(test);
	timing->method = val_str("by hand, event stamps");
	timing->clock = val_str("events");
	timing->settled = val_bool(true);
	if (size) {
		timing->size_bytes = val_u64(size);
		timing->moved_bytes = val_u64(size);
	}
	for (int i = 0; i < 9; i++)
		f64s_add(&snapshot->arena, &timing->samples_ns, ns + i);
}

/* Three GPUs, of which the last has no OpenCL device; and a CPU. */
static void make_node(struct snapshot *snapshot, const char *name)
{
	static const char *const addresses[NR_GPUS] = { "0000:17:00.0", "0000:5d:00.0", "0001:5d:00.0" };
	static const char *const keys[] = { "opencl:a.icd:0", "opencl:a.icd:1", "opencl:pocl.icd:0" };

	memset(snapshot, 0, sizeof(*snapshot));
	snapshot->run.taken_at = val_str("2026-11-22T02:00:00.000Z");
	snapshot->request.level = val_str("standard");
	snapshot->bus.gpus = val_u64(NR_GPUS);
	snapshot->host.sees_all_processes = val_bool(true);
	snapshot->processes.seen = val_u64(1);
	for (size_t i = 0; i < NR_GPUS; i++) {
		struct gpu *gpu = list_element(&snapshot->arena, snapshot, gpus, gpu, addresses[i]);

		gpu->pci.vendor_id = val_str("0x10de");
		gpu->pci.model = val_str(name);
		gpu->nvml.uuid = val_str(i ? "GPU-1234abcd" : "GPU-9876abcd");
	}
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		struct ocl_device *device = list_element(&snapshot->arena, snapshot, ocl_devices, ocl_device, keys[i]);

		device->kind = val_str(i == 2 ? "cpu" : "gpu");
		device->icd = val_str(i == 2 ? "pocl.icd" : "a.icd");
		device->name = val_str(name);
		if (i < 2)
			device->pci_address = val_str(addresses[i]);
	}
	for (size_t i = 0; i < 2; i++) {
		struct ocl_device *device = &snapshot->ocl_devices[i];

		add_timing(snapshot, device, "launch-latency", "launch-latency", 0, 4000);
		add_timing(snapshot, device, "h2d-pinned/65536", "h2d-pinned", 65536, 9000);
		add_timing(snapshot, device, "h2d-pinned/4096", "h2d-pinned", 4096, 5000);
		add_timing(snapshot, device, "h2d-pinned", "h2d-pinned", 1 << 27, 5e6);
	}
}

static const struct ocl_device *device_at(const struct snapshot *snapshot, size_t at)
{
	return &snapshot->ocl_devices[at];
}

static void a_selector_means_what_it_names(void **state)
{
	static const struct { const char *selector; bool first, second, cpu; } rows[] = {
		{ "0", true, false, false },
		{ "1", false, true, false },
		{ "2", false, false, false },
		{ "0000:17:00.0", true, false, false },
		{ "17:00.0", true, false, false },
		{ "0001:17:00.0", false, false, false },
		{ "5d:00.0", false, true, false },
		{ "GPU-9876", true, false, false },
		{ "gpu-1234ABCD", false, true, false },
		{ "GPU", false, false, false },
		{ "opencl:a.icd:1", false, true, false },
		{ "opencl:pocl.icd:0", false, false, true },
		{ "opencl:pocl.icd", false, false, false },
		{ "", false, false, false },
	};
	struct snapshot snapshot;

	(void)state;
	make_node(&snapshot, "card");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *selector = rows[i].selector;

		if (selector_is_of_device(&snapshot, selector, device_at(&snapshot, 0)) != rows[i].first ||
		    selector_is_of_device(&snapshot, selector, device_at(&snapshot, 1)) != rows[i].second ||
		    selector_is_of_device(&snapshot, selector, device_at(&snapshot, 2)) != rows[i].cpu)
			fail_msg("\"%s\" means others", selector);
	}
	assert_true(selector_is_of_gpu(&snapshot, "2", &snapshot.gpus[2]));
	assert_true(selector_is_of_gpu(&snapshot, "5d:00.0", &snapshot.gpus[2]));
	assert_false(selector_is_of_gpu(&snapshot, "0000:5d:00.0", &snapshot.gpus[2]));
	assert_true(ocl_device_is_selected(&snapshot, device_at(&snapshot, 0)));
	strs_add(&snapshot.arena, &snapshot.request.gpus, "1");
	assert_false(ocl_device_is_selected(&snapshot, device_at(&snapshot, 0)));
	assert_true(ocl_device_is_selected(&snapshot, device_at(&snapshot, 1)));
	assert_false(gpu_is_selected(&snapshot, &snapshot.gpus[2]));
	snapshot_release(&snapshot);
}

static void a_bench_tells_each_device_or_why_not(void **state)
{
	struct bench_report bench;
	struct snapshot snapshot;

	(void)state;
	make_node(&snapshot, "card");
	list_element(&snapshot.arena, &snapshot.ocl_devices[1], timings, timing, "fp32")->method =
		no_str(VAL_ERROR, "clFinish: CL_OUT_OF_RESOURCES");
	list_element(&snapshot.arena, &snapshot.ocl_devices[1], timings, timing, "fp16")->method =
		no_str(VAL_UNSUPPORTED, "no cl_khr_fp16");
	bench_report_of(&bench, &snapshot, &no_checks, &(struct judge_inputs){ .policy = &policy_built_in });
	assert_int_equal(bench.nr_devices, 3);
	assert_string_equal(bench.devices[0].subject.name, "GPU 0");
	assert_null(bench.devices[0].skipped);
	assert_int_equal(bench.devices[0].nr_timings, 4);
	assert_string_equal(bench.devices[0].timings[0].key, "h2d-pinned/4096");
	assert_string_equal(bench.devices[0].timings[2].key, "h2d-pinned");
	assert_string_equal(bench.devices[0].timings[3].key, "launch-latency");
	assert_int_equal(bench.devices[1].failed.nr, 1);
	assert_string_equal(bench.devices[1].failed.v[0], "fp32: clFinish: CL_OUT_OF_RESOURCES");
	assert_int_equal(bench.devices[1].lacking.nr, 1);
	assert_non_null(strstr(bench.devices[2].skipped, "not listed by any OpenCL driver"));
	assert_false(bench.is_complete);
	bench_report_release(&bench);
	strs_add(&snapshot.arena, &snapshot.request.gpus, "0");
	bench_report_of(&bench, &snapshot, &no_checks, &(struct judge_inputs){ .policy = &policy_built_in });
	assert_int_equal(bench.nr_devices, 1);
	assert_true(bench.is_complete);
	bench_report_release(&bench);
	snapshot_release(&snapshot);
}

static void assert_safe(const char *text, const char *what)
{
	if (!utf8_valid(text, strlen(text)))
		fail_msg("%s is not UTF-8", what);
	for (const char *at = text; *at; at++)
		if (((unsigned char)*at < ' ' && *at != '\n' && *at != '\r') || *at == 0x7f)
			fail_msg("%s holds a control character", what);
}

static void assert_fits(const char *text, size_t columns, const char *what)
{
	for (const char *line = text; *line;) {
		size_t len = strcspn(line, "\n");
		char *copy = strndup(line, len);

		if (utf8_columns(copy) > columns)
			fail_msg("%s: longer than %zu: %s", what, columns, copy);
		free(copy);
		line += len + (line[len] == '\n');
	}
}

static void drawings_fit_and_are_safe(void **state)
{
	static const char *const names[] = { "card", HOSTILE };

	(void)state;
	for (size_t i = 0; i < 2 * 2 * 4; i++) {
		struct render_options options = { .ascii = i & 1, .columns = 60 + 20 * (unsigned)(i / 4) };
		struct bench_report bench;
		struct snapshot snapshot;

		make_node(&snapshot, names[i / 2 % 2]);
		bench_report_of(&bench, &snapshot, &no_checks, &(struct judge_inputs){ .policy = &policy_built_in });
		for (const struct bench_format *format = bench_formats; format->name; format++) {
			STRBUF_AUTO text = STRBUF_INIT;

			format->render(&text, &bench, &options);
			assert_safe(text.buf, format->name);
			if (strcmp(format->name, "table") != 0 && strcmp(format->name, "plot") != 0)
				continue;
			assert_fits(text.buf, options.columns, format->name);
			for (const char *at = text.buf; options.ascii && *at; at++)
				assert_true((unsigned char)*at < 0x80);
		}
		bench_report_release(&bench);
		snapshot_release(&snapshot);
	}
}

static void a_drawing_quotes_what_xml_means_otherwise(void **state)
{
	struct bench_report bench;
	struct snapshot snapshot;
	STRBUF_AUTO svg = STRBUF_INIT;

	(void)state;
	make_node(&snapshot, HOSTILE);
	strs_add(&snapshot.arena, &snapshot.request.gpus, "0");
	bench_report_of(&bench, &snapshot, &no_checks, &(struct judge_inputs){ .policy = &policy_built_in });
	render_bench_svg(&svg, &bench);
	assert_safe(svg.buf, "svg");
	assert_non_null(strstr(svg.buf, "ca&lt;rd &amp; &quot;x&quot;"));
	assert_null(strstr(svg.buf, "ca<rd"));
	assert_null(strstr(svg.buf, "\xef\xbf\xbf"));
	assert_non_null(strstr(svg.buf, "<polyline"));
	assert_null(strstr(svg.buf, "nan"));
	bench_report_release(&bench);
	snapshot_release(&snapshot);
}

static void rows_quote_what_csv_means_otherwise(void **state)
{
	const struct render_options options = { .ascii = false };
	struct bench_report bench;
	struct snapshot snapshot;
	STRBUF_AUTO csv = STRBUF_INIT;
	size_t lines = 0;

	(void)state;
	make_node(&snapshot, "a \"card\", of ours");
	bench_report_of(&bench, &snapshot, &no_checks, &(struct judge_inputs){ .policy = &policy_built_in });
	render_bench_csv(&csv, &bench, &options);
	for (const char *at = csv.buf; (at = strstr(at, "\r\n")); at += 2)
		lines++;
	assert_int_equal(lines, 1 + 2 * 4);
	assert_non_null(strstr(csv.buf, "GPU 0,0000:17:00.0,\"a \"\"card\"\", of ours\",h2d-pinned,"
					"h2d-pinned/4096,4096,,GB/s,"));
	bench_report_release(&bench);
	snapshot_release(&snapshot);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_selector_means_what_it_names),
		cmocka_unit_test(a_bench_tells_each_device_or_why_not),
		cmocka_unit_test(drawings_fit_and_are_safe),
		cmocka_unit_test(a_drawing_quotes_what_xml_means_otherwise),
		cmocka_unit_test(rows_quote_what_csv_means_otherwise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
