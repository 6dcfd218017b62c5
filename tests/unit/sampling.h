/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sampling.h - what tests of sources of ticks share: a source that is open, and the tick that it read last. */
#pragma once

#include "probe/sample/sample.h"
#include "tests/unit/tree.h"

static struct sample_page sampling_page;
static struct sample_env sampling_env;
static const struct sample_source *sampling_source;
static void *sampling_own;
static struct tick sampled;

static inline void sampling_open(const struct sample_source *source, uint64_t interval_ns)
{
	char why[256] = "";

	memset(&sampling_page, 0, sizeof(sampling_page));
	sampling_env = (struct sample_env){ .root = &tree, .page = &sampling_page, .interval_ns = interval_ns };
	sampling_source = source;
	sampling_own = source->open(&sampling_env, why);
	if (!sampling_own)
		fail_msg("%s: %s", source->name, why);
}

static inline const struct tick *sample_tick(void)
{
	tick_release(&sampled);
	sampled = (struct tick){ .nr_gpus = 0 };
	sampling_source->read(sampling_own, &sampled);
	return &sampled;
}

/* The GPU at that address in a tick of now. */
static inline const struct tick_gpu *sample_gpu(const char *address)
{
	const struct tick *tick = sample_tick();
	const struct tick_gpu *gpu = list_find(tick, gpus, tick_gpu, address);

	assert_non_null(gpu);
	return gpu;
}

static inline void sampling_close(void)
{
	if (sampling_own)
		sampling_source->close(sampling_own);
	sampling_own = NULL;
	tick_release(&sampled);
	sampled = (struct tick){ .nr_gpus = 0 };
}

#define assert_figure(value, expected) assert_figure_((value), (expected), #value, __LINE__)
static inline void assert_figure_(struct val_f64 value, double expected, const char *what, int line)
{
	double got = f64_or(value, -1e300);

	if (got < expected - 0.01 || got > expected + 0.01)
		fail_msg("line %d: %s is %g (%s: %s), not %g", line, what, got, val_state_name(value.state),
			 value.why ? value.why : "", expected);
}

#define assert_count(value, expected) assert_count_((value), (expected), #value, __LINE__)
static inline void assert_count_(struct val_u64 value, uint64_t expected, const char *what, int line)
{
	if (!is_known(value) || u64_or(value, 0) != expected)
		fail_msg("line %d: %s is %llu (%s: %s), not %llu", line, what, (unsigned long long)u64_or(value, 0),
			 val_state_name(value.state), value.why ? value.why : "", (unsigned long long)expected);
}

/* Why a value is none; of any kind of value. */
#define assert_missing(value, state_, why_)                                                                            \
	do {                                                                                                           \
		__auto_type missing_ = (value);                                                                        \
		assert_string_equal(missing_.why ? missing_.why : "", (why_));                                         \
		assert_int_equal(missing_.state, (state_));                                                            \
	} while (0)
