// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * memory_test.c - fills a device's memory with patterns and reads them back.
 *
 * Buffers are taken one by one until there is as much as was asked for, each
 * written to before it counts: drivers promise memory that they do not have.
 * Every pattern is written to all of them before the first is verified, so that
 * a place which shares its cells with another is seen. No launch takes longer
 * than a fraction of a second; between two of them the test may end, with what
 * it has.
 */
#include "base/compat.h"
#include "bench/memory_plan.h"
#include "bench/ocl_run.h"

#include "base/alloc.h"
#include "sys/clock.h"

/* A program of its own, which a quick run has no need of: its kernels would cost it their compiling. */
extern const char embedded_kernels_abi_h[];
extern const char embedded_kernels_memory_test_cl[];
static const char *const memory_test_sources[] = { embedded_kernels_abi_h, embedded_kernels_memory_test_cl };

enum {
	MOST_CHUNKS = 1024,
	MOST_MS = 570000,		/* of bench_plan_ms()'s ten minutes */
	STEP_MS = 1000,			/* how often it says where it is */
	KEPT_ERRORS = 64,
};
#define NS_PER_MS UINT64_C(1000000)
#define MIB (UINT64_C(1) << 20)
#define LEAST_CHUNK_BYTES (32 * MIB)
#define FIRST_SLICE_BYTES (4 * MIB)
#define SLICE_NS (40 * NS_PER_MS)
/* So many that more would tell nothing. */
#define ENOUGH_WRONG UINT64_C(1000000)

struct chunk {
	cl_mem buffer;
	uint64_t bytes;
};

struct memtest {
	struct ocl_run *run;
	const struct bench_plan *plan;
	unsigned width;			/* words of an item */
	struct ocl_kernel write[NR_MEMORY_KERNELS], verify[NR_MEMORY_KERNELS];
	cl_mem found;
	uint64_t asked_bytes, had_bytes;
	struct chunk chunks[MOST_CHUNKS];
	unsigned nr_chunks;
	uint64_t slice_bytes;
	uint64_t begin_ns, stepped_ns;

	unsigned passes;
	uint64_t wrong;
	uint32_t flipped;
	unsigned nr_errors;
	uint64_t written_bytes, write_ns, verified_bytes, verify_ns;
	char ended[OPENCL_WHY_BYTES + 64];	/* "": not yet */
};

/* ---- a program of its own */

static bool build(struct memtest *test)
{
	struct ocl_run *run = test->run;
	const char *sources[ARRAY_SIZE(memory_test_sources)];
	char options[32];
	cl_int error;

	memcpy(sources, memory_test_sources, sizeof(sources));
	snprintf(options, sizeof(options), "-D MEMORY_WIDTH=%u", test->width);
	ocl_step(run, "clBuildProgram, memory test");
	run->program = cl.clCreateProgramWithSource(run->context, ARRAY_SIZE(sources), sources, NULL, &error);
	return ocl_ok(run, error, "clCreateProgramWithSource") &&
	       ocl_ok(run, cl.clBuildProgram(run->program, 1, &run->device, options, NULL, NULL), "clBuildProgram");
}

static bool open_kernels(struct memtest *test)
{
	static const char *const names[NR_MEMORY_KERNELS] = {
		[MEMORY_WALK] = "walk", [MEMORY_ADDRESS] = "address", [MEMORY_RANDOM] = "random",
	};
	struct ocl_run *run = test->run;

	for (size_t i = 0; i < NR_MEMORY_KERNELS; i++) {
		char write[32], verify[32];

		snprintf(write, sizeof(write), "memory_write_%s", names[i]);
		snprintf(verify, sizeof(verify), "memory_verify_%s", names[i]);
		if (!ocl_kernel_open(run, &test->write[i], write) || !ocl_kernel_open(run, &test->verify[i], verify) ||
		    !ocl_arg(run, &test->verify[i], 5, test->found))
			return false;
	}
	return true;
}

static bool clear_found(struct memtest *test)
{
	static const uint32_t none[ABI_MEMORY_FOUND_WORDS];
	struct ocl_run *run = test->run;

	return ocl_ok(run,
		      cl.clEnqueueWriteBuffer(run->queue, test->found, CL_TRUE, 0, sizeof(none), none, 0, NULL, NULL),
		      "clEnqueueWriteBuffer");
}

static bool open_test(struct memtest *test)
{
	test->found = ocl_buffer(test->run, ABI_MEMORY_FOUND_WORDS * sizeof(uint32_t));
	return test->found && build(test) && open_kernels(test) && clear_found(test);
}

static void close_test(struct memtest *test)
{
	ocl_step(test->run, "clReleaseMemObject");
	for (unsigned i = 0; i < test->nr_chunks; i++)
		cl.clReleaseMemObject(test->chunks[i].buffer);
	for (size_t i = 0; i < NR_MEMORY_KERNELS; i++) {
		ocl_kernel_close(&test->write[i]);
		ocl_kernel_close(&test->verify[i]);
	}
	if (test->found)
		cl.clReleaseMemObject(test->found);
}

/* ---- one sweep */

static bool is_over(struct memtest *test)
{
	uint64_t taken_ms = (clock_now_ns() - test->begin_ns) / NS_PER_MS;

	if (test->ended[0])
		return true;
	if (*test->run->please_end)
		snprintf(test->ended, sizeof(test->ended), "interrupted");
	else if (test->wrong >= ENOUGH_WRONG)
		snprintf(test->ended, sizeof(test->ended), "too many wrong words to continue");
	else if (taken_ms > MOST_MS || ocl_is_to_end(test->run, test->plan->sustain_ms))
		snprintf(test->ended, sizeof(test->ended), "its time was up");
	return test->ended[0] != '\0';
}

static bool end_by_failure(struct memtest *test)
{
	snprintf(test->ended, sizeof(test->ended), "%s", test->run->last);
	return false;
}

/* Longer or shorter, so that a launch takes about SLICE_NS. Whole groups of the widest items. */
static void size_slice(struct memtest *test, uint64_t bytes, uint64_t ns)
{
	const uint64_t step = (uint64_t)ABI_LOCAL_ITEMS * test->width * sizeof(uint32_t);

	if (ns < SLICE_NS / 2 && bytes == test->slice_bytes)
		test->slice_bytes *= 2;
	else if (ns > 2 * SLICE_NS && test->slice_bytes / 2 >= step)
		test->slice_bytes /= 2;
	if (test->slice_bytes > MEMORY_CHUNK_BYTES)
		test->slice_bytes = MEMORY_CHUNK_BYTES;
}

static bool set_arguments(struct memtest *test, const struct ocl_kernel *kernel, const struct memory_pass *pass,
			  const struct memory_sweep *sweep, unsigned at)
{
	const abi_u32 invert = sweep->invert, turn = sweep->turns;
	struct ocl_run *run = test->run;
	abi_u32 a, b;

	memory_pass_arguments(pass, at, &a, &b);
	return ocl_arg(run, kernel, 0, test->chunks[at].buffer) && ocl_arg(run, kernel, 2, a) &&
	       ocl_arg(run, kernel, 3, b) && ocl_arg(run, kernel, 4, invert) &&
	       (!sweep->verifies || ocl_arg(run, kernel, 6, turn));
}

static void count(struct memtest *test, const struct memory_sweep *sweep, uint64_t bytes, uint64_t ns)
{
	if (!sweep->verifies) {
		test->written_bytes += bytes;
		test->write_ns += ns;
	} else if (!sweep->turns) {
		test->verified_bytes += bytes;
		test->verify_ns += ns;
	}
}

static void say_where(struct memtest *test, const struct memory_pass *pass, bool is_new)
{
	uint64_t now_ns = clock_now_ns();

	if (!is_new && now_ns - test->stepped_ns < STEP_MS * NS_PER_MS)
		return;
	test->stepped_ns = now_ns;
	ocl_step(test->run, "memory test, %s, pass %u of %u", pass->pattern, test->passes + 1, memory_passes());
}

/* One buffer, slice by slice. False: a call failed, or the test is over. */
static bool sweep_chunk(struct memtest *test, const struct memory_pass *pass, const struct memory_sweep *sweep,
			unsigned at)
{
	struct ocl_kernel *kernel = sweep->verifies ? &test->verify[pass->kernel] : &test->write[pass->kernel];
	const uint64_t item_bytes = test->width * sizeof(uint32_t), whole = test->chunks[at].bytes;
	uint64_t done = 0;

	if (!set_arguments(test, kernel, pass, sweep, at))
		return end_by_failure(test);
	while (done < whole) {
		uint64_t bytes = whole - done < test->slice_bytes ? whole - done : test->slice_bytes, ns;
		uint64_t begin = sweep->downwards ? whole - done - bytes : done;
		const abi_u32 first = (abi_u32)(begin / item_bytes);

		if (is_over(test))
			return false;
		say_where(test, pass, false);
		ns = clock_now_ns();
		if (!ocl_arg(test->run, kernel, 1, first) ||
		    !ocl_kernel_run(test->run, kernel, (size_t)(bytes / item_bytes), NULL))
			return end_by_failure(test);
		ns = clock_now_ns() - ns;
		count(test, sweep, bytes, ns);
		done += bytes;
		size_slice(test, bytes, ns);
	}
	return true;
}

/* ---- what was found */

static uint64_t offset_of(const struct memtest *test, unsigned chunk, uint32_t place)
{
	uint64_t offset = (uint64_t)place * sizeof(uint32_t);

	for (unsigned i = 0; i < chunk; i++)
		offset += test->chunks[i].bytes;
	return offset;
}

/*
 * Sent at once: should the device hang later, these are known. Their keys are numbers, since a place may be wrong in
 * several sweeps of a pass, and where `found` itself is in bad memory it may be named twice in one.
 */
static void tell_error(struct memtest *test, const struct memory_pass *pass, unsigned chunk, const uint32_t *error)
{
	struct memory_test *facts = &ocl_facts(test->run)->memory_test;
	struct arena *arena = &test->run->sink->facts.arena;
	const char *offset = arena_printf(arena, "0x%012llx", (unsigned long long)offset_of(test, chunk, error[0]));
	struct memory_error *told = list_element(
		arena, facts, errors, memory_error, arena_printf(arena, "%06u", test->nr_errors));

	told->pattern = val_str(pass->pattern);
	told->offset = val_str(offset);
	told->expected = val_str(arena_printf(arena, "0x%08x", error[1]));
	told->got = val_str(arena_printf(arena, "0x%08x", error[2]));
	told->flipped = val_str(arena_printf(arena, "0x%08x", error[1] ^ error[2]));
	test->nr_errors++;
}

static bool take_found(struct memtest *test, const struct memory_pass *pass, unsigned chunk)
{
	struct ocl_run *run = test->run;
	uint32_t found[ABI_MEMORY_FOUND_WORDS];
	uint32_t nr;

	if (!ocl_ok(run,
		    cl.clEnqueueReadBuffer(run->queue, test->found, CL_TRUE, 0, sizeof(found), found, 0, NULL, NULL),
		    "clEnqueueReadBuffer"))
		return end_by_failure(test);
	if (!found[ABI_MEMORY_WRONG] && !found[ABI_MEMORY_SLOTS])
		return true;
	nr = found[ABI_MEMORY_SLOTS] < ABI_MEMORY_ERRORS ? found[ABI_MEMORY_SLOTS] : ABI_MEMORY_ERRORS;
	test->wrong += found[ABI_MEMORY_WRONG];
	test->flipped |= found[ABI_MEMORY_FLIPPED];
	for (uint32_t i = 0; i < nr && test->nr_errors < KEPT_ERRORS; i++)
		tell_error(test, pass, chunk, found + ABI_MEMORY_HEAD + i * ABI_MEMORY_ERROR_WORDS);
	sink_flush(run->sink);
	return clear_found(test) || end_by_failure(test);
}

static bool sweep_all(struct memtest *test, const struct memory_pass *pass, const struct memory_sweep *sweep)
{
	say_where(test, pass, true);
	for (unsigned i = 0; i < test->nr_chunks; i++) {
		unsigned at = sweep->downwards ? test->nr_chunks - 1 - i : i;
		bool done = sweep_chunk(test, pass, sweep, at);

		/* What an unfinished one found counts as well. */
		if (sweep->verifies && !take_found(test, pass, at))
			return false;
		if (!done)
			return false;
	}
	return true;
}

static void run_passes(struct memtest *test)
{
	struct memory_pass pass;

	for (unsigned n = 0; memory_pass_at(n, &pass) && !is_over(test); n++) {
		for (unsigned i = 0; i < pass.nr_sweeps; i++)
			if (!sweep_all(test, &pass, &pass.sweeps[i]))
				return;
		test->passes++;
	}
}

/* ---- memory to test */

/* One more buffer, written to. False: there is none of that size. */
static bool add_chunk(struct memtest *test, uint64_t bytes)
{
	const struct memory_sweep write = { .verifies = false };
	struct chunk *chunk = &test->chunks[test->nr_chunks];
	struct memory_pass pass;

	memory_pass_at(0, &pass);
	chunk->bytes = bytes;
	chunk->buffer = ocl_buffer(test->run, (size_t)bytes);
	if (!chunk->buffer)
		return false;
	if (!sweep_chunk(test, &pass, &write, test->nr_chunks)) {
		cl.clReleaseMemObject(chunk->buffer);
		return false;
	}
	test->nr_chunks++;
	test->had_bytes += bytes;
	return true;
}

static uint64_t largest_chunk(const struct ocl_run *run)
{
	uint64_t bytes = MEMORY_CHUNK_BYTES;

	if (run->largest_buffer_bytes && run->largest_buffer_bytes < bytes)
		bytes = run->largest_buffer_bytes;
	if (run->global_memory_bytes && run->global_memory_bytes / 8 < bytes)
		bytes = run->global_memory_bytes / 8;
	return bytes;
}

/* Running out of memory is expected, and no failure of the run: what was had is tested. */
static void take_memory(struct memtest *test)
{
	const uint64_t step = (uint64_t)ABI_LOCAL_ITEMS * test->width * sizeof(uint32_t);
	uint64_t bytes = largest_chunk(test->run) / step * step;
	char before[OPENCL_WHY_BYTES];

	memcpy(before, test->run->why, sizeof(before));
	while (bytes && test->nr_chunks < MOST_CHUNKS && !*test->run->please_end) {
		uint64_t left = (test->asked_bytes - test->had_bytes) / step * step;

		if (!left)
			break;
		bytes = bytes < left ? bytes : left;
		if (add_chunk(test, bytes))
			continue;
		test->ended[0] = '\0';
		bytes = bytes / 2 >= LEAST_CHUNK_BYTES ? bytes / 2 / step * step : 0;
	}
	memcpy(test->run->why, before, sizeof(before));
	test->written_bytes = test->write_ns = 0;	/* the first write of a page costs more than writing */
}

/* ---- telling */

static struct val_f64 gbps(uint64_t bytes, uint64_t ns)
{
	return ns ? val_f64((double)bytes / (double)ns) : no_f64(VAL_ABSENT, "it did not come so far");
}

static void tell_end(struct memtest *test)
{
	struct memory_test *facts = &ocl_facts(test->run)->memory_test;
	struct arena *arena = &test->run->sink->facts.arena;
	const unsigned all = memory_passes();

	if (test->ended[0])
		facts->ended = val_str(arena_printf(arena, "%s after %u of %u passes", test->ended, test->passes, all));
	else if (test->had_bytes / MIB < test->asked_bytes / MIB)
		facts->ended = val_str(arena_printf(arena, "the device gave no more memory (%s)", test->run->last));
	else
		facts->ended = val_str("done");
}

static void tell(struct memtest *test)
{
	struct memory_test *facts = &ocl_facts(test->run)->memory_test;
	struct arena *arena = &test->run->sink->facts.arena;

	facts->asked_bytes = val_u64(test->asked_bytes);
	facts->tested_bytes = val_u64(test->passes ? test->had_bytes : 0);
	facts->passes = val_u64(test->passes);
	facts->patterns = val_str(memory_pattern_names);
	facts->words_wrong = val_u64(test->wrong);
	facts->bits_wrong = test->wrong ? val_str(arena_printf(arena, "0x%08x", test->flipped)) :
					  no_str(VAL_ABSENT, "no wrong word");
	facts->write_gbps = gbps(test->written_bytes, test->write_ns);
	facts->verify_gbps = gbps(test->verified_bytes, test->verify_ns);
	facts->elapsed_ms = val_u64((clock_now_ns() - test->begin_ns) / NS_PER_MS);
	tell_end(test);
}

static void tell_failure(struct ocl_run *run, enum val_state state, const char *words)
{
	struct memory_test *facts = &ocl_facts(run)->memory_test;
	const char *why = arena_strdup(&run->sink->facts.arena, words);

	facts->asked_bytes = facts->tested_bytes = facts->passes = facts->words_wrong = facts->elapsed_ms =
		no_u64(state, why);
	facts->patterns = facts->bits_wrong = facts->ended = no_str(state, why);
	facts->write_gbps = facts->verify_gbps = no_f64(state, why);
}

static const char *why_none(const struct memory_room *room)
{
	return room->is_host && room->host_available_bytes ? "too little host memory is free for it" :
							     "how much memory is free is not known";
}

void ocl_run_memory_test(struct ocl_run *run, const struct bench_plan *plan)
{
	const struct memory_room room = {
		.total_bytes = run->global_memory_bytes, .free_bytes = plan->free_bytes,
		.is_host = run->has_host_memory, .host_available_bytes = plan->host_free_bytes,
	};
	struct memtest *test = xcalloc(1, sizeof(*test));
	cl_program program = run->program;
	bool opened;

	run->program = NULL;
	test->run = run;
	test->plan = plan;
	test->width = run->vector_width >= 4 ? 16 : 4;
	test->slice_bytes = FIRST_SLICE_BYTES;
	test->begin_ns = clock_now_ns();
	test->asked_bytes = memory_to_ask(&room, plan->memory_share_percent);
	opened = open_test(test);
	if (opened)
		take_memory(test);
	if (!opened) {
		tell_failure(run, VAL_ERROR, run->last);
	} else if (!test->nr_chunks) {
		tell_failure(run, VAL_ERROR, test->asked_bytes ? run->last : why_none(&room));
	} else {
		run_passes(test);
		tell(test);
	}
	close_test(test);
	if (run->program)
		cl.clReleaseProgram(run->program);
	run->program = program;
	free(test);
}
