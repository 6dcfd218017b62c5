// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "format/collective_output.h"

#include "base/text.h"
#include "base/text_scan.h"

enum {
	MAX_WORDS = 40,		/* of a row; 13 are usual */
	MAX_ROWS = 64,
	MAX_RANKS = 256,
	COMPLAINT_BYTES = 240,
};
#define MOST_GBPS 1e5		/* what is more is no figure */
#define MOST_US 1e12

enum column {
	OTHER, SIZE, COUNT, TYPE, OPERATION, ROOT, TIME, ALGORITHM, BUS, WRONG, ERROR_COLUMN,
};

struct parsing {
	struct arena *arena;
	struct collective_test *test;
	size_t nr_columns;
	enum column columns[MAX_WORDS];
	const char *complaint, *last_complaint;	/* the first is a library's as a rule, the last the program's own */
	const char *last;		/* line that is neither comment nor row */
};

/* ---- words */

struct words {
	size_t nr;
	const char *v[MAX_WORDS];
};

/* False: more of them than any row has. */
static bool split(struct arena *arena, const char *line, struct words *ret)
{
	const char *at = line, *word;
	size_t len;

	ret->nr = 0;
	for (word = scan_word(&at, &len); len; word = scan_word(&at, &len)) {
		if (ret->nr == MAX_WORDS)
			return false;
		ret->v[ret->nr++] = arena_strndup(arena, word, len);
	}
	return true;
}

static bool is_digits(const char *word)
{
	return *word && !word[strspn(word, "0123456789")];
}

/* What follows that name in the line, past colons and blanks: "maxBytes 8", "maxBytes: 8". NULL: it is not there. */
static const char *value_after(const char *line, const char *name)
{
	const char *at = strstr(line, name);

	return at ? at + strlen(name) + strspn(at + strlen(name), " :\t") : NULL;
}

static bool number_after(const char *line, const char *name, uint64_t *ret)
{
	const char *at = value_after(line, name);
	bool fits = true;

	return at && scan_u64(&at, 10, ret, &fits) && fits;
}

static struct val_str words_after(struct parsing *p, const char *prefix, const char *line, const char *name)
{
	const char *at = value_after(line, name);
	size_t len = at ? strcspn(at, " \t") : 0;

	return len ? val_str(arena_printf(p->arena, "%s%.*s", prefix, (int)len, at)) : no_str(VAL_UNSET, NULL);
}

/* ---- comments */

static const struct {
	const char *word;
	enum column column;
} column_names[] = {
	{ "size", SIZE }, { "count", COUNT }, { "type", TYPE }, { "redop", OPERATION }, { "root", ROOT },
	{ "time", TIME }, { "algbw", ALGORITHM }, { "busbw", BUS }, { "#wrong", WRONG }, { "error", ERROR_COLUMN },
};

static void read_columns(struct parsing *p, const char *line)
{
	struct words words;

	p->nr_columns = 0;
	if (!split(p->arena, line + 1, &words))
		return;
	for (size_t i = 0; i < words.nr; i++) {
		p->columns[i] = OTHER;
		for (size_t k = 0; k < ARRAY_SIZE(column_names); k++)
			if (!strcmp(words.v[i], column_names[k].word))
				p->columns[i] = column_names[k].column;
	}
	p->nr_columns = words.nr;
}

/* "[0000:07:00] NVIDIA H100", "[0x07] A100-SXM4-40GB" */
static void read_rank_device(struct parsing *p, const char *at, struct collective_rank *rank)
{
	const char *open = strchr(at, '['), *close = open ? strchr(open, ']') : NULL;
	const char *name = close ? close + 1 + strspn(close + 1, " ") : NULL;

	if (!close)
		return;
	rank->address = val_str(arena_strndup(p->arena, open + 1, (size_t)(close - open - 1)));
	if (*name)
		rank->name = val_str(arena_strdup(p->arena, name));
}

static void read_rank(struct parsing *p, const char *line)
{
	struct collective_rank *rank;
	uint64_t number, device;
	const char *at;

	if (!number_after(line, "Rank", &number) || number >= MAX_RANKS)
		return;
	rank = list_element(p->arena, p->test, ranks, collective_rank,
			    arena_printf(p->arena, "%llu", (unsigned long long)number));
	/* The name of the host stands before it, and may be any. */
	at = strstr(line, " device ");
	if (is_known(rank->address) || !at)
		return;
	if (number_after(at, "device", &device))
		rank->device = val_u64(device);
	read_rank_device(p, at, rank);
}

static void read_sum(struct parsing *p, const char *line)
{
	const char *bandwidth = value_after(line, "Avg bus bandwidth");
	uint64_t number;
	double gbps;

	if (number_after(line, "Out of bounds values", &number))
		p->test->out_of_bounds = val_u64(number);
	if (bandwidth && !parse_f64(arena_strndup(p->arena, bandwidth, strcspn(bandwidth, " \t")), &gbps) &&
	    gbps >= 0.0 && gbps <= MOST_GBPS)
		p->test->average_bus_bytes_per_s = val_f64(gbps * 1e9);
}

/* "all_gather_perf": "all_gather" */
static void read_collective(struct parsing *p, const char *line)
{
	const char *name = value_after(line, "Collective test starting:");
	const char *end = name ? strstr(name, "_perf") : NULL;

	if (end && end > name && !end[strlen("_perf")])
		p->test->collective = val_str(arena_strndup(p->arena, name, (size_t)(end - name)));
}

static void read_comment(struct parsing *p, const char *line)
{
	uint64_t number;

	if (strstr(line, "busbw")) {
		read_columns(p, line);
		return;
	}
	if (!strncmp(line + 1 + strspn(line + 1, " "), "Rank ", 5)) {
		read_rank(p, line);
		return;
	}
	if (number_after(line, "validation", &number))
		p->test->checked = val_u64(number);
	if (number_after(line, "maxBytes to ", &number) || number_after(line, "maxBytes", &number))
		p->test->largest_bytes = val_u64(number);
	if (strstr(line, "nccl-tests version"))
		p->test->tool_version = words_after(p, "nccl-tests ", line, "nccl-tests version");
	read_collective(p, line);
	read_sum(p, line);
}

/* ---- rows */

static struct val_f64 figure(const char *word, double most, double scale)
{
	double value;

	if (!strcmp(word, "N/A"))
		return no_f64(VAL_ABSENT, "N/A");
	if (parse_f64(word, &value) || value < 0.0 || value > most)
		return no_f64(VAL_ERROR, "no figure");
	return val_f64(value * scale);
}

/* Counts are printed as a float is: "1.04858e+06". */
static struct val_u64 wrong_values(const char *word)
{
	struct val_f64 value = figure(word, 1e18, 1.0);

	return is_known(value) ? val_u64((uint64_t)f64_or(value, 0.0)) : no_u64(value.state, value.why);
}

static void take_word(struct collective_size *size, struct collective_pass *pass, enum column column, const char *word)
{
	uint64_t number;

	if (column == COUNT && !parse_u64(word, &number))
		size->elements = val_u64(number);
	else if (column == TYPE)
		size->type = val_str(word);
	else if (column == OPERATION)
		size->operation = val_str(word);
	else if (column == ROOT)
		size->root = val_str(word);
	else if (column == TIME)
		pass->time_ns = figure(word, MOST_US, 1000.0);
	else if (column == ALGORITHM)
		pass->algorithm_bytes_per_s = figure(word, MOST_GBPS, 1e9);
	else if (column == BUS)
		pass->bus_bytes_per_s = figure(word, MOST_GBPS, 1e9);
	else if (column == WRONG)
		pass->wrong = wrong_values(word);
	else if (column == ERROR_COLUMN)
		pass->largest_error = figure(word, 1e300, 1.0);
}

/* The first that is named is the line's own; the program prints each size once. */
static void read_row(struct parsing *p, const struct words *words)
{
	struct collective_size *size;
	struct collective_pass *pass;
	unsigned passes = 0;
	uint64_t bytes;

	if (words->nr != p->nr_columns || p->columns[0] != SIZE || parse_u64(words->v[0], &bytes) || !bytes ||
	    p->test->nr_sizes == MAX_ROWS)
		return;
	size = list_element(p->arena, p->test, sizes, collective_size,
			    arena_printf(p->arena, "%llu", (unsigned long long)bytes));
	if (is_known(size->size_bytes))
		return;
	size->size_bytes = val_u64(bytes);
	pass = &size->out_of_place;
	for (size_t i = 1; i < words->nr; i++) {
		if (p->columns[i] == TIME && ++passes > 1)
			pass = &size->in_place;
		take_word(size, pass, p->columns[i], words->v[i]);
	}
}

/* ---- what is neither */

static bool is_complaint(const char *line)
{
	static const char *const signs[] = {
		"ailure", "rror", "nvalid", "NCCL WARN", "annot", "not found", "failed", "usage", "USAGE",
	};

	return text_has_any(line, signs, ARRAY_SIZE(signs));
}

static const char *cut(struct parsing *p, const char *line)
{
	size_t len = strlen(line);

	len = utf8_floor(line, len < COMPLAINT_BYTES ? len : COMPLAINT_BYTES);
	return arena_printf(p->arena, "%.*s%s", (int)len, line, line[len] ? "…" : "");
}

static void add_complaint(struct parsing *p, const char *line)
{
	if (!p->complaint)
		p->complaint = cut(p, line);
	else
		p->last_complaint = line;
}

static void read_other(struct parsing *p, const char *line)
{
	struct collective_test *test = p->test;

	if (strstr(line, "rccl-tests: Version")) {
		test->tool_version = words_after(p, "rccl-tests ", line, "rccl-tests: Version");
		return;
	}
	if (!is_known(test->library_version) && strstr(line, "RCCL version"))
		test->library_version = words_after(p, "RCCL ", line, "RCCL version");
	else if (!is_known(test->library_version) && strstr(line, "NCCL version"))
		test->library_version = words_after(p, "NCCL ", line, "NCCL version");
	else if (is_complaint(line))
		add_complaint(p, line);
	else
		p->last = line;
}

static void read_line(struct parsing *p, const char *text, size_t len)
{
	struct words words;
	const char *line;

	while (len && strchr(" \t\r", text[len - 1]))
		len--;
	if (!len || !utf8_valid(text, len))
		return;
	line = arena_strndup(p->arena, text, len);
	line += strspn(line, " \t");
	if (*line == '#')
		read_comment(p, line);
	else if (is_digit(*line) && split(p->arena, line, &words) && is_digits(words.v[0]))
		read_row(p, &words);
	else
		read_other(p, line);
}

/* ---- sums */

static void note_best(struct collective_test *test, const struct collective_size *size,
		      const struct collective_pass *pass)
{
	double rate = f64_or(pass->bus_bytes_per_s, 0.0);

	if (rate <= f64_or(test->best_bus_bytes_per_s, 0.0))
		return;
	test->best_bus_bytes_per_s = val_f64(rate);
	test->best_bytes = size->size_bytes;
}

static void sum_up(struct collective_test *test)
{
	const struct collective_pass *passes[2];
	uint64_t wrong = 0;
	bool any = false;

	for (size_t i = 0; i < test->nr_sizes; i++) {
		passes[0] = &test->sizes[i].out_of_place;
		passes[1] = &test->sizes[i].in_place;
		for (size_t k = 0; k < ARRAY_SIZE(passes); k++) {
			any = any || is_known(passes[k]->wrong);
			if (__builtin_add_overflow(wrong, u64_or(passes[k]->wrong, 0), &wrong))
				wrong = UINT64_MAX;
			note_best(test, &test->sizes[i], passes[k]);
		}
	}
	if (any)
		test->wrong = val_u64(wrong);
}

void collective_output_parse(struct arena *arena, const char *text, size_t len, struct collective_test *ret)
{
	struct parsing p = { .arena = arena, .test = ret };

	for (size_t at = 0; at < len;) {
		const char *end = memchr(text + at, '\n', len - at);
		size_t length = end ? (size_t)(end - (text + at)) : len - at;

		read_line(&p, text + at, length);
		at += length + 1;
	}
	if (!p.complaint && p.last)
		add_complaint(&p, p.last);
	if (p.complaint && p.last_complaint)
		p.complaint = arena_printf(arena, "%s; %s", p.complaint, cut(&p, p.last_complaint));
	if (p.complaint)
		ret->complaint = val_str(p.complaint);
	sum_up(ret);
}
