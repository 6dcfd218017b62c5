// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "render/bench_words.h"
void render_bench_plot(struct strbuf *out, const struct bench_report *bench, const struct render_options *options)
{
	render_bench_table(out, bench, options);
}
void render_bench_svg(struct strbuf *out, const struct bench_report *bench)
{
	render_bench_json(out, bench, NULL);
}
