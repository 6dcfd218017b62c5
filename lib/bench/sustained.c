// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sustained.c - keeps a device busy for minutes, and records its speed over time.
 *
 * Arithmetic and memory in turn, a few dozen milliseconds each: both parts of
 * the chip warm up, and a launch never lasts long. A slice of a second or more
 * is told as one line of its course. The arithmetic is the same each time, so
 * its results must be: they are compared bit for bit with the first slice's.
 */
#include "base/compat.h"
#include "bench/ocl_run.h"

#include "base/alloc.h"
#include "base/stats.h"
#include "sys/clock.h"

enum {
	SLICE_MS = 1000,
	MOST_SLICES = 600,
	MOST_TIMES = 1000,		/* kernels of a slice whose times are kept */
	GROUPS_PER_UNIT = 64,
	BUFFERS = 3,
	MEMORY_SHARE = 24,		/* of the device's memory, for each of them */
	MOST_LOOPS = 1 << 24,
};
#define NS_PER_MS UINT64_C(1000000)
#define MOST_BUFFER_BYTES (UINT64_C(1) << 30)
#define HOST_BUFFER_BYTES (UINT64_C(128) << 20)
#define KERNEL_NS (20 * NS_PER_MS)

struct sustained {
	struct ocl_run *run;
	const struct bench_plan *plan;
	uint64_t asked_ns, slice_ns, begin_ns;
	unsigned width;			/* floats of a vector, of the arithmetic */
	struct ocl_kernel compute, memory;
	cl_mem out, a, b, c;
	size_t items, bytes;
	abi_u32 loops;
	unsigned triads;		/* in a row, to make KERNEL_NS */
	uint32_t *first, *now;		/* results */
	/* of the slice */
	unsigned nr_slices, nr_times;
	double *times_ms;
	uint64_t compute_ns, computed, memory_ns, moved;
	char ended[OPENCL_WHY_BYTES];
};

/* ---- the two kinds of work */

static bool compute(struct sustained *load, uint64_t *ret_ns)
{
	uint64_t begin_ns = clock_now_ns();
	bool done = ocl_kernel_run(load->run, &load->compute, load->items, NULL);

	*ret_ns = clock_now_ns() - begin_ns;
	return done;
}

static bool move_memory(struct sustained *load, uint64_t *ret_ns)
{
	const size_t items = load->bytes / sizeof(float) / (load->run->vector_width >= 4 ? 16 : 4);
	uint64_t begin_ns = clock_now_ns();

	for (unsigned i = 0; i < load->triads; i++)
		if (!ocl_kernel_start(load->run, &load->memory, items))
			return false;
	if (!ocl_ok(load->run, cl.clFinish(load->run->queue), "clFinish"))
		return false;
	*ret_ns = clock_now_ns() - begin_ns;
	return true;
}

/* Lengthens both until they take about KERNEL_NS. */
static bool calibrate(struct sustained *load)
{
	uint64_t ns = 0;

	for (load->loops = 1;; load->loops *= 2) {
		if (!ocl_arg(load->run, &load->compute, 3, load->loops) || !compute(load, &ns) || !compute(load, &ns))
			return false;
		if (ns >= KERNEL_NS / 2 || load->loops >= MOST_LOOPS)
			break;
	}
	load->triads = 1;
	if (!move_memory(load, &ns) || !move_memory(load, &ns))
		return false;
	load->triads = ns && ns < KERNEL_NS ? (unsigned)(KERNEL_NS / ns) : 1;
	return true;
}

/* ---- opening */

static bool open_compute(struct sustained *load)
{
	struct ocl_run *run = load->run;
	const abi_f32 scale = 0.999f, offset = 0.001f;
	char name[32];

	load->width = run->vector_width >= 16 ? 16 : run->vector_width >= 8 ? 8 : 4;
	load->items = (size_t)(run->compute_units ? run->compute_units : 1) * GROUPS_PER_UNIT * ABI_LOCAL_ITEMS;
	load->first = xcalloc(load->items, sizeof(*load->first));
	load->now = xcalloc(load->items, sizeof(*load->now));
	load->out = ocl_buffer(run, load->items * sizeof(float));
	snprintf(name, sizeof(name), "fp32_w%u", load->width);
	return load->out && ocl_kernel_open(run, &load->compute, name) && ocl_arg(run, &load->compute, 0, load->out) &&
	       ocl_arg(run, &load->compute, 1, scale) && ocl_arg(run, &load->compute, 2, offset);
}

static size_t buffer_bytes(const struct ocl_run *run, const struct bench_plan *plan)
{
	uint64_t bytes = run->has_host_memory ? HOST_BUFFER_BYTES : MOST_BUFFER_BYTES;
	const size_t step = (size_t)16 * sizeof(float) * ABI_LOCAL_ITEMS;

	if (run->global_memory_bytes && run->global_memory_bytes / MEMORY_SHARE < bytes)
		bytes = run->global_memory_bytes / MEMORY_SHARE;
	if (run->largest_buffer_bytes && run->largest_buffer_bytes < bytes)
		bytes = run->largest_buffer_bytes;
	if (ocl_host_share(run, plan, BUFFERS) < bytes)
		bytes = ocl_host_share(run, plan, BUFFERS);
	return bytes < step ? step : (size_t)bytes / step * step;
}

/* Whatever is in b and c after this is what the arithmetic gave: no zeros, which some memories compress. */
static bool fill(struct sustained *load, cl_mem to)
{
	const size_t piece = load->items * sizeof(float);
	struct ocl_run *run = load->run;

	for (size_t at = 0; at < load->bytes; at += piece) {
		size_t bytes = load->bytes - at < piece ? load->bytes - at : piece;

		if (!ocl_ok(run, cl.clEnqueueCopyBuffer(run->queue, load->out, to, 0, at, bytes, 0, NULL, NULL),
			    "clEnqueueCopyBuffer"))
			return false;
	}
	return ocl_ok(run, cl.clFinish(run->queue), "clFinish");
}

static bool open_memory(struct sustained *load)
{
	struct ocl_run *run = load->run;
	const abi_f32 s = 3.0f;
	const abi_u32 once = 1;
	uint64_t ns;

	load->bytes = buffer_bytes(run, load->plan);
	load->a = ocl_buffer(run, load->bytes);
	load->b = load->a ? ocl_buffer(run, load->bytes) : NULL;
	load->c = load->b ? ocl_buffer(run, load->bytes) : NULL;
	return load->c && ocl_arg(run, &load->compute, 3, once) && compute(load, &ns) && fill(load, load->b) &&
	       fill(load, load->c) &&
	       ocl_kernel_open(run, &load->memory, run->vector_width >= 4 ? "triad_w16" : "triad_w4") &&
	       ocl_arg(run, &load->memory, 0, load->a) && ocl_arg(run, &load->memory, 1, load->b) &&
	       ocl_arg(run, &load->memory, 2, load->c) && ocl_arg(run, &load->memory, 3, s);
}

static void close_load(struct sustained *load)
{
	cl_mem buffers[] = { load->out, load->a, load->b, load->c };

	ocl_step(load->run, "clReleaseMemObject");
	for (size_t i = 0; i < ARRAY_SIZE(buffers); i++)
		if (buffers[i])
			cl.clReleaseMemObject(buffers[i]);
	ocl_kernel_close(&load->compute);
	ocl_kernel_close(&load->memory);
	free(load->first);
	free(load->now);
	free(load->times_ms);
}

/* ---- a slice */

static void keep_time(struct sustained *load, uint64_t ns)
{
	if (load->nr_times < MOST_TIMES)
		load->times_ms[load->nr_times++] = (double)ns / 1e6;
}

/* The results of the arithmetic, against the first slice's. */
static bool compare(struct sustained *load, uint64_t *ret_wrong)
{
	struct ocl_run *run = load->run;
	const size_t bytes = load->items * sizeof(float);
	uint32_t *to = load->nr_slices ? load->now : load->first;
	cl_int error = cl.clEnqueueReadBuffer(run->queue, load->out, CL_TRUE, 0, bytes, to, 0, NULL, NULL);

	*ret_wrong = 0;
	if (!ocl_ok(run, error, "clEnqueueReadBuffer"))
		return false;
	if (load->nr_slices && memcmp(load->first, load->now, bytes) != 0)
		for (size_t i = 0; i < load->items; i++)
			*ret_wrong += load->first[i] != load->now[i];
	return true;
}

static struct val_f64 rate(uint64_t work, uint64_t ns)
{
	return ns ? val_f64((double)work / (double)ns) : no_f64(VAL_ABSENT, "interrupted before it");
}

static void tell_slice(struct sustained *load, uint64_t begin_ns, uint64_t wrong)
{
	struct arena *arena = &load->run->sink->facts.arena;
	struct sustained_load *facts = &ocl_facts(load->run)->sustained_load;
	struct load_slice *slice = list_element(arena, facts, slices, load_slice,
						arena_printf(arena, "%06u", load->nr_slices));
	struct stats stats;
	double longest = 0.0;

	for (unsigned i = 0; i < load->nr_times; i++)
		longest = load->times_ms[i] > longest ? load->times_ms[i] : longest;
	stats_of(load->times_ms, load->nr_times, &stats);
	slice->begin_ms = val_u64(begin_ns / NS_PER_MS);
	slice->length_ms = val_u64((clock_now_ns() - begin_ns) / NS_PER_MS);
	slice->compute_gflops = rate(load->computed, load->compute_ns);
	slice->memory_gbps = rate(load->moved, load->memory_ns);
	slice->longest_ms = val_f64(longest);
	slice->median_ms = val_f64(stats.median);
	slice->words_wrong = val_u64(wrong);
	load->nr_slices++;
	sink_flush(load->run->sink);
}

static bool run_slice(struct sustained *load)
{
	const uint64_t operations = (uint64_t)load->items * load->loops * load->width * ABI_CHAINS *
				    ABI_CHAIN_OPERATIONS;
	uint64_t begin_ns = clock_now_ns(), ns, wrong;

	ocl_step(load->run, "sustained load, second %llu",
		 (unsigned long long)((begin_ns - load->begin_ns) / (1000 * NS_PER_MS)));
	load->nr_times = 0;
	load->compute_ns = load->computed = load->memory_ns = load->moved = 0;
	while (clock_now_ns() - begin_ns < load->slice_ns && !ocl_is_to_end(load->run, 0)) {
		if (!compute(load, &ns))
			return false;
		keep_time(load, ns);
		load->compute_ns += ns;
		load->computed += operations;
		if (!move_memory(load, &ns))
			return false;
		load->memory_ns += ns;
		load->moved += (uint64_t)load->triads * 3 * load->bytes;
	}
	if (!load->computed)
		return true;
	if (!compare(load, &wrong))
		return false;
	tell_slice(load, begin_ns, wrong);
	return true;
}

static void run_slices(struct sustained *load)
{
	load->begin_ns = clock_now_ns();
	while (clock_now_ns() - load->begin_ns < load->asked_ns) {
		if (ocl_is_to_end(load->run, 0)) {
			snprintf(load->ended, sizeof(load->ended), "%s",
				 *load->run->please_end ? "interrupted" : "its time was up");
			return;
		}
		if (!run_slice(load)) {
			snprintf(load->ended, sizeof(load->ended), "%s", load->run->last);
			return;
		}
	}
	snprintf(load->ended, sizeof(load->ended), "done");
}

static void tell(struct sustained *load, bool opened)
{
	struct sustained_load *facts = &ocl_facts(load->run)->sustained_load;
	struct arena *arena = &load->run->sink->facts.arena;

	facts->asked_ms = val_u64(load->asked_ns / NS_PER_MS);
	if (opened) {
		facts->length_ms = val_u64((clock_now_ns() - load->begin_ns) / NS_PER_MS);
		facts->ended = val_str(arena_strdup(arena, load->ended));
	} else {
		facts->length_ms = no_u64(VAL_ERROR, arena_strdup(arena, load->run->last));
		facts->ended = no_str(VAL_ERROR, arena_strdup(arena, load->run->last));
	}
}

void ocl_run_sustained(struct ocl_run *run, const struct bench_plan *plan)
{
	struct sustained load = { .run = run, .plan = plan, .asked_ns = plan->sustain_ms * NS_PER_MS };
	bool opened;

	load.slice_ns = load.asked_ns / MOST_SLICES > SLICE_MS * NS_PER_MS ? load.asked_ns / MOST_SLICES :
									     SLICE_MS * NS_PER_MS;
	load.times_ms = xcalloc(MOST_TIMES, sizeof(*load.times_ms));
	opened = open_compute(&load) && open_memory(&load) && calibrate(&load);
	if (opened)
		run_slices(&load);
	tell(&load, opened);
	close_load(&load);
}
