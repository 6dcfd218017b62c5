// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * memory_use.c - how much of the host's memory and swap is in use: free in all its units, the head of top, and areas of
 * swap as swapon tells of them. Only areas have names: whether swap is on a disk or compressed in memory (zram) free
 * does not say.
 *
 *	               total        used        free      shared  buff/cache   available
 *	Mem:           31966       10870        9147        1572       14146       21095
 *	Swap:           2047         137        1910
 */
#include "base/compat.h"
#include "import/dump/readers.h"

#include "base/text.h"
#include "import/host/sized_word.h"

enum { MOST_WORDS = 10 };

#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)
#define TIB (UINT64_C(1) << 40)

struct words {
	struct text_word v[MOST_WORDS];
	size_t nr;
};

static struct words words_of(const char *text)
{
	struct words ret;

	ret.nr = scan_words(text, ret.v, MOST_WORDS);
	return ret;
}

static bool is_word(const struct words *words, size_t at, const char *text)
{
	return at < words->nr && words->v[at].len == strlen(text) && !memcmp(words->v[at].text, text, words->v[at].len);
}

/* The place of the column; words->nr: there is none. */
static size_t column(const struct words *words, const char *name)
{
	size_t ret = 0;

	while (ret < words->nr && !is_word(words, ret, name))
		ret++;
	return ret;
}

/* ---- figures */

/* UINT64_MAX: it is no figure. */
static uint64_t figure(const struct words *words, size_t at, uint64_t unit)
{
	uint64_t ret;

	return at < words->nr && sized_word(&words->v[at], unit, &ret) ? ret : UINT64_MAX;
}

/*
 * The options of "free -m" in a command; NULL: it is not there. What people call a file is no command:
 * "free_node7.txt".
 */
static const char *options_of(struct arena *arena, const struct dump_part *part)
{
	const char *text = part->about ? part->about : "";

	for (const char *at = text; (at = strstr(at, "free")); at++)
		if ((at == text || strchr(" ;/", at[-1])) && (!at[4] || strchr(" ;|", at[4])))
			return arena_strndup(arena, at + 4, strcspn(at + 4, ";|"));
	return NULL;
}

/* By its options: KiB without any. */
static uint64_t unit_of_options(const char *options)
{
	static const struct { const char *option; uint64_t bytes; } longs[] = {
		{ "--mebi", MIB }, { "--gibi", GIB }, { "--tebi", TIB }, { "--bytes", 1 }, { "--mega", 1000000 },
		{ "--giga", 1000000000 }, { "--kilo", 1000 },
	};
	static const struct { char letter; uint64_t bytes; } letters[] = { { 'm', MIB }, { 'g', GIB }, { 'b', 1 } };

	for (size_t i = 0; i < ARRAY_SIZE(longs); i++)
		if (strstr(options, longs[i].option))
			return longs[i].bytes;
	for (const char *at = options; (at = strstr(at, " -")); at++)
		for (size_t i = 0; at[2] != '-' && i < ARRAY_SIZE(letters); i++)
			if (memchr(at + 2, letters[i].letter, strcspn(at + 2, " ")))
				return letters[i].bytes;
	return KIB;
}

/*
 * By the size of the machine, where no command stands above: most have 4 GiB to 8 TiB. A figure that may be of a small
 * one in KiB and of a large one in MiB is left alone. 0: nobody knows.
 */
static uint64_t unit_of_total(const struct words *words, size_t at)
{
	uint64_t total = figure(words, at, 1);

	if (total == UINT64_MAX || total < 4096)
		return 0;
	if (total < 1000000)
		return MIB;
	return total < 8 * MIB ? 0 : total < 8 * GIB ? KIB : 1;
}

/* ---- free */

static bool is_free_head(const char *text)
{
	const struct words words = words_of(text);

	return is_word(&words, 0, "total") && is_word(&words, 1, "used") && is_word(&words, 2, "free") &&
	       is_word(&words, 3, "shared");
}

/* Of kernels and tools that do not tell what is available nobody knows how much of the cache could go. */
static void take_memory_row(struct reading *reading, struct dump_line *line, const struct words *head,
			    const struct words *row, uint64_t unit)
{
	struct memory *memory = &reading->snapshot->memory;
	uint64_t total = figure(row, 1, unit), available = figure(row, column(head, "available") + 1, unit);

	line->is_taken = true;
	if (total == UINT64_MAX || !total)
		return;
	put(reading, line, memory->total_bytes, val_u64(total));
	if (column(head, "available") < head->nr && available <= total)
		put(reading, line, memory->available_bytes, val_u64(available));
}

static void take_swap_row(struct reading *reading, struct dump_line *line, const struct words *row, uint64_t unit)
{
	struct memory *memory = &reading->snapshot->memory;
	uint64_t total = figure(row, 1, unit), rest = figure(row, 3, unit);

	line->is_taken = true;
	if (total == UINT64_MAX || rest > total)
		return;
	put(reading, line, memory->swap_total_bytes, val_u64(total));
	put(reading, line, memory->swap_free_bytes, val_u64(rest));
}

static void read_free(struct reading *reading)
{
	const struct dump_part *part = reading->part;
	const char *options = options_of(reading->arena, part);
	const struct words head = words_of(part->lines[0].text);
	uint64_t unit = options ? unit_of_options(options) : 0;

	part->lines[0].is_taken = true;
	for (size_t i = 1; i < part->nr_lines; i++) {
		struct dump_line *line = &part->lines[i];
		const struct words row = words_of(line->text);

		if (is_word(&row, 0, "Mem:")) {
			unit = unit ? unit : unit_of_total(&row, 1);
			take_memory_row(reading, line, &head, &row, unit);
		} else if (is_word(&row, 0, "Swap:")) {
			take_swap_row(reading, line, &row, unit);
			return;
		} else if (is_word(&row, 0, "-/+")) {
			line->is_taken = true;
		}
	}
}

/* ---- the head of top */

/* "MiB", where it is a line "MiB Mem : " or "MiB Swap: "; 0: it is none. */
static uint64_t unit_of_top(const char *text, const char *what)
{
	static const struct {
		const char *unit;
		uint64_t bytes;
	} units[] = { { "KiB ", KIB }, { "MiB ", MIB }, { "GiB ", GIB } };

	text = past_blanks(text);
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (text_begins(text, units[i].unit) && text_begins(text + strlen(units[i].unit), what) &&
		    strstr(text, " total,"))
			return units[i].bytes;
	return 0;
}

/* The figure before a word, "137.0 used."; UINT64_MAX: there is none. */
static uint64_t figure_before(const char *text, const char *name, uint64_t unit)
{
	const struct words words = words_of(text);

	for (size_t i = 1; i < words.nr; i++)
		if (words.v[i].len >= strlen(name) && !memcmp(words.v[i].text, name, strlen(name)))
			return figure(&words, i - 1, unit);
	return UINT64_MAX;
}

static void take_top_line(struct reading *reading, struct dump_line *line)
{
	struct memory *memory = &reading->snapshot->memory;
	uint64_t of_memory = unit_of_top(line->text, "Mem"), of_swap = unit_of_top(line->text, "Swap"), available, rest,
		 total;
	/* Numbers stand close to their signs: "MiB Mem :  31966.1 total". */
	const char *figures = strchr(line->text, ':');

	if ((!of_memory && !of_swap) || !figures)
		return;
	line->is_taken = true;
	total = figure_before(figures + 1, "total", of_memory ? of_memory : of_swap);
	if (of_memory && total != UINT64_MAX && total)
		put(reading, line, memory->total_bytes, val_u64(total));
	if (!of_swap || total == UINT64_MAX)
		return;
	rest = figure_before(figures + 1, "free", of_swap);
	available = figure_before(figures + 1, "avail", of_swap);
	if (rest <= total) {
		put(reading, line, memory->swap_total_bytes, val_u64(total));
		put(reading, line, memory->swap_free_bytes, val_u64(rest));
	}
	if (available != UINT64_MAX && available <= u64_or(memory->total_bytes, 0))
		put(reading, line, memory->available_bytes, val_u64(available));
}

/* ---- swapon */

/*
 * "NAME TYPE SIZE USED PRIO", or of swapon -s and /proc/swaps "Filename Type Size Used Priority", whose figures are
 * KiB.
 */
static bool is_swapon_head(const char *text, bool *ret_of_kib)
{
	const struct words words = words_of(text);

	*ret_of_kib = is_word(&words, 0, "Filename");
	if (*ret_of_kib)
		return is_word(&words, 1, "Type") && is_word(&words, 2, "Size") && is_word(&words, 3, "Used");
	return is_word(&words, 0, "NAME") && is_word(&words, 1, "TYPE") && is_word(&words, 2, "SIZE") &&
	       is_word(&words, 3, "USED") && is_word(&words, 4, "PRIO");
}

static void read_swapon(struct reading *reading, bool of_kib)
{
	const struct dump_part *part = reading->part;

	part->lines[0].is_taken = true;
	for (size_t i = 1; i < part->nr_lines; i++) {
		struct dump_line *line = &part->lines[i];
		const struct words row = words_of(line->text);
		uint64_t size = figure(&row, 2, of_kib ? KIB : 1), used = figure(&row, 3, of_kib ? KIB : 1);
		struct swap *swap;

		if (row.nr < 4 || *row.v[0].text != '/' || size == UINT64_MAX || used > size)
			return;
		swap = list_element(reading->arena, reading->snapshot, swaps, swap,
				    arena_strndup(reading->arena, row.v[0].text, row.v[0].len));
		put(reading, line, swap->kind, val_str(arena_strndup(reading->arena, row.v[1].text, row.v[1].len)));
		put(reading, line, swap->size_bytes, val_u64(size));
		put(reading, line, swap->used_bytes, val_u64(used));
	}
}

/* ---- the part */

enum dump_begins memory_use_begins(const struct dump_line *lines, size_t nr)
{
	bool of_kib;

	if (nr > 1 && is_free_head(lines->text) && text_begins(past_blanks(lines[1].text), "Mem:"))
		return BEGINS_NEW;
	if (unit_of_top(lines->text, "Swap"))
		return BEGINS_MORE;
	return unit_of_top(lines->text, "Mem") || is_swapon_head(lines->text, &of_kib) ? BEGINS_NEW : BEGINS_NOT;
}

void memory_use_read(struct reading *reading)
{
	const struct dump_part *part = reading->part;
	bool of_kib;

	if (is_free_head(part->lines[0].text))
		read_free(reading);
	else if (is_swapon_head(part->lines[0].text, &of_kib))
		read_swapon(reading, of_kib);
	else
		for (size_t i = 0; i < part->nr_lines && i < 2; i++)
			take_top_line(reading, &part->lines[i]);
}
