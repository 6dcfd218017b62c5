/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench.h - what a bench measured, as a table, as data, and drawn. A renderer
 * decides nothing.
 */
#pragma once

#include "eval/engine/bench_report.h"
#include "render/render.h"

#define BENCH_SCHEMA "gpudiag.bench/1"

struct bench_format {
	const char *name;	/* "table" */
	void (*render)(struct strbuf *out, const struct bench_report *bench, const struct render_options *options);
};

/* The default first; ends with a NULL name. */
extern const struct bench_format bench_formats[];

/* A drawing for a browser or a document: one file that needs no other. */
void render_bench_svg(struct strbuf *out, const struct bench_report *bench);
/* Its charts alone, for a page of HTML; nothing where there are no figures. */
void bench_svg_charts(struct strbuf *out, const struct bench_report *bench, bool ascii);

/* For the table above. */
void render_bench_table(struct strbuf *out, const struct bench_report *bench, const struct render_options *options);
void render_bench_json(struct strbuf *out, const struct bench_report *bench, const struct render_options *options);
void render_bench_csv(struct strbuf *out, const struct bench_report *bench, const struct render_options *options);
void render_bench_plot(struct strbuf *out, const struct bench_report *bench, const struct render_options *options);
void render_bench_html(struct strbuf *out, const struct bench_report *bench, const struct render_options *options);
