// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "render/bench_words.h"

#include "eval/facts/collective.h"
#include "render/table.h"

enum { SIZE, TIME, ALGORITHM, BUS, WRONG, IN_TIME, IN_ALGORITHM, IN_BUS, IN_WRONG };

static const struct table_column columns[BENCH_COLLECTIVE_COLUMNS] = {
	[SIZE] = { .head = "size", .right = true },
	[TIME] = { .head = "time", .right = true, .leave = 3 },
	[ALGORITHM] = { .head = "algbw", .right = true, .leave = 2 },
	[BUS] = { .head = "busbw", .right = true },
	[WRONG] = { .head = "wrong", .right = true, .leave = 4 },
	[IN_TIME] = { .head = "in place", .right = true, .leave = 3 },
	[IN_ALGORITHM] = { .head = "algbw", .right = true, .leave = 1 },
	[IN_BUS] = { .head = "busbw", .right = true, .leave = 5 },
	[IN_WRONG] = { .head = "wrong", .right = true, .leave = 4 },
};

const char *bench_collective_head(size_t column)
{
	return columns[column].head;
}

void bench_collective_cells(struct arena *arena, const struct collective_size *size,
			    const char *cells[BENCH_COLLECTIVE_COLUMNS])
{
	const struct collective_pass *out = &size->out_of_place, *in = &size->in_place;

	cells[SIZE] = bench_cell_u64(arena, UNIT_BYTES, size->size_bytes);
	cells[TIME] = bench_cell_f64(arena, UNIT_NS, out->time_ns);
	cells[ALGORITHM] = bench_cell_f64(arena, UNIT_BYTES_PER_S, out->algorithm_bytes_per_s);
	cells[BUS] = bench_cell_f64(arena, UNIT_BYTES_PER_S, out->bus_bytes_per_s);
	cells[WRONG] = bench_cell_u64(arena, UNIT_COUNT, out->wrong);
	cells[IN_TIME] = bench_cell_f64(arena, UNIT_NS, in->time_ns);
	cells[IN_ALGORITHM] = bench_cell_f64(arena, UNIT_BYTES_PER_S, in->algorithm_bytes_per_s);
	cells[IN_BUS] = bench_cell_f64(arena, UNIT_BYTES_PER_S, in->bus_bytes_per_s);
	cells[IN_WRONG] = bench_cell_u64(arena, UNIT_COUNT, in->wrong);
}

static void put_rows(struct term_writer *term, struct arena *arena, const struct collective_test *test)
{
	struct table table;

	table_open(&table, arena, term, columns, BENCH_COLLECTIVE_COLUMNS, BENCH_INDENT);
	for (size_t i = 0; i < test->nr_sizes; i++) {
		const char *cells[BENCH_COLLECTIVE_COLUMNS];

		bench_collective_cells(arena, &test->sizes[i], cells);
		table_add(&table, term, cells);
	}
	if (table.nr_rows > 1)
		table_put(&table, term);
}

static void put_findings(struct term_writer *term, const struct report *report)
{
	static const struct {
		enum style style;
		const char *word;
	} words[] = {
		[OUTCOME_PASS] = { STYLE_PASS, "" }, [OUTCOME_NOTE] = { STYLE_NOTE, "" },
		[OUTCOME_WARN] = { STYLE_WARN, "WARN: " }, [OUTCOME_FAIL] = { STYLE_FAIL, "FAIL: " },
	};

	for (size_t i = 0; i < report->nr_findings; i++) {
		const struct finding *finding = report->findings[i];
		enum outcome outcome = finding->outcome <= OUTCOME_FAIL ? finding->outcome : OUTCOME_NOTE;

		bench_put_line(term, words[outcome].style, words[outcome].word, finding->title);
		for (size_t k = 0; outcome >= OUTCOME_WARN && k < finding->nr_steps; k++) {
			bench_put_line(term, STYLE_PLAIN, "Next: ", finding->steps[k].text);
			if (finding->steps[k].command)
				term_command(term, BENCH_HANG, finding->steps[k].command);
		}
	}
}

const struct collective_test *bench_collective_test(const struct bench_report *bench)
{
	const struct snapshot *snapshot = bench->report.snapshot;

	return list_find(snapshot, collective_tests, collective_test, str_or(snapshot->request.collective, ""));
}

const char *bench_collective_words(struct arena *arena, const struct bench_report *bench)
{
	const struct collective_test *test = bench_collective_test(bench);

	if (!test || !test->gpus.nr)
		return "All-reduce";
	return arena_printf(arena, "All-reduce over %s", collective_gpus(arena, bench->report.snapshot, test));
}

void bench_collective_put(struct term_writer *term, struct arena *arena, const struct bench_report *bench)
{
	const struct collective_test *test = bench_collective_test(bench);

	if (!bench_has_collective(&bench->report.snapshot->request))
		return;
	term_flow(term, 0, bench_collective_words(arena, bench));
	if (test && is_known(test->tool_version))
		term_fact(term, BENCH_INDENT, str_or(test->tool_version, ""));
	if (test && is_known(test->library_version))
		term_fact(term, BENCH_INDENT, str_or(test->library_version, ""));
	term_end_line(term);
	if (test)
		put_rows(term, arena, test);
	if (bench->collective_reason)
		bench_put_line(term, STYLE_WARN, "not measured: ", bench->collective_reason);
	put_findings(term, &bench->report);
	if (test && is_known(test->arguments))
		bench_put_line(term, STYLE_DIM, "",
			       arena_printf(arena, "%s %s", str_or(test->key, ""), str_or(test->arguments, "")));
	term_end_line(term);
}

void bench_collective_json(struct json_writer *w, const struct bench_report *bench)
{
	const struct snapshot *snapshot = bench->report.snapshot;

	json_array_member(w, "collective");
	for (size_t i = 0; i < snapshot->nr_collective_tests; i++)
		record_write(w, &record_collective_test, &snapshot->collective_tests[i]);
	json_array_end(w);
	json_str(w, "collective_reason", bench->collective_reason);
	json_array_member(w, "findings");
	for (size_t i = 0; i < bench->report.nr_findings; i++) {
		const struct finding *finding = bench->report.findings[i];

		json_object_begin(w);
		json_str(w, "id", finding->def->name);
		json_str(w, "outcome", outcome_name(finding->outcome));
		json_str(w, "title", finding->title);
		json_str(w, "why", finding->why);
		json_object_end(w);
	}
	json_array_end(w);
}
