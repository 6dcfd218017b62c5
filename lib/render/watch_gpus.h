/* SPDX-License-Identifier: GPL-2.0-or-later */
/* watch_gpus.h - the table of GPUs on the screen of watch. Private to watch_*.c. */
#pragma once

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
