/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sample_env.h - what tests of sources of ticks share: an environment of a worker, and ticks read from it. */
#pragma once

#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "probe/sample/sample_sources.h"
#include "snapshot/snapshot.h"

static struct sample_page page;
static struct sample_env sample_env = { .page = &page, .interval_ns = UINT64_C(1000000000) };
static struct tick tick;

/* The program's own is in another file than the sources: it says the step where the parent sees it. */
void sample_step(struct sample_env *of, const char *call, const char *gpu) __attribute__((weak));
void sample_step(struct sample_env *of, const char *call, const char *gpu)
{
	snprintf(of->page->call, sizeof(of->page->call), "%s", call);
	snprintf(of->page->gpu, sizeof(of->page->gpu), "%s", gpu);
}

/* What the parent's hook says becomes this process's environment. */
static inline void tell(const struct sample_source *source, const struct snapshot *sealed)
{
	struct arena arena = { 0 };
	struct strs told = { .nr = 0 }, skip = { .nr = 0 };

	source->environment(sealed, &skip, &arena, &told);
	for (size_t i = 0; i < told.nr; i++) {
		const char *equals = strchr(told.v[i], '=');

		setenv(arena_strndup(&arena, told.v[i], (size_t)(equals - told.v[i])), equals + 1, 1);
	}
	arena_release(&arena);
}

static inline void *open_source(const struct sample_source *source, const struct root *root)
{
	char why[256] = "";
	void *own;

	sample_env.root = root;
	own = source->open(&sample_env, why);
	if (!own)
		fail_msg("%s: %s", source->name, why);
	return own;
}

/* The next tick, in place of the last. */
static inline void read_tick(const struct sample_source *source, void *own)
{
	tick_release(&tick);
	source->read(own, &tick);
}

static inline void assert_u64(struct val_u64 value, uint64_t expected)
{
	if (!is_known(value))
		fail_msg("%s: %s", val_state_name(value.state), value.why ? value.why : "");
	assert_int_equal(u64_or(value, 0), expected);
}

/* Not known, with a reason. */
static inline void assert_no_u64(struct val_u64 value, enum val_state state)
{
	assert_string_equal(val_state_name(value.state), val_state_name(state));
	assert_non_null(value.why);
}
