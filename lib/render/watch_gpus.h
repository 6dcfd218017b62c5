/* SPDX-License-Identifier: GPL-2.0-or-later */
/* watch_gpus.h - the table of GPUs on the screen of watch, and what stands around it. Private to watch_*.c. */
#pragma once

#include "render/watch.h"
#include "render/watch_page.h"

enum { SPARK_TICKS = 128 };

/* Utilization of the last ticks; the oldest is overwritten. */
struct spark {
	double percent[SPARK_TICKS];	/* below 0: not known */
	size_t nr;			/* that were added, ever */
};
void spark_add(struct spark *spark, struct val_f64 percent);
/* The newest, as so many bars at most. */
void spark_put(struct strbuf *out, const struct spark *spark, size_t columns, bool ascii);

enum watch_column {
	COLUMN_GPU, COLUMN_WORD, COLUMN_USE, COLUMN_UNITS, COLUMN_POWER, COLUMN_CLOCK, COLUMN_VRAM, COLUMN_LINK,
	COLUMN_HOLDER, COLUMN_SPARK, NR_COLUMNS
};

/* How wide each column is on this page; 0: it has no room. */
struct watch_columns {
	size_t width[NR_COLUMNS];
};
void watch_columns_fit(struct watch_columns *ret, const struct load_view *view, size_t page_columns);
void watch_columns_put_head(struct page *page, const struct watch_columns *columns);
void watch_columns_put_gpu(struct page *page, const struct watch_columns *columns, const struct load_gpu *gpu,
			   const struct spark *spark, bool is_selected);

/* ---- watch_parts.c */

/* The headline, and how sure it is where it is not. */
void watch_sentence(struct strbuf *out, const struct load_view *view);
/* The node, on at most so many lines. */
void watch_put_host(struct page *page, const struct load_host *host, const struct spark *cpu, size_t most);
/* A GPU: its sentence, its figures, what shows it and what was ruled out, on at most so many lines. */
void watch_put_details(struct page *page, const struct load_view *view, size_t place, size_t most);
/* Keys or a message at the left, time at the right. */
void watch_put_footer(struct page *page, const struct load_view *view, const struct watch_screen_state *state);
