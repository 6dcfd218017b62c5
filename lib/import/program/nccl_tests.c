// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nccl_tests.c - all_reduce_perf and the other programs of nccl-tests and rccl-tests. Which one ran new versions print
 * and a command line tells; else the rows tell an all-reduce: only of that do the elements of a row make its bytes,
 * with an operation, no root, and results in place that can be checked.
 */
#include "base/compat.h"
#include "import/dump/readers.h"
#include "import/program/program_error.h"

#include "base/strbuf.h"
#include "base/text.h"
#include "base/text_scan.h"
#include "format/collective_output.h"

enum { MAX_FAILURE = 200 };	/* bytes of a message */

/* Without what mpirun --tag-output puts before it: "[1,0]<stdout>:". */
static const char *untagged(const char *text)
{
	const char *at = text;
	uint64_t number;
	bool fits = true;

	if (!scan_char(&at, '[') || !scan_u64(&at, 10, &number, &fits) || !scan_char(&at, ',') ||
	    !scan_u64(&at, 10, &number, &fits) || strncmp(at, "]<std", 5) != 0)
		return text;
	at = strstr(at, ">:");
	return at ? at + 2 : text;
}

static bool begins_with(const char *text, const char *prefix)
{
	text = untagged(text);
	return !strncmp(text + strspn(text, " "), prefix, strlen(prefix));
}

/*
 * "node7: Test NCCL failure common.cu:958 'unhandled cuda error …'": from its second word on, as hosts are anybody's. The
 * oldest programs print "NCCL failure all_reduce.cu:95 '…'".
 */
static const char *failure_in(const char *text)
{
	static const char *const words[] = { "Test NCCL failure ", "Test CUDA failure ", "Test HIP failure ",
					     "NCCL failure " };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		const char *at = strstr(text, words[i]);

		if (at && strchr(at, '\'') && (text_begins(at, "Test ") || strstr(at, ".cu:")))
			return at;
	}
	return NULL;
}

static uint64_t bytes_of_type(const char *type)
{
	static const struct { const char *name; uint64_t bytes; } types[] = {
		{ "float", 4 }, { "half", 2 }, { "bfloat16", 2 }, { "double", 8 }, { "int8", 1 }, { "uint8", 1 },
		{ "int32", 4 }, { "uint32", 4 }, { "int64", 8 }, { "uint64", 8 }, { "f8e4m3", 1 }, { "f8e5m2", 1 },
		{ "fp8_e4m3", 1 }, { "fp8_e5m2", 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (!strcmp(type, types[i].name))
			return types[i].bytes;
	return 0;
}

/*
 * What is pasted without its head begins with that of its columns, "# size count type redop root time algbw busbw", or
 * with a row: "8388608 2097152 float sum -1 187.5 44.74 78.30 0 188.0 …".
 */
static bool is_table(const char *text)
{
	enum { FEWEST = 9, MOST = 14, OF_TYPE = 2, OF_OPERATION = 3 };
	static const char *const head[] = { "#", "size", "count", "type" };
	static const char *const operations[] = { "sum", "prod", "max", "min", "avg", "mulsum", "none" };
	struct text_word words[MOST];
	size_t nr = scan_words(untagged(text), words, MOST), same = 0;
	char type[16];

	while (same < ARRAY_SIZE(head) && same < nr && words[same].len == strlen(head[same]) &&
	       !strncmp(words[same].text, head[same], words[same].len))
		same++;
	if (same == ARRAY_SIZE(head))
		return strstr(text, "busbw");
	if (nr < FEWEST || nr == MOST || words[OF_TYPE].len >= sizeof(type) ||
	    !text_word_is_any(words[OF_OPERATION].text, words[OF_OPERATION].len, operations, ARRAY_SIZE(operations)))
		return false;
	memcpy(type, words[OF_TYPE].text, words[OF_TYPE].len);
	type[words[OF_TYPE].len] = '\0';
	for (size_t i = 0; i < nr; i++) {
		size_t len = strspn(words[i].text, i < OF_TYPE ? "0123456789" : "0123456789.e+-N/A");

		if (i != OF_TYPE && i != OF_OPERATION && len < words[i].len)
			return false;
	}
	return bytes_of_type(type);
}

enum dump_begins nccl_tests_begins(const struct dump_line *lines, size_t nr)
{
	(void)nr;
	if (begins_with(lines->text, "# nccl-tests version") || begins_with(lines->text, "# rccl-tests version"))
		return BEGINS_NEW;
	if (begins_with(lines->text, "# nThread ") || begins_with(lines->text, "# Collective test starting") ||
	    failure_in(lines->text) || is_table(lines->text))
		return BEGINS_MORE;
	return BEGINS_NOT;
}

/* ---- which program */

/* Nothing is checked in place where a collective must not be used so. */
static bool is_checked_out_of_place_only(const struct collective_size *size)
{
	return is_known(size->out_of_place.wrong) && size->in_place.wrong.state == VAL_ABSENT;
}

static bool has_rows_of_all_reduce(const struct collective_test *test)
{
	for (size_t i = 0; i < test->nr_sizes; i++) {
		const struct collective_size *size = &test->sizes[i];
		uint64_t bytes = bytes_of_type(str_or(size->type, "")), elements = u64_or(size->elements, 0);

		if (!bytes || elements > UINT64_MAX / bytes || elements * bytes != u64_or(size->size_bytes, 1) ||
		    !is_known(size->operation) || str_is(size->operation, "none") ||
		    is_checked_out_of_place_only(size) || (is_known(size->root) && !str_is(size->root, "-1")))
			return false;
	}
	return test->nr_sizes > 0;
}

static void find_collective(const struct dump_part *part, struct collective_test *test)
{
	static const char *const names[] = {
		"all_reduce", "all_gather", "reduce_scatter", "broadcast", "alltoallv", "alltoall", "sendrecv",
		"hypercube",
		"gather", "scatter", "reduce",
	};

	for (size_t i = 0; part->about && i < ARRAY_SIZE(names) && !is_known(test->collective); i++) {
		const char *at = strstr(part->about, names[i]);

		if (at && !strncmp(at + strlen(names[i]), "_perf", 5))
			test->collective = val_str(names[i]);
	}
	if (!is_known(test->collective) && has_rows_of_all_reduce(test))
		test->collective = val_str("all_reduce");
}

/*
 * Before 2.12 the programs ran in place what must not be, and counted what came of it as out of bounds: that is no
 * fault where out of place all is well, and the program may be one of these.
 */
static bool may_be_misuse(const struct collective_test *test)
{
	static const char *const in_place[] = { "all_reduce", "all_gather", "reduce_scatter", "broadcast", "reduce" };
	bool is_old = false;

	for (size_t i = 0; i < ARRAY_SIZE(in_place); i++)
		if (str_is(test->collective, in_place[i]))
			return false;
	for (size_t i = 0; i < test->nr_sizes; i++) {
		const struct val_f64 *error = &test->sizes[i].out_of_place.largest_error;

		if (is_known(*error) && f64_or(*error, 0.0) >= 1.0)
			return false;
		is_old |= is_known(*error);
	}
	return is_old;
}

/* ---- a run */

static bool is_row(const char *text)
{
	return is_digit(text[strspn(text, " ")]);
}

static bool is_row_of(const char *text, uint64_t bytes)
{
	const char *at = text + strspn(text, " ");
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

		if (begins_with(line->text, "#") || is_row(untagged(line->text)))
			line->is_taken = true;
		if (begins_with(line->text, "# Out of bounds values"))
			test->out_of_bounds.from = test->wrong.from = from;
		else if (begins_with(line->text, "# Avg bus bandwidth"))
			test->average_bus_bytes_per_s.from = from;
		else if (is_row_of(untagged(line->text), u64_or(test->best_bytes, 0)))
			test->best_bus_bytes_per_s.from = test->best_bytes.from = from;
	}
}

/* Its first characters, and no part of one. */
static const char *cut(struct arena *arena, const char *text)
{
	return arena_strndup(arena, text, utf8_floor(text, strnlen(text, MAX_FAILURE)));
}

/* What it printed beside its figures may be anybody's, but for the message with which it ends. */
static void take_failure(struct reading *reading, struct dump_line *lines, size_t nr, struct collective_test *test)
{
	test->complaint = (struct val_str){ .state = VAL_UNSET };
	for (size_t i = 0; i < nr; i++) {
		const char *failure = failure_in(lines[i].text);

		if (!failure)
			continue;
		lines[i].is_taken = true;
		program_error_take(reading, &lines[i], failure);
		if (!is_known(test->complaint))
			put(reading, &lines[i], test->complaint, val_str(cut(reading->arena, failure)));
	}
}

/* The head that the columns of rows have, where it was left out; "": it is there. Errors were no counts before 2.12. */
static const char *missing_head(struct arena *arena, const struct dump_line *lines, size_t nr)
{
	enum { WITHOUT_ROOT = 12, WITH_ROOT = 13 };
	struct text_word words[WITH_ROOT + 1];
	size_t nr_words = scan_words(untagged(lines->text), words, WITH_ROOT + 1);
	const char *checked;

	for (size_t i = 0; i < nr; i++)
		if (begins_with(lines[i].text, "#") && strstr(lines[i].text, "busbw"))
			return "";
	if (!is_table(lines->text) || (nr_words != WITHOUT_ROOT && nr_words != WITH_ROOT))
		return "";
	checked = memchr(words[nr_words - 1].text, 'e', words[nr_words - 1].len) ? "error" : "#wrong";
	return arena_printf(arena, "# size count type redop %stime algbw busbw %s time algbw busbw %s\n",
			    nr_words == WITH_ROOT ? "root " : "", checked, checked);
}

static void read_run(struct reading *reading, struct dump_line *lines, size_t nr)
{
	const struct dump_part *part = reading->part;
	struct collective_test test = { .nr_sizes = 0 }, *to;
	STRBUF_AUTO text = STRBUF_INIT;

	strbuf_addstr(&text, missing_head(reading->arena, lines, nr));
	for (size_t i = 0; i < nr; i++)
		strbuf_addf(&text, "%s\n", untagged(lines[i].text));
	collective_output_parse(reading->arena, text.buf, text.len, &test);
	take_failure(reading, lines, nr, &test);
	if (!test.nr_sizes && !is_known(test.complaint))
		return;
	find_collective(part, &test);
	if (may_be_misuse(&test))
		test.out_of_bounds = (struct val_u64){ .state = VAL_UNSET };
	take_lines(reading, lines, nr, &test);
	to = list_element(reading->arena, reading->snapshot, collective_tests, collective_test,
			  arena_printf(reading->arena, "%s:%u", part->file, lines->number));
	test.key = to->key;
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
