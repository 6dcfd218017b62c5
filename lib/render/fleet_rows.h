/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fleet_rows.h - a fleet as parts with a heading, each of rows of a name and a sentence, the worst first: what a
 * screen, a ticket and a page say alike. Private to lib/render.
 */
#pragma once

#include "base/arena.h"
#include "render/fleet.h"
#include "render/term_writer.h"

struct fleet_row {
	enum style style;
	const char *name;	/* NULL: the text stands for rows that are left out */
	const char *text;
};

struct fleet_part {
	const char *id;		/* "no-go" */
	const char *heading;
	const char *name_head, *text_head;	/* what names and texts are, above their columns */
	struct fleet_row *rows;
	size_t nr;
};

struct fleet_parts {
	struct arena *arena;	/* the caller's */
	const struct fleet *fleet;
	size_t most_rows;	/* of each kind in a part; how many more there are stands in a row of its own */
	size_t most_bytes;	/* of a name and of a text, where the rest is cut */
	struct fleet_part *parts;
	size_t nr;
};

/* Parts without a row are left out. */
void fleet_parts_of(struct fleet_parts *parts, struct arena *arena, const struct fleet *fleet, size_t most_rows,
		    size_t most_bytes);

/* "1000 nodes", "8000 GPUs", "2026-11-28 03:12 UTC" of the newest report. */
void fleet_head_facts(struct arena *arena, const struct fleet *fleet, struct strs *ret);
/* "940 of 1000 nodes good", "18000 figures compared", "expected by chance: about 0". */
void fleet_count_facts(struct arena *arena, const struct fleet *fleet, struct strs *ret);

enum style fleet_style(const struct fleet *fleet);

/* "11 % below the median, 2950 GB/s", "21 °C above the median"; the median where it is above 0. */
void fleet_put_worse(struct strbuf *text, const struct fleet_metric *metric, double worse, double median);
/* A text of at most so many bytes, whose rest is "…". */
const char *fleet_cut(struct arena *arena, const char *text, size_t most_bytes);
/* "n4 GPU 5" */
const char *fleet_gpu_name(struct arena *arena, const struct fleet *fleet, const struct fleet_gpu *gpu);
