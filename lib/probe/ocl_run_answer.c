// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ocl_run_answer.c - runs kernels/known_answer.cl and compares every word.
 *
 * Twice, as a fault may come and go; the buffer is overwritten before each
 * run, so that a run that does nothing cannot pass with the answer of the one
 * before. A quarter of a million items are enough to reach every lane of the
 * largest GPUs.
 */
#include "base/compat.h"
#include "probe/known_answer.h"
#include "probe/ocl_run.h"
#include "sys/clock.h"

enum { FULL_WORDS = 1 << 18, SMALL_WORDS = 1 << 14, POISON = 0xa5 };

#define SEED 0x6770u
/* A simulator of a device, a thousand times slower, keeps to the small runs. */
#define LONGEST_FULL_RUN_NS 1000000000u

struct answer {
	struct ocl_kernel kernel;
	cl_mem buffer;
	uint32_t *expected;
	uint32_t *got;
	struct known_answer_tally tally;
};

static bool open_answer(struct ocl_run *run, struct answer *answer)
{
	const abi_u32 seed = SEED;

	answer->expected = malloc(FULL_WORDS * sizeof(*answer->expected));
	answer->got = malloc(FULL_WORDS * sizeof(*answer->got));
	if (!answer->expected || !answer->got)
		return ocl_ok(run, CL_OUT_OF_HOST_MEMORY, "malloc");
	known_answer_fill(answer->expected, FULL_WORDS, SEED);
	answer->buffer = ocl_buffer(run, FULL_WORDS * sizeof(*answer->got));
	return answer->buffer && ocl_kernel_open(run, &answer->kernel, "known_answer") &&
	       ocl_arg(run, &answer->kernel, 0, answer->buffer) && ocl_arg(run, &answer->kernel, 1, seed);
}

static void close_answer(struct answer *answer)
{
	ocl_kernel_close(&answer->kernel);
	if (answer->buffer)
		cl.clReleaseMemObject(answer->buffer);
	free(answer->expected);
	free(answer->got);
}

static bool pass(struct ocl_run *run, struct answer *answer, size_t words, uint64_t *ret_ns)
{
	size_t bytes = words * sizeof(*answer->got);
	uint64_t begin_ns;
	cl_int error;

	ocl_step(run, "known answer, %zu words", words);
	memset(answer->got, POISON, bytes);
	error = cl.clEnqueueWriteBuffer(run->queue, answer->buffer, CL_TRUE, 0, bytes, answer->got, 0, NULL, NULL);
	if (!ocl_ok(run, error, "clEnqueueWriteBuffer"))
		return false;
	begin_ns = clock_now_ns();
	if (!ocl_kernel_run(run, &answer->kernel, words, NULL))
		return false;
	*ret_ns = clock_now_ns() - begin_ns;
	error = cl.clEnqueueReadBuffer(run->queue, answer->buffer, CL_TRUE, 0, bytes, answer->got, 0, NULL, NULL);
	if (!ocl_ok(run, error, "clEnqueueReadBuffer"))
		return false;
	known_answer_compare(&answer->tally, answer->expected, answer->got, words);
	return true;
}

/* The small runs warm up, and tell how long a full one will take. */
static bool all_passes(struct ocl_run *run, struct answer *answer)
{
	uint64_t ns;

	if (!pass(run, answer, SMALL_WORDS, &ns) || !pass(run, answer, SMALL_WORDS, &ns))
		return false;
	if (ns * (FULL_WORDS / SMALL_WORDS) > LONGEST_FULL_RUN_NS)
		return true;
	return pass(run, answer, FULL_WORDS, &ns) && pass(run, answer, FULL_WORDS, &ns);
}

static void tell(struct ocl_run *run, const struct known_answer_tally *tally)
{
	struct known_answer *facts = &ocl_facts(run)->known_answer;
	struct arena *arena = &run->sink->facts.arena;

	facts->words_checked = val_u64(tally->checked);
	facts->words_wrong = val_u64(tally->wrong);
	if (tally->wrong) {
		facts->first_wrong = val_u64(tally->first_wrong);
		facts->expected = val_str(arena_printf(arena, "0x%08x", tally->expected));
		facts->got = val_str(arena_printf(arena, "0x%08x", tally->got));
	} else {
		facts->first_wrong = no_u64(VAL_ABSENT, "no word is wrong");
		facts->expected = no_str(VAL_ABSENT, "no word is wrong");
		facts->got = no_str(VAL_ABSENT, "no word is wrong");
	}
}

static void tell_failure(struct ocl_run *run)
{
	struct known_answer *facts = &ocl_facts(run)->known_answer;
	const char *why = arena_strdup(&run->sink->facts.arena, run->last);

	facts->words_checked = no_u64(VAL_ERROR, why);
	facts->words_wrong = no_u64(VAL_ERROR, why);
	facts->first_wrong = no_u64(VAL_ERROR, why);
	facts->expected = no_str(VAL_ERROR, why);
	facts->got = no_str(VAL_ERROR, why);
}

void ocl_run_answer(struct ocl_run *run)
{
	struct answer answer = { .buffer = NULL };
	bool done = open_answer(run, &answer) && all_passes(run, &answer);

	/* A wrong word counts, whatever failed after it. */
	if (done || answer.tally.wrong)
		tell(run, &answer.tally);
	else
		tell_failure(run);
	close_answer(&answer);
}
