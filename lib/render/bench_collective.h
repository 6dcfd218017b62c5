/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bench_collective.h - all_reduce_perf in a bench (gpudiag bench collective). Private to bench_*.c. */
#pragma once

#include "base/json_writer.h"
#include "eval/engine/bench_report.h"
#include "render/term_writer.h"

/* What it ran on, a row for each size, and what its figure is worth. Nothing where it was not asked for. */
void bench_collective_put(struct term_writer *term, struct arena *arena, const struct bench_report *bench);
/* "collective": the records as a snapshot has them; "collective_reason"; "findings". */
void bench_collective_json(struct json_writer *w, const struct bench_report *bench);
