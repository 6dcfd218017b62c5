// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dcgm_table.c - the table of dcgmi diag, whose texts are cut anywhere at the width of its second column.
 *
 *	| GPU Memory                | Pass - GPUs: 1, 2, 3        |	DCGM 3
 *	|                           | Fail - GPU: 0               |
 *	| Warning                   | GPU 0 Error using CUDA API  |
 *	| memory                    | Fail                        |	DCGM 4
 *	|                           | GPU0: Fail                  |
 *	| Warning: GPU0             | Error using CUDA API …      |
 *
 * Without its frame dcgm_row.h knows it.
 */
#include "base/compat.h"
#include "import/dump/readers.h"
#include "import/nvidia/dcgm_row.h"
#include "import/program/dcgm_result.h"

#include "base/strbuf.h"
#include "base/text_scan.h"

enum {
	NAME_BYTES = 64,
	WORDS_COLUMNS = 45,	/* of the second column, */
	MORE_COLUMNS = 46,	/* or one more */
	MAX_WORDS = 400,
};

/* "| GPU Memory  | Pass - GPUs: 1, 2 |", where what is above it was cut off. */
static bool is_row_of_gpus(const char *text)
{
	static const char *const results[] = { "| Pass - GPU", "| Fail - GPU", "| Warn - GPU" };

	for (size_t i = 0; i < ARRAY_SIZE(results); i++)
		if (text[0] == '|' && text[1] && text[2] != ' ' && strstr(text, results[i]))
			return true;
	return false;
}

/* Of the table or of one of its sections. */
static enum dump_begins head_of(const char *text)
{
	if (!strncmp(text, "| Diagnostic ", 13) && strstr(text, "| Result "))
		return BEGINS_NEW;
	if (strncmp(text, "|-----  ", 8) != 0 && strncmp(text, "+-----  ", 8) != 0)
		return BEGINS_NOT;
	return strstr(text, "Metadata  ---") || strstr(text, "Deployment  ---") || strstr(text, "Hardware  ---") ||
			       strstr(text, "Integration  ---") || strstr(text, "Stress  ---")
		       ? BEGINS_MORE
		       : BEGINS_NOT;
}

enum dump_begins dcgm_table_begins(const struct dump_line *lines, size_t nr)
{
	const char *text = lines->text + strspn(lines->text, " ");

	return is_row_of_gpus(text) || dcgm_row_begins(lines, nr) ? BEGINS_MORE : head_of(text);
}

struct table {
	struct reading *reading;
	size_t columns;			/* so many characters fill the second one */
	char test[NAME_BYTES];		/* "": none is at hand */
	const char *summary;		/* its status as a whole, until GPUs tell theirs */
	struct dump_line *summary_line;
	/* an error that names no GPU which has a result: whose it is shows at the test's end */
	const char *pending;
	struct dump_line *pending_line;
	uint64_t told;			/* GPUs that have a result of the test at hand */
	bool is_explained;		/* one of them has the status that the test has as a whole */
	bool is_message;		/* a text is at hand that may go on */
	bool is_info;			/* which is no error */
	int message_gpu;
	struct dump_line *message_line;
	struct strbuf message;
};

static struct diagnostic_result *put_status(struct table *table, struct dump_line *line, int gpu, const char *status)
{
	const struct dcgm_result result = { .test = arena_strdup(table->reading->arena, table->test), .gpu = gpu,
					    .status = status };

	if (gpu >= 0) {
		table->told |= (uint64_t)1 << gpu;
		table->is_explained |= table->summary && !strcmp(table->summary, status);
	}
	return dcgm_put_result(table->reading, line, &result);
}

/* ---- messages */

static struct diagnostic_result *result_of(struct table *table, int gpu)
{
	struct snapshot *snapshot = table->reading->snapshot;
	const struct gpu *of;
	char key[16];

	if (gpu == DCGM_NO_GPU)
		return (struct diagnostic_result *)list_find(snapshot, diagnostics, diagnostic_result, table->test);
	snprintf(key, sizeof(key), "gpu%d", gpu);
	of = list_find(snapshot, gpus, gpu, key);
	return of ? (struct diagnostic_result *)list_find(of, diagnostics, diagnostic_result, table->test) : NULL;
}

static void put_words(struct table *table, int gpu, struct dump_line *line, const char *words)
{
	struct diagnostic_result *to = result_of(table, gpu);

	if (!to || is_known(to->words) || (!str_is(to->status, "fail") && !str_is(to->status, "warn")))
		return;
	dcgm_put_words(table->reading, line, to, words);
}

/* "GPU 0 Error using …": whose it is */
static int gpu_in(const char *text)
{
	uint64_t number = 0;
	const char *at = text + 3;

	if (strncmp(text, "GPU", 3) != 0)
		return DCGM_NO_GPU;
	at += strspn(at, " :");
	if (!is_digit(*at))
		return DCGM_NO_GPU;
	for (; is_digit(*at) && number < DCGM_MAX_GPUS; at++)
		number = number * 10 + (uint64_t)(*at - '0');
	return number < DCGM_MAX_GPUS ? (int)number : DCGM_NO_GPU;
}

static bool is_bad(const char *status)
{
	return status && (!strcmp(status, "fail") || !strcmp(status, "warn"));
}

static void end_test(struct table *table)
{
	if (table->summary && (!table->told || (is_bad(table->summary) && !table->is_explained)))
		put_status(table, table->summary_line, DCGM_NO_GPU, table->summary);
	for (int i = DCGM_NO_GPU; table->pending && i < DCGM_MAX_GPUS; i++)
		put_words(table, i, table->pending_line, table->pending);
	table->summary = table->pending = NULL;
	table->told = 0;
	table->is_explained = false;
	table->test[0] = '\0';
}

static void end_message(struct table *table)
{
	const char *words;
	int gpu = table->message_gpu;

	if (!table->is_message)
		return;
	table->is_message = false;
	strbuf_rtrim(&table->message);
	if (!table->message.len || table->is_info)
		return;
	words = arena_strdup(table->reading->arena, table->message.buf);
	if (gpu == DCGM_NO_GPU)
		gpu = gpu_in(words);
	/* An error before any test is of what keeps the diagnostic from them. */
	if (!*table->test) {
		snprintf(table->test, sizeof(table->test), "deployment");
		put_status(table, table->message_line, gpu, "fail");
	}
	/* "Fail - All", and the one that it names below is why. */
	if (gpu != DCGM_NO_GPU && !result_of(table, gpu) && is_bad(table->summary))
		put_status(table, table->message_line, gpu, table->summary);
	if (gpu != DCGM_NO_GPU && result_of(table, gpu)) {
		put_words(table, gpu, table->message_line, words);
	} else if (!table->pending) {
		table->pending = words;
		table->pending_line = table->message_line;
	}
}

/* What fills its column goes on without a blank, wherever the word was cut. */
static void add_words(struct table *table, const char *words, size_t len)
{
	if (table->message.len + len > MAX_WORDS)
		return;
	strbuf_add(&table->message, words, len);
	if (len < table->columns)
		strbuf_addch(&table->message, ' ');
}

static void begin_message(struct table *table, struct dump_line *line, const char *name, const char *words, size_t len)
{
	const char *of = strchr(name, ':');

	end_message(table);
	table->is_message = true;
	table->is_info = !strncmp(name, "Info", 4);
	table->message_gpu = of ? gpu_in(of + 1 + strspn(of + 1, " ")) : DCGM_NO_GPU;
	table->message_line = line;
	strbuf_reset(&table->message);
	add_words(table, words, len);
}

/* ---- statuses */

/* "Fail - GPUs: 1, 3", "Fail - GPU 2": each of them; false: it names none. */
static bool put_listed(struct table *table, struct dump_line *line, const char *text, const char *status)
{
	const char *at = strstr(text, "GPU");
	bool is_any = false;

	if (!at)
		return false;
	for (at += strlen("GPU"); *at;) {
		uint64_t number = 0;

		at += strspn(at, "sS: ,");
		if (!is_digit(*at))
			break;
		for (; is_digit(*at); at++)
			number = number < DCGM_MAX_GPUS ? number * 10 + (uint64_t)(*at - '0') : number;
		if (number >= DCGM_MAX_GPUS)
			break;
		put_status(table, line, (int)number, status);
		is_any = true;
	}
	return is_any;
}

static void take_status(struct table *table, struct dump_line *line, const char *text)
{
	const char *colon = strchr(text, ':'), *status;
	int gpu = gpu_in(text);

	if (gpu != DCGM_NO_GPU && colon) {	/* "GPU0: Fail" */
		status = dcgm_status(colon + 1 + strspn(colon + 1, " "));
		if (status)
			put_status(table, line, gpu, status);
		return;
	}
	status = dcgm_status(text);
	if (!status)
		return;
	line->is_taken = true;
	if (put_listed(table, line, text, status))
		return;
	table->summary = status;
	table->summary_line = line;
}

static void begin_test(struct table *table, struct dump_line *line, const char *name, const char *text)
{
	end_message(table);
	end_test(table);
	if (!strcmp(name, "Driver Version Detected")) {
		dcgm_put_driver(table->reading, line, arena_strdup(table->reading->arena, text));
		return;
	}
	line->is_taken |= !strcmp(name, "DCGM Version") || !strcmp(name, "GPU Device IDs Detected");
	if (!dcgm_status(text))
		return;
	snprintf(table->test, sizeof(table->test), "%s", name);
	take_status(table, line, text);
}

/* ---- lines */

/* The text of a column, without the blank at its left; those at its right count as they were printed. */
static const char *column(struct arena *arena, const char *from, const char *end)
{
	from += from < end && *from == ' ';
	while (end > from && end[-1] == ' ')
		end--;
	return arena_strndup(arena, from, (size_t)(end - from));
}

/* Behind the bar in the middle, or NULL; *ret_end is where the row's last one is. */
static const char *second_column(const char *text, const char **ret_end)
{
	const char *middle;

	text += strspn(text, " ");
	middle = *text == '|' ? strchr(text + 1, '|') : NULL;
	*ret_end = middle ? strrchr(middle + 1, '|') : NULL;
	if (middle && !*ret_end)
		*ret_end = middle + strlen(middle);
	return middle ? middle + 1 : NULL;
}

static size_t columns_of(const struct dump_part *part)
{
	const char *end;

	for (size_t i = 0; i < part->nr_lines; i++) {
		const char *words = second_column(part->lines[i].text, &end);

		while (words && end > words && end[-1] == ' ')
			end--;
		if (words && end - words > MORE_COLUMNS)	/* with the blank at its left */
			return MORE_COLUMNS;
	}
	return WORDS_COLUMNS;
}

static void read_row(struct table *table, struct dump_line *line)
{
	static const char *const messages[] = { "Warning", "Error", "Info" };
	struct arena *arena = table->reading->arena;
	const char *text = line->text + strspn(line->text, " "), *end, *name, *words = second_column(text, &end);

	if (!words)
		return;
	name = column(arena, text + 1, words - 1);
	name += strspn(name, " ");
	words = column(arena, words, end);
	for (size_t i = 0; i < ARRAY_SIZE(messages); i++)
		if (!strncmp(name, messages[i], strlen(messages[i]))) {
			line->is_taken = true;
			begin_message(table, line, name, words, strlen(words));
			return;
		}
	if (*name) {
		begin_test(table, line, name, words + strspn(words, " "));
	} else if (table->is_message) {
		line->is_taken = true;
		add_words(table, words, strlen(words));
	} else if (*table->test) {
		take_status(table, line, words + strspn(words, " "));
	}
}

static bool is_rule(const char *text)
{
	text += strspn(text, " ");
	return (*text == '|' || *text == '+') && (text[1] == '-' || text[1] == '=');
}

void dcgm_table_read(struct reading *reading)
{
	const struct dump_part *part = reading->part;
	struct table table = { .reading = reading, .columns = columns_of(part), .message = STRBUF_INIT };
	bool is_inside = false;		/* what follows the table may have tables of its own */

	for (size_t i = 0; i < part->nr_lines; i++) {
		struct dump_line *line = &part->lines[i];
		bool is_head = head_of(line->text + strspn(line->text, " ")) != BEGINS_NOT;

		is_inside |= is_head ||
			     (*past_blanks(line->text) == '|' && dcgm_table_begins(line, 1) != BEGINS_NOT);
		if (is_rule(line->text) || is_head) {
			line->is_taken = true;
			end_message(&table);
			end_test(&table);
		} else if (line->text[strspn(line->text, " ")] != '|') {
			is_inside = false;
			dcgm_row_read(reading, line);
		} else if (is_inside) {
			read_row(&table, line);
		}
	}
	end_message(&table);
	end_test(&table);
	strbuf_release(&table.message);
}
