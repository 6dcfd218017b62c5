// SPDX-License-Identifier: GPL-2.0-or-later
/* watch_gpus.c - a line per GPU: word, use, what of it works, power, clock, VRAM, PCIe, process, the last minutes. */
#include "base/compat.h"
#include "render/watch_gpus.h"

#include "base/text.h"

#define UNKNOWN "–"

enum { NR_BARS = 8, GAP = 1, MOST_WORD = 18, LEAST_WORD = 4, MOST_HOLDER = 24 };

/* least: the columns it takes; most: what it may grow to; keep: those with the highest stay on a narrow page. */
static const struct {
	const char *head;
	size_t least, most;
	unsigned keep;
	bool right;
} columns_of[NR_COLUMNS] = {
	[COLUMN_GPU] = { "GPU", 4, 4, 10, true },
	[COLUMN_WORD] = { "word", LEAST_WORD, MOST_WORD, 9, false },
	[COLUMN_USE] = { "use%", 4, 4, 8, true },
	[COLUMN_POWER] = { "pwr%", 4, 4, 7, true },
	[COLUMN_UNITS] = { "SM/T/D%", 11, 11, 6, true },
	[COLUMN_VRAM] = { "VRAM%", 5, 5, 5, true },
	[COLUMN_HOLDER] = { "process", 12, MOST_HOLDER, 4, false },
	[COLUMN_LINK] = { "in/out%", 7, 7, 3, true },
	[COLUMN_CLOCK] = { "clk%", 4, 4, 1, true },
	[COLUMN_SPARK] = { "trend", 6, SPARK_TICKS, 2, false },
};

/* ---- sparklines */

void spark_add(struct spark *spark, struct val_f64 percent)
{
	spark->percent[spark->nr++ % SPARK_TICKS] = f64_or(percent, -1.0);
}

void spark_put(struct strbuf *out, const struct spark *spark, size_t columns, bool ascii)
{
	static const char *const bars[NR_BARS] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	static const char ascii_bars[] = "_.:-=+*#";
	size_t nr = spark->nr < SPARK_TICKS ? spark->nr : SPARK_TICKS;

	if (nr > columns)
		nr = columns;
	for (size_t i = spark->nr - nr; i < spark->nr; i++) {
		double percent = spark->percent[i % SPARK_TICKS];
		size_t level = percent >= 100.0 ? NR_BARS - 1 : percent > 0.0 ? (size_t)(percent * NR_BARS / 100.0) : 0;

		if (percent < 0.0)
			strbuf_addch(out, ' ');
		else if (ascii)
			strbuf_addch(out, ascii_bars[level]);
		else
			strbuf_addstr(out, bars[level]);
	}
}

/* ---- which columns, and how wide */

static size_t widest_word(void)
{
	size_t widest = LEAST_WORD;

	for (size_t i = 0; i < NR_BOTTLENECKS; i++) {
		size_t columns = utf8_columns(bottleneck_defs[i].word);

		widest = columns > widest ? columns : widest;
	}
	return widest < MOST_WORD ? widest : MOST_WORD;
}

static size_t used(const struct watch_columns *columns)
{
	size_t sum = 0;

	for (size_t i = 0; i < NR_COLUMNS; i++)
		sum += columns->width[i] ? columns->width[i] + (sum ? GAP : 0) : 0;
	return sum;
}

static void grow(struct watch_columns *columns, enum watch_column column, size_t page_columns, size_t most)
{
	size_t room = page_columns > used(columns) ? page_columns - used(columns) : 0;

	if (columns->width[column] && columns->width[column] < most)
		columns->width[column] += most - columns->width[column] < room ? most - columns->width[column] : room;
}

/* Where no GPU can report it the column is as wide as its head. */
static size_t least_of(size_t column, const struct load_view *view)
{
	if (column != COLUMN_UNITS)
		return columns_of[column].least;
	for (size_t i = 0; i < view->nr_gpus; i++)
		if (is_known(view->gpus[i].sm_active_percent) || is_known(view->gpus[i].tensor_active_percent) ||
		    is_known(view->gpus[i].memory_active_percent))
			return columns_of[column].least;
	return utf8_columns(columns_of[column].head);
}

void watch_columns_fit(struct watch_columns *ret, const struct load_view *view, size_t page_columns)
{
	const size_t word = widest_word();

	*ret = (struct watch_columns){ .width = { 0 } };
	for (unsigned keep = 10; keep; keep--) {
		for (size_t i = 0; i < NR_COLUMNS; i++) {
			if (columns_of[i].keep != keep)
				continue;
			ret->width[i] = least_of(i, view);
			if (used(ret) > page_columns)
				ret->width[i] = 0;
		}
		/* A word that is cut says less than the figures after it, but the use tells most. */
		if (keep == columns_of[COLUMN_USE].keep)
			grow(ret, COLUMN_WORD, page_columns, word);
	}
	grow(ret, COLUMN_SPARK, page_columns, MOST_HOLDER);
	grow(ret, COLUMN_HOLDER, page_columns, MOST_HOLDER);
	grow(ret, COLUMN_SPARK, page_columns, SPARK_TICKS);
}

void watch_columns_put_head(struct page *page, const struct watch_columns *columns)
{
	for (size_t i = 0; i < NR_COLUMNS; i++) {
		if (!columns->width[i])
			continue;
		if (i)
			page_put(page, STYLE_PLAIN, " ");
		page_cell(page, STYLE_DIM, columns_of[i].head, columns->width[i], columns_of[i].right);
	}
	page_end_line(page);
}

/* ---- cells */

static void add_percent(struct strbuf *out, struct val_f64 value, double factor)
{
	if (is_known(value))
		strbuf_addf(out, "%.0f", f64_or(value, 0.0) * factor);
	else
		strbuf_addstr(out, UNKNOWN);
}

static void add_units(struct strbuf *out, const struct load_gpu *gpu)
{
	if (!is_known(gpu->sm_active_percent) && !is_known(gpu->tensor_active_percent) &&
	    !is_known(gpu->memory_active_percent)) {
		strbuf_addstr(out, UNKNOWN);
		return;
	}
	add_percent(out, gpu->sm_active_percent, 1.0);
	strbuf_addch(out, '/');
	add_percent(out, gpu->tensor_active_percent, 1.0);
	strbuf_addch(out, '/');
	add_percent(out, gpu->memory_active_percent, 1.0);
}

static void add_vram(struct strbuf *out, const struct load_gpu *gpu)
{
	if (is_known(gpu->vram_used_bytes) && u64_or(gpu->vram_total_bytes, 0))
		strbuf_addf(out, "%.0f", 100.0 * (double)u64_or(gpu->vram_used_bytes, 0) /
			    (double)u64_or(gpu->vram_total_bytes, 1));
	else
		strbuf_addstr(out, UNKNOWN);
}

static void add_link(struct strbuf *out, const struct load_gpu *gpu)
{
	double limit = f64_or(gpu->link_limit_bytes_per_s, 0.0);

	if (limit <= 0.0 || (!is_known(gpu->link_received_bytes_per_s) && !is_known(gpu->link_sent_bytes_per_s))) {
		strbuf_addstr(out, UNKNOWN);
		return;
	}
	add_percent(out, gpu->link_received_bytes_per_s, 100.0 / limit);
	strbuf_addch(out, '/');
	add_percent(out, gpu->link_sent_bytes_per_s, 100.0 / limit);
}

/* "python3 18422 +2"; where it is too long the name is cut, and not its number. */
static void add_holder(struct strbuf *out, const struct load_gpu *gpu, size_t width, bool ascii)
{
	const struct term_writer term = { .ascii = ascii };
	const char *number = gpu->holder ? strrchr(gpu->holder, ' ') : NULL;
	STRBUF_AUTO name = STRBUF_INIT;
	STRBUF_AUTO rest = STRBUF_INIT;

	if (!number) {
		strbuf_addstr(out, gpu->holder ? gpu->holder : "");
		return;
	}
	strbuf_add(&name, gpu->holder, (size_t)(number - gpu->holder));
	strbuf_addstr(&rest, number);
	if (gpu->nr_holders > 1)
		strbuf_addf(&rest, " +%zu", gpu->nr_holders - 1);
	term_clean_cut(&term, out, name.buf, rest.len < width ? width - rest.len : 0);
	strbuf_addstr(out, out->len ? rest.buf : rest.buf + 1);
}

static void add_cell(struct strbuf *out, enum watch_column column, const struct load_gpu *gpu,
		     const struct spark *spark, size_t width, bool ascii)
{
	switch (column) {
	case COLUMN_WORD:
		strbuf_addstr(out, bottleneck_defs[gpu->word].word);
		break;
	case COLUMN_USE:
		add_percent(out, gpu->busy_percent, 1.0);
		break;
	case COLUMN_UNITS:
		add_units(out, gpu);
		break;
	case COLUMN_POWER:
		add_percent(out, gpu->power_ratio, 100.0);
		break;
	case COLUMN_CLOCK:
		add_percent(out, gpu->clock_ratio, 100.0);
		break;
	case COLUMN_VRAM:
		add_vram(out, gpu);
		break;
	case COLUMN_LINK:
		add_link(out, gpu);
		break;
	case COLUMN_HOLDER:
		add_holder(out, gpu, width, ascii);
		break;
	case COLUMN_SPARK:
		spark_put(out, spark, width, ascii);
		break;
	default:
		strbuf_addf(out, "%zu", gpu->index);
		break;
	}
}

void watch_columns_put_gpu(struct page *page, const struct watch_columns *columns, const struct load_gpu *gpu,
			   const struct spark *spark, bool is_selected)
{
	for (size_t i = 0; i < NR_COLUMNS; i++) {
		size_t width = columns->width[i];
		STRBUF_AUTO text = STRBUF_INIT;

		if (!width)
			continue;
		if (i)
			page_put(page, STYLE_PLAIN, " ");
		/* The mark stands in the margin of the number. */
		if (i == COLUMN_GPU) {
			page_put(page, STYLE_NOTE, is_selected ? ">" : " ");
			width--;
		}
		add_cell(&text, (enum watch_column)i, gpu, spark, width, page->term.ascii);
		page_cell(page, i == COLUMN_WORD ? watch_style(gpu->word) : STYLE_PLAIN, text.buf, width,
			  columns_of[i].right);
	}
	page_end_line(page);
}
