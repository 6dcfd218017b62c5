// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "render/bench.h"

const struct bench_format bench_formats[] = {
	{ .name = "table", .render = render_bench_table },
	{ .name = "json", .render = render_bench_json },
	{ .name = "csv", .render = render_bench_csv },
	{ .name = "plot", .render = render_bench_plot },
	{ .name = NULL },
};
