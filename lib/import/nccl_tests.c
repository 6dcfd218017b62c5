// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nccl_tests.c - all_reduce_perf of nccl-tests and rccl-tests. Its siblings print the same columns: only of an all-reduce do
 * the elements of a row make its bytes, with an operation and no root.
 */
#include "base/compat.h"
#include "import/readers.h"

#include "base/strbuf.h"
#include "base/text_scan.h"
#include "format/collective_output.h"

static bool begins_with(const char *text, const char *prefix)
{
	return !strncmp(text + strspn(text, " "), prefix, strlen(prefix));
}

enum dump_begins nccl_tests_begins(const struct dump_line *lines, size_t nr)
{
	(void)nr;
	if (begins_with(lines->text, "# nccl-tests version") || begins_with(lines->text, "# rccl-tests version"))
		return BEGINS_NEW;
	if (begins_with(lines->text, "# nThread ") || begins_with(lines->text, "# Collective test starting"))
		return BEGINS_MORE;
	return BEGINS_NOT;
}

static uint64_t bytes_of_type(const char *type)
{
	static const struct { const char *name; uint64_t bytes; } types[] = {
		{ "float", 4 }, { "half", 2 }, { "bfloat16", 2 }, { "double", 8 }, { "int8", 1 }, { "uint8", 1 },
		{ "int32", 4 }, { "uint32", 4 }, { "int64", 8 }, { "uint64", 8 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (!strcmp(type, types[i].name))
			return types[i].bytes;
	return 0;
}

static bool is_all_reduce(const struct collective_test *test)
{
	for (size_t i = 0; i < test->nr_sizes; i++) {
		const struct collective_size *size = &test->sizes[i];
		uint64_t bytes = bytes_of_type(str_or(size->type, "")), elements = u64_or(size->elements, 0);

		if (!bytes || elements > UINT64_MAX / bytes || elements * bytes != u64_or(size->size_bytes, 1) ||
		    str_is(size->operation, "none") || (is_known(size->root) && !str_is(size->root, "-1")))
			return false;
	}
	return test->nr_sizes > 0;
}

static bool is_row(const char *text)
{
	return is_digit(text[strspn(text, " ")]);
}

static bool is_row_of(const struct dump_line *line, uint64_t bytes)
{
	const char *at = line->text + strspn(line->text, " ");
	uint64_t number = 0;

	for (; is_digit(*at) && number < UINT64_MAX / 16; at++)
		number = number * 10 + (uint64_t)(*at - '0');
	return *at == ' ' && number == bytes;
}

/* Which lines told it, and which of them were understood. */
static void take_lines(struct reading *reading, struct dump_line *lines, size_t nr, struct collective_test *test)
{
	for (size_t i = 0; i < nr; i++) {
		struct dump_line *line = &lines[i];
		uint32_t from = value_from(reading->part->number, line->number);

		if (begins_with(line->text, "#") || is_row(line->text))
			line->is_taken = true;
		if (begins_with(line->text, "# Out of bounds values"))
			test->out_of_bounds.from = test->wrong.from = from;
		else if (begins_with(line->text, "# Avg bus bandwidth"))
			test->average_bus_bytes_per_s.from = from;
		else if (is_row_of(line, u64_or(test->best_bytes, 0)))
			test->best_bus_bytes_per_s.from = test->best_bytes.from = from;
	}
}

static void read_run(struct reading *reading, struct dump_line *lines, size_t nr)
{
	const struct dump_part *part = reading->part;
	struct collective_test test = { .nr_sizes = 0 }, *to;
	STRBUF_AUTO text = STRBUF_INIT;

	for (size_t i = 0; i < nr; i++)
		strbuf_addf(&text, "%s\n", lines[i].text);
	collective_output_parse(reading->arena, text.buf, text.len, &test);
	if (!is_all_reduce(&test))
		return;
	take_lines(reading, lines, nr, &test);
	to = list_element(reading->arena, reading->snapshot, collective_tests, collective_test,
			  arena_printf(reading->arena, "%s:%u", part->file, lines->number));
	test.key = to->key;
	/* What it printed beside its figures may be anybody's. */
	test.complaint = (struct val_str){ .state = VAL_UNSET };
	*to = test;
}

void nccl_tests_read(struct reading *reading)
{
	const struct dump_part *part = reading->part;
	size_t start = 0;
	bool has_head = false;

	for (size_t i = 0; i < part->nr_lines; i++) {
		bool is_head = begins_with(part->lines[i].text, "# nThread ");

		if (is_head && has_head) {
			read_run(reading, &part->lines[start], i - start);
			start = i;
		}
		has_head |= is_head;
	}
	read_run(reading, &part->lines[start], part->nr_lines - start);
}
