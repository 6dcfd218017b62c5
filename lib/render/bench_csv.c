// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bench_csv.c - a row for each timing, RFC 4180: lines end with CR LF, texts
 * that hold a comma, a quote or a line feed are quoted. Columns are only ever
 * added, at the end; an empty cell is a value that is not known.
 */
#include "base/compat.h"
#include "base/json_writer.h"
#include "eval/facts/collective.h"
#include "render/bench_words.h"

static void put_text(struct strbuf *out, const char *text)
{
	STRBUF_AUTO clean = STRBUF_INIT;

	render_clean(&clean, text ? text : "", false);
	if (!clean.buf[strcspn(clean.buf, ",\"\r\n")]) {
		strbuf_addstr(out, clean.buf);
		return;
	}
	strbuf_addch(out, '"');
	for (const char *at = clean.buf; *at; at++) {
		if (*at == '"')
			strbuf_addch(out, '"');
		strbuf_addch(out, *at);
	}
	strbuf_addch(out, '"');
}

static void put_f64(struct strbuf *out, double value)
{
	char number[32];

	json_format_f64(value, number);
	strbuf_addf(out, ",%s", number);
}

static void put_known_u64(struct strbuf *out, struct val_u64 value)
{
	if (is_known(value))
		strbuf_addf(out, ",%llu", (unsigned long long)u64_or(value, 0));
	else
		strbuf_addch(out, ',');
}

static void put_known_f64(struct strbuf *out, struct val_f64 value)
{
	if (is_known(value))
		put_f64(out, f64_or(value, 0.0));
	else
		strbuf_addch(out, ',');
}

static void put_flag(struct strbuf *out, struct val_bool value)
{
	strbuf_addf(out, ",%s", !is_known(value) ? "" : bool_or(value, false) ? "1" : "0");
}

static const char head[] =
	"device,address,name,test,key,size_bytes,numa_node,unit,median,p5,p95,p99,min,max,mad,n,noisy,settled,clock,method,"
	"vector_width,local_items,rows,cpu_percent,link_speed_mtps,link_width,clock_mhz,memory_clock_mhz,power_mean_mw,"
	"power_max_mw,temperature_max_c,busy_percent,throttle\r\n";

static void put_conditions(struct strbuf *out, struct arena *arena, const struct conditions *conditions)
{
	static const struct conditions none;
	const struct conditions *c = conditions ? conditions : &none;

	put_known_u64(out, c->link_speed_mtps);
	put_known_u64(out, c->link_width);
	put_known_u64(out, c->clock_mhz);
	put_known_u64(out, c->memory_clock_mhz);
	put_known_u64(out, c->power_mean_mw);
	put_known_u64(out, c->power_max_mw);
	put_known_f64(out, c->temperature_max_c);
	put_known_f64(out, c->busy_percent);
	strbuf_addch(out, ',');
	put_text(out, conditions ? conditions_throttle_words(arena, conditions) : NULL);
}

static void put_figures(struct strbuf *out, const struct report_timing *timing)
{
	strbuf_addf(out, ",%s", unit_symbol(timing->unit));
	put_f64(out, timing->median);
	put_f64(out, timing->p5);
	put_f64(out, timing->p95);
	put_f64(out, timing->p99);
	put_f64(out, timing->min);
	put_f64(out, timing->max);
	put_f64(out, timing->mad);
	strbuf_addf(out, ",%zu,%d", timing->n, timing->noisy);
}

static void put_row(struct strbuf *out, struct arena *arena, const struct bench_device *device,
		    const struct report_timing *timing)
{
	const char *const texts[] = { device->subject.name, device->subject.address, device->name, timing->test,
				      timing->key };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		strbuf_addstr(out, i ? "," : "");
		put_text(out, texts[i]);
	}
	strbuf_addch(out, ',');
	if (timing->has_size)
		strbuf_addf(out, "%llu", (unsigned long long)timing->size_bytes);
	put_known_u64(out, timing->timing->numa_node);
	put_figures(out, timing);
	put_flag(out, timing->timing->settled);
	strbuf_addch(out, ',');
	put_text(out, str_or(timing->timing->clock, NULL));
	strbuf_addch(out, ',');
	put_text(out, timing->method);
	put_known_u64(out, timing->timing->vector_width);
	put_known_u64(out, timing->timing->local_items);
	put_known_u64(out, timing->timing->rows);
	put_known_f64(out, timing->timing->cpu_percent);
	put_conditions(out, arena, timing->conditions);
	strbuf_addstr(out, "\r\n");
}

/* A figure of storage: a rate has no percentiles, and a time has no size. */
struct storage_figure {
	const char *test, *unit, *size;
	struct val_f64 rate;
	struct val_u64 median, p95, p99, nr;
};

static void put_storage_row(struct strbuf *out, const struct storage_path *path, const struct storage_figure *figure)
{
	const char *const texts[] = { str_or(path->key, "?"), str_or(path->disk, ""), str_or(path->file_system, ""),
				      figure->test, figure->test, figure->size, "", figure->unit };

	if (!is_known(figure->rate) && !is_known(figure->median))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		strbuf_addstr(out, i ? "," : "");
		put_text(out, texts[i]);
	}
	if (is_known(figure->rate))
		put_known_f64(out, figure->rate);
	else
		put_known_u64(out, figure->median);
	strbuf_addch(out, ',');
	put_known_u64(out, figure->p95);
	put_known_u64(out, figure->p99);
	strbuf_addstr(out, ",,,");
	put_known_u64(out, figure->nr);
	strbuf_addstr(out, ",,,,");
	put_text(out, str_or(path->method, NULL));
	strbuf_addstr(out, ",,,,,,,,,,,,,\r\n");
}

static void put_storage(struct strbuf *out, const struct storage_path *path)
{
	const struct storage_figure figures[] = {
		{ .test = "storage-sequential", .unit = "B/s", .size = "", .rate = path->sequential_bytes_per_s },
		{ .test = "storage-random-rate", .unit = "1/s", .size = "4096", .rate = path->random_reads_per_s },
		{ .test = "storage-random", .unit = "ns", .size = "4096", .median = path->random_read_p50_ns,
		  .p95 = path->random_read_p95_ns, .p99 = path->random_read_p99_ns },
		{ .test = "storage-small-file", .unit = "ns", .size = "", .median = path->small_file_p50_ns,
		  .p95 = path->small_file_p95_ns, .p99 = path->small_file_p99_ns, .nr = path->small_files },
		{ .test = "storage-absent-file", .unit = "ns", .size = "", .median = path->failing_open_p50_ns,
		  .p95 = path->failing_open_p95_ns, .p99 = path->failing_open_p99_ns, .nr = path->failing_opens },
	};

	for (size_t i = 0; i < ARRAY_SIZE(figures); i++)
		put_storage_row(out, path, &figures[i]);
}

/* GB/s as the program has them; the key tells which of both passes. */
static void put_collective_row(struct strbuf *out, const char *device, const struct collective_test *test,
			       const struct collective_size *size, const char *pass, struct val_f64 value, bool is_time)
{
	const char *test_name = is_time ? "all-reduce-time" : "all-reduce";

	if (!is_known(value))
		return;
	put_text(out, device);
	strbuf_addstr(out, ",,");
	put_text(out, str_or(test->library_version, ""));
	strbuf_addf(out, ",%s,%s/%s/%s", test_name, test_name, pass, str_or(size->key, ""));
	put_known_u64(out, size->size_bytes);
	strbuf_addf(out, ",,%s", is_time ? "ns" : "GB/s");
	put_f64(out, f64_or(value, 0.0) / (is_time ? 1.0 : 1e9));
	strbuf_addstr(out, ",,,,,,,,,,,");
	put_text(out, str_or(test->arguments, NULL));
	strbuf_addstr(out, ",,,,,,,,,,,,,\r\n");
}

static void put_collective(struct strbuf *out, struct arena *arena, const struct snapshot *snapshot,
			   const struct collective_test *test)
{
	const char *device = collective_gpus(arena, snapshot, test);

	for (size_t i = 0; i < test->nr_sizes; i++) {
		const struct collective_size *size = &test->sizes[i];

		put_collective_row(out, device, test, size, "out-of-place", size->out_of_place.bus_bytes_per_s, false);
		put_collective_row(out, device, test, size, "out-of-place", size->out_of_place.time_ns, true);
		put_collective_row(out, device, test, size, "in-place", size->in_place.bus_bytes_per_s, false);
		put_collective_row(out, device, test, size, "in-place", size->in_place.time_ns, true);
	}
}

void render_bench_csv(struct strbuf *out, const struct bench_report *bench, const struct render_options *options)
{
	struct arena arena = { .blocks = NULL };

	(void)options;
	strbuf_addstr(out, head);
	for (size_t i = 0; i < bench->nr_devices; i++)
		for (size_t k = 0; k < bench->devices[i].nr_timings; k++)
			put_row(out, &arena, &bench->devices[i], &bench->devices[i].timings[k]);
	for (size_t i = 0; i < bench->report.snapshot->nr_storage_paths; i++)
		put_storage(out, &bench->report.snapshot->storage_paths[i]);
	for (size_t i = 0; i < bench->report.snapshot->nr_collective_tests; i++)
		put_collective(out, &arena, bench->report.snapshot, &bench->report.snapshot->collective_tests[i]);
	arena_release(&arena);
}
