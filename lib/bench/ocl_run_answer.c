// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ocl_run_answer.c - runs kernels/known_answer.cl and compares every word.
 *
 * First with the results copied back, twice for the same input, as a fault may
 * come and go; the buffer is overwritten before each run, so that a run that
 * does nothing cannot pass with the answer of the one before. Then, at the
 * levels that have the time, over and over with two seeds in turn, compared on
 * the device: a run that does nothing leaves the other seed's words. A quarter
 * of a million items are enough to reach every lane of most GPUs; those with
 * more compute units get more.
 */
#include "base/compat.h"
#include "base/alloc.h"
#include "bench/known_answer.h"
#include "bench/ocl_run.h"
#include "sys/clock.h"

enum {
	LEAST_WORDS = 1 << 18,
	SMALL_WORDS = 1 << 14,
	MOST_WORDS = 1 << 20,
	GROUPS_PER_UNIT = 4,
	POISON = 0xa5,
	NR_SEEDS = 2,
	MOST_BATCH = 256,
};
#define SEED 0x6770u
#define NS_PER_MS UINT64_C(1000000)
/* A simulator of a device, a thousand times slower, keeps to the small runs. */
#define LONGEST_FULL_RUN_NS (1000 * NS_PER_MS)
/* Of the runs that are compared on the device: how often the host looks. */
#define BATCH_NS (50 * NS_PER_MS)
#define STANDARD_NS (250 * NS_PER_MS)	/* of each kernel */
#define DEEP_NS (2500 * NS_PER_MS)
/* Of each kernel: one wrong word in a billion is to be seen. A CPU of two cores takes 20 to 40 s for as many. */
#define DEEP_WORDS UINT64_C(1050000000)

struct answer {
	const char *name;		/* of the kernel */
	bool is_float;
	abi_u32 with_fma;
	size_t words;
	struct ocl_kernel kernel, compare;
	cl_mem out, found;
	cl_mem expected[NR_SEEDS], before[NR_SEEDS];
	uint32_t *host_expected, *got, *host_before;
	uint64_t run_ns;		/* of the last run that was timed */
};

/* Of both kernels. */
struct answers {
	struct known_answer_tally tally;
	uint64_t runs;
	const char *failed;		/* the kernel with the first wrong word; NULL: none */
};

static void fill(const struct answer *answer, uint32_t seed)
{
	if (answer->is_float)
		known_answer_float_fill(answer->host_expected, answer->words, seed, answer->with_fma != 0);
	else
		known_answer_fill(answer->host_expected, answer->words, seed);
}

static bool set_seed(struct ocl_run *run, struct answer *answer, abi_u32 seed)
{
	return ocl_arg(run, &answer->kernel, 1, seed);
}

static bool write_words(struct ocl_run *run, cl_mem to, const uint32_t *words, size_t nr)
{
	const size_t bytes = nr * sizeof(*words);

	return ocl_ok(run, cl.clEnqueueWriteBuffer(run->queue, to, CL_TRUE, 0, bytes, words, 0, NULL, NULL),
		      "clEnqueueWriteBuffer");
}

static bool read_words(struct ocl_run *run, cl_mem from, uint32_t *words, size_t nr)
{
	const size_t bytes = nr * sizeof(*words);

	return ocl_ok(run, cl.clEnqueueReadBuffer(run->queue, from, CL_TRUE, 0, bytes, words, 0, NULL, NULL),
		      "clEnqueueReadBuffer");
}

static bool open_answer(struct ocl_run *run, struct answer *answer)
{
	size_t units = (size_t)run->compute_units * GROUPS_PER_UNIT * ABI_LOCAL_ITEMS;

	answer->words = units < LEAST_WORDS ? LEAST_WORDS : units < MOST_WORDS ? units : MOST_WORDS;
	answer->host_expected = xcalloc(answer->words, sizeof(*answer->got));
	answer->got = xcalloc(answer->words, sizeof(*answer->got));
	answer->host_before = xcalloc(answer->words, sizeof(*answer->got));
	fill(answer, SEED);
	answer->out = ocl_buffer(run, answer->words * sizeof(*answer->got));
	return answer->out && ocl_kernel_open(run, &answer->kernel, answer->name) &&
	       ocl_arg(run, &answer->kernel, 0, answer->out) && set_seed(run, answer, SEED) &&
	       (!answer->is_float || ocl_arg(run, &answer->kernel, 2, answer->with_fma));
}

static void close_answer(struct answer *answer)
{
	cl_mem buffers[] = { answer->out, answer->found, answer->expected[0], answer->expected[1],
			     answer->before[0], answer->before[1] };

	for (size_t i = 0; i < ARRAY_SIZE(buffers); i++)
		if (buffers[i])
			cl.clReleaseMemObject(buffers[i]);
	ocl_kernel_close(&answer->kernel);
	ocl_kernel_close(&answer->compare);
	free(answer->host_expected);
	free(answer->got);
	free(answer->host_before);
}

/* ---- compared by the host */

static void note_failed(struct answers *answers, const struct answer *answer)
{
	if (answers->tally.wrong && !answers->failed)
		answers->failed = answer->name;
}

static bool pass(struct ocl_run *run, struct answer *answer, struct answers *answers, size_t words, bool again)
{
	uint64_t begin_ns;

	ocl_step(run, "%s, %zu words", answer->name, words);
	memset(answer->got, POISON, words * sizeof(*answer->got));
	if (!write_words(run, answer->out, answer->got, words))
		return false;
	begin_ns = clock_now_ns();
	if (!ocl_kernel_run(run, &answer->kernel, words, NULL))
		return false;
	answer->run_ns = clock_now_ns() - begin_ns;
	if (!read_words(run, answer->out, answer->got, words))
		return false;
	known_answer_compare(&answers->tally, answer->host_expected, again ? answer->host_before : NULL, answer->got,
			     words);
	memcpy(answer->host_before, answer->got, words * sizeof(*answer->got));
	answers->runs++;
	note_failed(answers, answer);
	return true;
}

/* The small runs warm up, and tell how long a full one will take. *ret_full: there was time for those. */
static bool host_passes(struct ocl_run *run, struct answer *answer, struct answers *answers, bool *ret_full)
{
	*ret_full = false;
	if (!pass(run, answer, answers, SMALL_WORDS, false) || !pass(run, answer, answers, SMALL_WORDS, true))
		return false;
	if (answer->run_ns * (answer->words / SMALL_WORDS) > LONGEST_FULL_RUN_NS)
		return true;
	*ret_full = true;
	return pass(run, answer, answers, answer->words, false) && pass(run, answer, answers, answer->words, true);
}

/* ---- compared by the device */

static bool open_compare(struct ocl_run *run, struct answer *answer)
{
	const size_t bytes = answer->words * sizeof(*answer->got);

	answer->found = ocl_buffer(run, ABI_FOUND_WORDS * sizeof(*answer->got));
	for (unsigned i = 0; answer->found && i < NR_SEEDS; i++) {
		if (i)
			fill(answer, SEED + i);
		answer->expected[i] = ocl_buffer(run, bytes);
		answer->before[i] = answer->expected[i] ? ocl_buffer(run, bytes) : NULL;
		if (!answer->before[i] ||
		    !write_words(run, answer->expected[i], answer->host_expected, answer->words) ||
		    !set_seed(run, answer, SEED + i) || !ocl_kernel_run(run, &answer->kernel, answer->words, NULL) ||
		    !ocl_ok(run,
			    cl.clEnqueueCopyBuffer(run->queue, answer->out, answer->before[i], 0, 0, bytes, 0, NULL,
						   NULL),
			    "clEnqueueCopyBuffer"))
			return false;
	}
	return answer->found && ocl_kernel_open(run, &answer->compare, "answer_compare") &&
	       ocl_arg(run, &answer->compare, 0, answer->out) && ocl_arg(run, &answer->compare, 3, answer->found);
}

/* Puts runs of both seeds into the queue, each compared, and waits for all. */
static bool batch(struct ocl_run *run, struct answer *answer, unsigned pairs)
{
	for (unsigned i = 0; i < pairs * NR_SEEDS; i++) {
		unsigned seed = i % NR_SEEDS;

		if (!set_seed(run, answer, SEED + seed) ||
		    !ocl_kernel_start(run, &answer->kernel, answer->words) ||
		    !ocl_arg(run, &answer->compare, 1, answer->expected[seed]) ||
		    !ocl_arg(run, &answer->compare, 2, answer->before[seed]) ||
		    !ocl_kernel_start(run, &answer->compare, answer->words))
			return false;
	}
	return ocl_ok(run, cl.clFinish(run->queue), "clFinish");
}

static void take_found(struct answers *answers, const struct answer *answer, const uint32_t *found)
{
	struct known_answer_tally *tally = &answers->tally;

	if (found[ABI_FOUND_WRONG] && !tally->wrong) {
		tally->first_wrong = found[ABI_FOUND_PLACE];
		tally->expected = found[ABI_FOUND_EXPECTED];
		tally->got = found[ABI_FOUND_GOT];
	}
	tally->wrong += found[ABI_FOUND_WRONG];
	tally->unstable += found[ABI_FOUND_UNSTABLE];
	tally->flipped |= found[ABI_FOUND_FLIPPED];
	note_failed(answers, answer);
}

static bool device_batches(struct ocl_run *run, struct answer *answer, struct answers *answers,
			   const struct bench_plan *plan)
{
	static const uint32_t none[ABI_FOUND_WORDS];
	const uint64_t begin_ns = clock_now_ns(), least_ns = plan->deep ? DEEP_NS : STANDARD_NS;
	const uint64_t most_ns = plan->answer_ms * NS_PER_MS;
	uint64_t words = 0;

	for (unsigned pairs = 1;;) {
		uint32_t found[ABI_FOUND_WORDS];
		uint64_t taken_ns, at_ns = clock_now_ns();

		ocl_step(run, "%s, %u runs of %zu words", answer->name, pairs * NR_SEEDS, answer->words);
		if (!write_words(run, answer->found, none, ABI_FOUND_WORDS) || !batch(run, answer, pairs) ||
		    !read_words(run, answer->found, found, ABI_FOUND_WORDS))
			return false;
		words += (uint64_t)pairs * NR_SEEDS * answer->words;
		answers->runs += (uint64_t)pairs * NR_SEEDS;
		answers->tally.checked += (uint64_t)pairs * NR_SEEDS * answer->words;
		take_found(answers, answer, found);
		taken_ns = clock_now_ns() - begin_ns;
		if (ocl_is_to_end(run, 0) ||
		    (taken_ns >= least_ns && (!plan->deep || words >= DEEP_WORDS || taken_ns >= most_ns)))
			return true;
		if (clock_now_ns() - at_ns < BATCH_NS / 2 && pairs < MOST_BATCH)
			pairs *= 2;
	}
}

static bool run_answer(struct ocl_run *run, const struct bench_plan *plan, struct answer *answer,
		       struct answers *answers)
{
	bool full, done = open_answer(run, answer) && host_passes(run, answer, answers, &full) &&
			  (!full || !plan->fine ||
			   (open_compare(run, answer) && device_batches(run, answer, answers, plan)));

	close_answer(answer);
	return done;
}

/* ---- telling */

static void tell_first(struct ocl_run *run, const struct answers *answers)
{
	struct known_answer *facts = &ocl_facts(run)->known_answer;
	struct arena *arena = &run->sink->facts.arena;
	const struct known_answer_tally *tally = &answers->tally;

	facts->kernel = val_str(answers->failed);
	facts->first_wrong = val_u64(tally->first_wrong);
	facts->expected = val_str(arena_printf(arena, "0x%08x", tally->expected));
	facts->got = val_str(arena_printf(arena, "0x%08x", tally->got));
	facts->flipped = val_str(arena_printf(arena, "0x%08x", tally->flipped));
}

static void tell_no_first(struct ocl_run *run, enum val_state state, const char *why)
{
	struct known_answer *facts = &ocl_facts(run)->known_answer;

	facts->kernel = facts->expected = facts->got = facts->flipped = no_str(state, why);
	facts->first_wrong = no_u64(state, why);
}

static void tell(struct ocl_run *run, const struct answers *answers)
{
	struct known_answer *facts = &ocl_facts(run)->known_answer;

	facts->words_checked = val_u64(answers->tally.checked);
	facts->words_wrong = val_u64(answers->tally.wrong);
	facts->words_unstable = val_u64(answers->tally.unstable);
	facts->runs = val_u64(answers->runs);
	if (answers->tally.wrong)
		tell_first(run, answers);
	else
		tell_no_first(run, VAL_ABSENT, "no wrong word");
}

static void tell_failure(struct ocl_run *run)
{
	struct known_answer *facts = &ocl_facts(run)->known_answer;
	const char *why = arena_strdup(&run->sink->facts.arena, run->last);

	facts->words_checked = facts->words_wrong = facts->words_unstable = facts->runs = no_u64(VAL_ERROR, why);
	tell_no_first(run, VAL_ERROR, why);
}

void ocl_run_answer(struct ocl_run *run, const struct bench_plan *plan)
{
	struct answer whole = { .name = "known_answer" };
	struct answer floating = { .name = "known_answer_float", .is_float = true, .with_fma = run->has_fma };
	struct answers answers = { .runs = 0 };
	/* An embedded device may round towards zero: its sums have another answer. */
	bool done = run_answer(run, plan, &whole, &answers) &&
		    (!run->rounds_to_nearest || run_answer(run, plan, &floating, &answers));

	/* A wrong word counts, whatever failed after it. */
	if (done || answers.tally.wrong)
		tell(run, &answers);
	else
		tell_failure(run);
}
