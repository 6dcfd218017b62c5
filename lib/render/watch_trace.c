// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "render/watch_trace.h"

#include "base/alloc.h"

struct watch_trace *watch_trace_new(void)
{
	struct watch_trace *trace = xcalloc(1, sizeof(*trace));

	trace->ticks_each = 1;
	return trace;
}

void watch_trace_free(struct watch_trace *trace)
{
	if (trace)
		free(trace->gpus);
	free(trace);
}

static void merge(struct trace_stretch *into, const struct trace_stretch *with)
{
	into->busy_sum += with->busy_sum;
	into->nr_busy += with->nr_busy;
	into->nr_ticks += with->nr_ticks;
	if (with->nr_ticks)
		into->word = with->word;
}

/* Two and two become one. */
static void halve(struct watch_trace *trace)
{
	for (size_t i = 0; i < trace->nr_gpus; i++) {
		struct trace_stretch *stretches = trace->gpus[i].stretches;

		for (size_t k = 0; k < TRACE_STRETCHES / 2; k++) {
			struct trace_stretch both = stretches[2 * k];

			merge(&both, &stretches[2 * k + 1]);
			stretches[k] = both;
		}
		memset(&stretches[TRACE_STRETCHES / 2], 0, TRACE_STRETCHES / 2 * sizeof(*stretches));
	}
	trace->nr_stretches = TRACE_STRETCHES / 2;
	trace->ticks_each *= 2;
}

static void begin_tick(struct watch_trace *trace)
{
	if (!trace->nr_stretches || trace->ticks_open == trace->ticks_each) {
		if (trace->nr_stretches == TRACE_STRETCHES)
			halve(trace);
		trace->nr_stretches++;
		trace->ticks_open = 0;
	}
	trace->ticks_open++;
}

static struct trace_gpu *trace_of(struct watch_trace *trace, const struct load_gpu *gpu)
{
	for (size_t i = 0; i < trace->nr_gpus; i++)
		if (trace->gpus[i].gpu == gpu->gpu && trace->gpus[i].index == gpu->index)
			return &trace->gpus[i];
	trace->gpus = xrealloc(trace->gpus, (trace->nr_gpus + 1) * sizeof(*trace->gpus));
	memset(&trace->gpus[trace->nr_gpus], 0, sizeof(*trace->gpus));
	trace->gpus[trace->nr_gpus].index = gpu->index;
	trace->gpus[trace->nr_gpus].gpu = gpu->gpu;
	return &trace->gpus[trace->nr_gpus++];
}

void watch_trace_add(struct watch_trace *trace, const struct load_view *view)
{
	begin_tick(trace);
	for (size_t i = 0; i < view->nr_gpus; i++) {
		const struct load_gpu *gpu = &view->gpus[i];
		bool is_busy_known = is_known(gpu->busy_percent);
		const struct trace_stretch tick = {
			.busy_sum = f64_or(gpu->busy_percent, 0.0), .nr_busy = is_busy_known, .nr_ticks = 1,
			.word = gpu->word,
		};

		merge(&trace_of(trace, gpu)->stretches[trace->nr_stretches - 1], &tick);
	}
}

double trace_busy(const struct trace_stretch *stretch)
{
	return stretch->nr_busy ? stretch->busy_sum / (double)stretch->nr_busy : -1.0;
}

double trace_busy_mean(const struct trace_gpu *gpu)
{
	struct trace_stretch all = { .nr_ticks = 0 };

	for (size_t i = 0; i < TRACE_STRETCHES; i++)
		merge(&all, &gpu->stretches[i]);
	return trace_busy(&all);
}
