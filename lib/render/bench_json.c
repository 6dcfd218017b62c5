// SPDX-License-Identifier: GPL-2.0-or-later
/* bench_json.c - a bench as data, its timings as a report has them. Within a schema number keys are only added. */
#include "base/compat.h"
#include "render/bench_words.h"
#include "render/json_internal.h"

static void put_device(struct json_writer *w, const struct bench_device *device)
{
	json_object_begin(w);
	json_subject(w, &device->subject);
	json_str(w, "opencl", device->subject.device ? str_or(device->subject.device->key, NULL) : NULL);
	json_str(w, "name", device->name);
	json_str(w, "driver", device->driver);
	json_bool_member(w, "measured", !device->skipped);
	json_str(w, "reason", device->skipped);
	json_texts(w, "failed", device->failed.v, device->failed.nr);
	json_texts(w, "lacking", device->lacking.v, device->lacking.nr);
	json_object_end(w);
}

void render_bench_json(struct strbuf *out, const struct bench_report *bench, const struct render_options *options)
{
	struct json_writer w = { .out = out, .indent = 2 };
	const struct snapshot *snapshot = bench->report.snapshot;

	(void)options;
	json_object_begin(&w);
	json_str(&w, "schema", BENCH_SCHEMA);
	json_run(&w, &snapshot->run);
	json_host(&w, snapshot);
	json_request(&w, snapshot);
	json_array_member(&w, "devices");
	for (size_t i = 0; i < bench->nr_devices; i++)
		put_device(&w, &bench->devices[i]);
	json_array_end(&w);
	json_timings(&w, &bench->report);
	bench_storage_json(&w, snapshot);
	bench_collective_json(&w, bench);
	json_bool_member(&w, "complete", bench->is_complete);
	json_str(&w, "interrupted", str_or(snapshot->run.interrupted, NULL));
	json_value(&w, "elapsed_ms", &record_run.fields[FIELD_run_elapsed_ms], &snapshot->run.elapsed_ms);
	json_object_end(&w);
	strbuf_addch(out, '\n');
}
