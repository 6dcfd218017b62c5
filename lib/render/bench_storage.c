// SPDX-License-Identifier: GPL-2.0-or-later
/* bench_storage.c - storage in a bench: a table for each path, and the same as data. */
#include "base/compat.h"
#include "render/bench_words.h"

#include "eval/facts/storage.h"
#include "render/table.h"

enum { TEST, RATE, MEDIAN, P95, P99, AMOUNT };

static const struct table_column columns[BENCH_STORAGE_COLUMNS] = {
	[TEST] = { .head = "test" },
	[RATE] = { .head = "rate", .right = true },
	[MEDIAN] = { .head = "median", .right = true },
	[P95] = { .head = "p95", .right = true, .leave = 2 },
	[P99] = { .head = "p99", .right = true, .leave = 3 },
	[AMOUNT] = { .head = "n", .right = true, .leave = 1 },
};

const char *bench_storage_head(size_t column)
{
	return columns[column].head;
}

static void add(struct bench_storage_rows *rows, const char *name, const char *rate, const struct val_u64 times[3],
		const char *amount)
{
	const char **cells = rows->cells[rows->nr++];

	cells[TEST] = name;
	cells[RATE] = rate;
	for (size_t i = 0; i < 3; i++)
		cells[MEDIAN + i] = bench_cell_u64(rows->arena, UNIT_NS, times[i]);
	cells[AMOUNT] = amount;
}

static void add_opens(struct bench_storage_rows *rows, const char *name, const struct val_u64 times[3],
		      struct val_u64 nr)
{
	if (is_known(times[0]))
		add(rows, name, "", times, bench_cell_u64(rows->arena, UNIT_COUNT, nr));
}

void bench_storage_rows_of(struct arena *arena, const struct storage_path *path, struct bench_storage_rows *ret)
{
	static const struct val_u64 none[3] = { { .state = VAL_UNSET } };

	*ret = (struct bench_storage_rows){ .arena = arena };
	if (is_known(path->sequential_bytes_per_s))
		add(ret, "sequential", bench_cell_f64(arena, UNIT_BYTES_PER_S, path->sequential_bytes_per_s), none, "");
	if (is_known(path->random_reads_per_s))
		add(ret, "random 4 KiB", bench_cell_f64(arena, UNIT_PER_S, path->random_reads_per_s),
		    (struct val_u64[]){ path->random_read_p50_ns, path->random_read_p95_ns, path->random_read_p99_ns },
		    "");
	add_opens(ret, "open, read small file",
		  (struct val_u64[]){ path->small_file_p50_ns, path->small_file_p95_ns, path->small_file_p99_ns },
		  path->small_files);
	add_opens(ret, "open absent file",
		  (struct val_u64[]){ path->failing_open_p50_ns, path->failing_open_p95_ns, path->failing_open_p99_ns },
		  path->failing_opens);
}

static void put_figures(struct term_writer *term, struct arena *arena, const struct storage_path *path)
{
	struct bench_storage_rows rows;
	struct table table;

	bench_storage_rows_of(arena, path, &rows);
	table_open(&table, arena, term, columns, BENCH_STORAGE_COLUMNS, BENCH_INDENT);
	for (size_t i = 0; i < rows.nr; i++)
		table_add(&table, term, rows.cells[i]);
	if (table.nr_rows > 1)
		table_put(&table, term);
}

void bench_storage_gaps(struct arena *arena, const struct storage_path *path, struct strs *ret)
{
	const struct {
		const char *what;
		enum val_state state;
		const char *why;
	} gaps[] = {
		{ "large files", path->sequential_bytes_per_s.state, path->sequential_bytes_per_s.why },
		{ "small files", path->small_file_p50_ns.state, path->small_file_p50_ns.why },
		{ "absent files", path->failing_open_p50_ns.state, path->failing_open_p50_ns.why },
	};

	for (size_t i = 0; i < ARRAY_SIZE(gaps); i++)
		if (gaps[i].state != VAL_OK && gaps[i].state != VAL_UNSET)
			strs_add(arena, ret, arena_printf(arena, "%s: %s", gaps[i].what,
							  gaps[i].why ? gaps[i].why : val_state_name(gaps[i].state)));
	if (storage_is_memory(path))
		strs_add(arena, ret, str_is(path->kind, "memory") ? "A memory file system: no figure of a disk." :
			 "Partly from the page cache: no figure of the disk alone.");
}

static void put_path(struct term_writer *term, struct arena *arena, const struct storage_path *path)
{
	struct strs gaps = { .nr = 0 };

	term_flow(term, 0, str_or(path->key, "?"));
	if (is_known(path->file_system))
		term_fact(term, BENCH_INDENT, storage_place(arena, path));
	if (is_known(path->disk))
		term_fact(term, BENCH_INDENT, arena_printf(arena, "disk %s", str_or(path->disk, "?")));
	term_end_line(term);
	if (storage_why_not(arena, path)) {
		bench_put_line(term, STYLE_WARN, "not measured: ", storage_why_not(arena, path));
		return;
	}
	put_figures(term, arena, path);
	if (is_known(path->method))
		bench_put_line(term, STYLE_DIM, "large files: ", str_or(path->method, "?"));
	bench_storage_gaps(arena, path, &gaps);
	for (size_t i = 0; i < gaps.nr; i++)
		bench_put_line(term, STYLE_WARN, "", gaps.v[i]);
}

void bench_storage_put(struct term_writer *term, struct arena *arena, const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->nr_storage_paths; i++) {
		put_path(term, arena, &snapshot->storage_paths[i]);
		term_end_line(term);
	}
}

void bench_storage_json(struct json_writer *w, const struct snapshot *snapshot)
{
	json_array_member(w, "storage");
	for (size_t i = 0; i < snapshot->nr_storage_paths; i++)
		record_write(w, &record_storage_path, &snapshot->storage_paths[i]);
	json_array_end(w);
}
