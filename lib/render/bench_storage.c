// SPDX-License-Identifier: GPL-2.0-or-later
/* bench_storage.c - storage in a bench: a table for each path, and the same as data. */
#include "base/compat.h"
#include "render/bench_words.h"

#include "eval/facts/storage.h"
#include "render/table.h"

enum { TEST, RATE, MEDIAN, P95, P99, AMOUNT, NR_COLUMNS };

static const struct table_column columns[NR_COLUMNS] = {
	[TEST] = { .head = "test" },
	[RATE] = { .head = "rate", .right = true },
	[MEDIAN] = { .head = "median", .right = true },
	[P95] = { .head = "p95", .right = true, .leave = 2 },
	[P99] = { .head = "p99", .right = true, .leave = 3 },
	[AMOUNT] = { .head = "n", .right = true, .leave = 1 },
};

static void add_opens(struct table *table, const struct term_writer *term, const char *name, const struct val_u64 times[3],
		      struct val_u64 nr)
{
	struct arena *arena = table->arena;
	const char *cells[NR_COLUMNS] = {
		[TEST] = name, [RATE] = "", [MEDIAN] = bench_cell_u64(arena, UNIT_NS, times[0]),
		[P95] = bench_cell_u64(arena, UNIT_NS, times[1]), [P99] = bench_cell_u64(arena, UNIT_NS, times[2]),
		[AMOUNT] = bench_cell_u64(arena, UNIT_COUNT, nr),
	};

	if (is_known(times[0]))
		table_add(table, term, cells);
}

static void put_figures(struct term_writer *term, struct arena *arena, const struct storage_path *path)
{
	const char *sequential[NR_COLUMNS] = {
		"sequential", bench_cell_f64(arena, UNIT_BYTES_PER_S, path->sequential_bytes_per_s), "", "", "", "",
	};
	const char *random[NR_COLUMNS] = {
		"random 4 KiB", bench_cell_f64(arena, UNIT_PER_S, path->random_reads_per_s),
		bench_cell_u64(arena, UNIT_NS, path->random_read_p50_ns), bench_cell_u64(arena, UNIT_NS, path->random_read_p95_ns),
		bench_cell_u64(arena, UNIT_NS, path->random_read_p99_ns), "",
	};
	struct table table;

	table_open(&table, arena, term, columns, NR_COLUMNS, BENCH_INDENT);
	if (is_known(path->sequential_bytes_per_s))
		table_add(&table, term, sequential);
	if (is_known(path->random_reads_per_s))
		table_add(&table, term, random);
	add_opens(&table, term, "open, read small file",
		  (struct val_u64[]){ path->small_file_p50_ns, path->small_file_p95_ns, path->small_file_p99_ns },
		  path->small_files);
	add_opens(&table, term, "open absent file",
		  (struct val_u64[]){ path->failing_open_p50_ns, path->failing_open_p95_ns, path->failing_open_p99_ns },
		  path->failing_opens);
	if (table.nr_rows > 1)
		table_put(&table, term);
}

/* What a test lacks: "no file of 8 MiB or more found below it". */
static void put_gaps(struct term_writer *term, const struct storage_path *path)
{
	const struct {
		const char *what;
		enum val_state state;
		const char *why;
	} gaps[] = {
		{ "large files: ", path->sequential_bytes_per_s.state, path->sequential_bytes_per_s.why },
		{ "small files: ", path->small_file_p50_ns.state, path->small_file_p50_ns.why },
		{ "absent files: ", path->failing_open_p50_ns.state, path->failing_open_p50_ns.why },
	};

	for (size_t i = 0; i < ARRAY_SIZE(gaps); i++)
		if (gaps[i].state != VAL_OK && gaps[i].state != VAL_UNSET)
			bench_put_line(term, STYLE_WARN, gaps[i].what, gaps[i].why ? gaps[i].why : val_state_name(gaps[i].state));
}

static void put_path(struct term_writer *term, struct arena *arena, const struct storage_path *path)
{
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
	put_gaps(term, path);
	if (is_known(path->method))
		bench_put_line(term, STYLE_DIM, "large files: ", str_or(path->method, "?"));
	if (storage_is_memory(path))
		bench_put_line(term, STYLE_WARN, "", str_is(path->kind, "memory") ?
			 "A memory file system: no figure of a disk." : "Partly from the page cache: no figure of the disk alone.");
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
