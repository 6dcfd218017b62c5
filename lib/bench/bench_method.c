// SPDX-License-Identifier: GPL-2.0-or-later
/* bench_method.c - takes the samples of all tests in turn, and reports them by the better clock. */
#include "base/compat.h"
#include "bench/bench.h"

#include <time.h>

#include "base/alloc.h"
#include "base/stats.h"
#include "bench/bench_clock.h"
#include "sys/clock.h"

#define NS_PER_MS UINT64_C(1000000)
/* Time one test gets per turn, set by PoCL's longest samples; tests with shorter samples take several per turn. */
#define FINE_TURN_NS (25 * NS_PER_MS)
#define QUICK_TURN_NS (10 * NS_PER_MS)

enum {
	MIN_ROUNDS = 3,
	SETTLED_ROUNDS = 6,		/* fewer have no confidence interval */
	MAX_SAMPLES = 2000,		/* of a test: a snapshot is read by people too */
	MOST_OF_TURN = 4,		/* samples that a test takes at once, where they are short */
	/* of the time to measure: a device so slow that three rounds would meet the deadline */
	GIVE_UP_FACTOR = 4,
	TELL_MS = 1000,			/* how often the parent hears that samples are being taken */
	LONGEST_TURN_MS = 2000,		/* of a test that has a sample: far below what a parent calls hanging */
	STACKED_PERCENT = 70,		/* of the CPUs that a kernel has work for: less, and some of them had none */
};

static const char no_time[] = "there was no time left for it";

/* ---- one operation */

static uint64_t cpu_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static double event_ns(cl_event event)
{
	cl_ulong start = 0, end = 0;

	if (cl.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(start), &start, NULL) ||
	    cl.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL))
		return BENCH_NO_STAMP;
	return end < start ? BENCH_STAMPED_BACKWARDS : (double)(end - start);
}

static bool time_once(struct bench *bench, struct bench_test *test, double *ret_host_ns, double *ret_event_ns)
{
	cl_event event = NULL;
	uint64_t begin_ns = clock_now_ns();
	bool did = test->kind->once(bench, test, test->kind->by_host ? NULL : &event);

	*ret_host_ns = (double)(clock_now_ns() - begin_ns);
	*ret_event_ns = event ? event_ns(event) : BENCH_NO_STAMP;
	if (event)
		cl.clReleaseEvent(event);
	return did;
}

static void keep(struct bench_test *test, double host_ns, double stamped_ns)
{
	if (test->nr == test->room) {
		test->room = test->room ? 2 * test->room : 64;
		test->host_ns = xrealloc(test->host_ns, test->room * sizeof(*test->host_ns));
		test->event_ns = xrealloc(test->event_ns, test->room * sizeof(*test->event_ns));
	}
	test->host_ns[test->nr] = host_ns;
	test->event_ns[test->nr++] = stamped_ns;
}

static void fail(const struct bench *bench, struct bench_test *test)
{
	snprintf(test->why, sizeof(test->why), "%s", bench->run->last);
}

static void take_untimed(struct bench *bench, struct bench_test *test)
{
	for (unsigned i = 0; i < test->kind->untimed && !test->why[0]; i++)
		if (!test->kind->once(bench, test, NULL))
			fail(bench, test);
}

/* Where the run was interrupted, or a sample like the last would meet the deadline: what was found is worth more. */
static bool is_over(const struct bench *bench, const struct bench_test *test)
{
	uint64_t next_ms = test->nr ? (uint64_t)test->host_ns[test->nr - 1] / NS_PER_MS : 0;

	return ocl_is_to_end(bench->run, next_ms) || (test->nr && clock_now_ns() > bench->give_up_ns);
}

/* As many as a round is to have; of what is shorter than a turn, more. */
static bool has_more(const struct bench *bench, const struct bench_test *test, unsigned taken, uint64_t taken_ns)
{
	if (test->nr >= MAX_SAMPLES || test->why[0] || is_over(bench, test))
		return false;
	if (!taken)
		return true;
	if (taken_ns > LONGEST_TURN_MS * NS_PER_MS)
		return false;
	if (taken < test->per_round)
		return true;
	return taken < MOST_OF_TURN &&
	       taken_ns + taken_ns / taken <= (bench->plan->fine ? FINE_TURN_NS : QUICK_TURN_NS);
}

static void take_turn(struct bench *bench, struct bench_test *test)
{
	uint64_t begin_ns, cpu_ns;
	double host_ns, stamped_ns;

	if (!bench_place_go(bench, test->node))
		fail(bench, test);
	take_untimed(bench, test);
	begin_ns = clock_now_ns();
	cpu_ns = cpu_now_ns();
	for (unsigned i = 0; has_more(bench, test, i, clock_now_ns() - begin_ns); i++) {
		if (time_once(bench, test, &host_ns, &stamped_ns))
			keep(test, host_ns, stamped_ns);
		else
			fail(bench, test);
	}
	test->end_ns = clock_now_ns();
	test->begin_ns = test->begin_ns ? test->begin_ns : begin_ns;
	test->cpu_ns += cpu_now_ns() - cpu_ns;
	test->wall_ns += test->end_ns - begin_ns;
}

/* ---- the rounds */

static bool is_settled(const struct bench *bench, const double *samples, size_t nr)
{
	return stats_median_uncertainty(samples, nr) <= bench->plan->target;
}

static bool all_settled(const struct bench *bench)
{
	for (size_t i = 0; i < bench->nr_tests; i++) {
		const struct bench_test *test = bench->tests[i];

		if (!test->why[0] && !is_settled(bench, test->host_ns, test->nr))
			return false;
	}
	return true;
}

/* Rarely, as it is work for the host; and in one word for all, as which of them hangs is not known by a second. */
static void say_alive(struct bench *bench)
{
	if (bench->told_ns && clock_now_ns() - bench->told_ns < TELL_MS * NS_PER_MS)
		return;
	ocl_step(bench->run, "timing, all tests in turn");
	bench->told_ns = clock_now_ns();
}

static void take_round(struct bench *bench)
{
	for (size_t i = 0; i < bench->nr_tests; i++) {
		struct bench_test *test = bench->tests[i];

		if (test->why[0] || is_over(bench, test))
			continue;
		say_alive(bench);
		take_turn(bench, test);
	}
}

static void take_samples(struct bench *bench)
{
	const uint64_t begin_ns = clock_now_ns(), least_ns = bench->plan->measure_ms * NS_PER_MS;
	const uint64_t past_ns = begin_ns - bench->run->begin_ns, whole_ns = bench->plan->whole_ms * NS_PER_MS;
	const uint64_t budget_ns = whole_ns > past_ns + least_ns ? whole_ns - past_ns : least_ns;
	uint64_t round_began_ns = 0;

	bench->give_up_ns = begin_ns + GIVE_UP_FACTOR * least_ns;
	for (int round = 0; round < MAX_SAMPLES; round++) {
		uint64_t taken_ns = clock_now_ns() - begin_ns;

		/* Half a round more is nearer to the budget than half a round less. */
		if (begin_ns + taken_ns > bench->give_up_ns || ocl_is_to_end(bench->run, 0) ||
		    (round >= MIN_ROUNDS && taken_ns + (taken_ns - round_began_ns) / 2 > budget_ns) ||
		    (round >= SETTLED_ROUNDS && all_settled(bench)))
			break;
		round_began_ns = taken_ns;
		take_round(bench);
	}
}

/* ---- which clock */

static struct bench_stamps stamps_of(const struct bench_test *test)
{
	return (struct bench_stamps){ .nr = test->nr, .host_ns = test->host_ns, .event_ns = test->event_ns };
}

static void learn_clock(const struct bench *bench, struct bench_clock *ret)
{
	*ret = (struct bench_clock){ .impossible = NULL };
	for (size_t i = 0; i < bench->nr_tests; i++) {
		struct bench_stamps stamps = stamps_of(bench->tests[i]);

		if (!bench->tests[i]->kind->by_host)
			bench_clock_learn(ret, &stamps);
	}
}

double bench_try_ns(struct bench *bench, struct bench_test *test, unsigned times)
{
	double host_ns[16], stamped_ns[16], best_ns = 0.0;
	bool stamped = true;

	times = times < ARRAY_SIZE(host_ns) ? times : (unsigned)ARRAY_SIZE(host_ns);
	for (unsigned i = 0; i < times; i++) {
		if (!time_once(bench, test, &host_ns[i], &stamped_ns[i]))
			return 0.0;
		stamped = stamped && bench_stamp_can_be(stamped_ns[i], host_ns[i]);
	}
	/* The best: a search compares what each can do, and has no time for a median. */
	for (unsigned i = 0; i < times; i++) {
		double ns = stamped ? stamped_ns[i] : host_ns[i];

		best_ns = !i || ns < best_ns ? ns : best_ns;
	}
	return best_ns;
}

/* ---- telling */

static struct val_u64 number_if(uint64_t number)
{
	return number ? val_u64(number) : (struct val_u64){ .state = VAL_UNSET };
}

static const char *by_host_why(const struct bench_kind *kind)
{
	return kind->by_host_why ? kind->by_host_why : "the way there and back is measured";
}

/* By the better clock. */
static void tell_samples(struct bench *bench, const struct bench_test *test, const struct bench_clock *clock,
			 struct timing *ret)
{
	struct arena *arena = &bench->run->sink->facts.arena;
	const struct bench_stamps stamps = stamps_of(test);
	const char *why = test->kind->by_host ? by_host_why(test->kind) : bench_clock_why(clock, &stamps);
	const double *samples = why ? test->host_ns : test->event_ns;

	ret->clock = val_str(why ? "host" : "events");
	ret->clock_why = why ? val_str(why) : no_str(VAL_ABSENT, "events are used");
	/* A ratio of what cannot be a time says nothing. */
	if (!test->kind->by_host && bench_stamps_ratio(&stamps) >= 0.0)
		ret->event_ratio = val_f64(bench_stamps_ratio(&stamps));
	ret->method = val_str(arena_printf(arena, "%s, %s", test->kind->method, why ? "host clock" : "event stamps"));
	ret->settled = val_bool(is_settled(bench, samples, test->nr));
	for (size_t i = 0; i < test->nr; i++)
		f64s_add(arena, &ret->samples_ns, samples[i]);
}

/*
 * A kernel keeps all units of a CPU busy. With less CPU time than that, its
 * threads waited for each other on one CPU, or for somebody else's.
 */
static void tell_cpu(struct bench *bench, const struct bench_test *test, struct timing *ret)
{
	const double units = (double)bench->run->compute_units;
	double percent = test->wall_ns ? 100.0 * (double)test->cpu_ns / (double)test->wall_ns : 0.0;

	if (!test->wall_ns)
		return;
	ret->cpu_percent = val_f64(percent);
	if (!test->kind->all_units || !bench->device.is_cpu)
		return;
	if (units > 1.0 && percent < STACKED_PERCENT * units)
		ret->disturbed = val_str(arena_printf(&bench->run->sink->facts.arena,
						      "its threads had %.0f %% of a CPU for %.0f compute units",
						      percent, units));
	else
		ret->disturbed = no_str(VAL_ABSENT, "no known obstacle");
}

/* A test without a sample has its reason in place of its method: what the device lacks, or what failed. */
static void tell(struct bench *bench, const struct bench_test *test, const struct bench_clock *clock)
{
	struct arena *arena = &bench->run->sink->facts.arena;
	struct ocl_device *facts = ocl_facts(bench->run);
	struct timing *timing = list_element(arena, facts, timings, timing, arena_strdup(arena, test->key));

	timing->test = val_str(test->kind->name);
	timing->size_bytes = number_if(test->size_bytes);
	if (test->missing_feature) {
		timing->method = no_str(VAL_UNSUPPORTED, test->missing_feature);
		return;
	}
	if (!test->nr) {
		timing->method = no_str(VAL_ERROR, arena_strdup(arena, test->why[0] ? test->why : no_time));
		return;
	}
	tell_samples(bench, test, clock, timing);
	tell_cpu(bench, test, timing);
	timing->moved_bytes = number_if(test->moved_bytes);
	timing->operations = number_if(test->operations);
	timing->vector_width = number_if(test->vector_width);
	timing->local_items = number_if(test->local_items);
	timing->rows = number_if(test->rows);
	if (test->numa_node >= 0)
		timing->numa_node = val_u64((uint64_t)test->numa_node);
	timing->begin_ms = val_u64(test->begin_ns / NS_PER_MS);
	timing->end_ms = val_u64(test->end_ns / NS_PER_MS);
}

/* A test that a slow device would not be ready for in time stays closed: the others' samples would be lost too. */
static void open_tests(struct bench *bench)
{
	uint64_t longest_ms = 0;

	for (size_t i = 0; i < bench->nr_tests; i++) {
		struct bench_test *test = bench->tests[i];
		uint64_t begin_ns = clock_now_ns(), ms;

		if (ocl_is_to_end(bench->run, longest_ms)) {
			snprintf(test->why, sizeof(test->why), "%s", no_time);
			continue;
		}
		ocl_step(bench->run, "warm-up of %s", test->key);
		if (!test->kind->open(bench, test))
			snprintf(test->why, sizeof(test->why), "%s",
				 test->missing_feature ? test->missing_feature : bench->run->last);
		ms = (clock_now_ns() - begin_ns) / NS_PER_MS;
		longest_ms = ms > longest_ms ? ms : longest_ms;
	}
}

void bench_measure(struct bench *bench)
{
	struct bench_clock clock;

	open_tests(bench);
	take_samples(bench);
	learn_clock(bench, &clock);
	for (size_t i = 0; i < bench->nr_tests; i++)
		tell(bench, bench->tests[i], &clock);
}
