// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * collective.c - probe "collective": the site's own all_reduce_perf on the GPUs under test, and what it prints.
 *
 * It is somebody else's program: it may hang, crash, print without end or leave processes behind. It gets sizes that
 * take seconds, its GPUs by UUID, and a time after which all that it started is ended.
 */
#include "base/compat.h"
#include "probe/probe_table.h"

#include <signal.h>
#include <unistd.h>

#include "base/text.h"
#include "bench/collective_child.h"
#include "bench/collective_tool.h"
#include "format/collective_output.h"
#include "probe/read.h"
#include "snapshot/collective_group.h"
#include "sys/clock.h"
#include "sys/worker.h"

#define MS_NS UINT64_C(1000000)
#define VARIABLE "GPUDIAG_COLLECTIVE_"

enum {
	DEFAULT_MS = 60000,
	LEAST_MS = 1000,
	AFTERWARDS_MS = 3000,		/* to end what is left, and to say what was read */
	LEAST_BYTES = 8 << 20,
	SHOWN_BYTES = 3072,		/* of output that was not understood, for whoever reads the snapshot */
};

/* ---- in the parent */

static void targets(const struct snapshot *snapshot, struct arena *arena, struct strs *ret)
{
	if (is_known(snapshot->request.collective) && !str_is(snapshot->request.level, "read"))
		strs_add(arena, ret, str_or(snapshot->request.collective, ""));
}

static void environment(const struct snapshot *snapshot, const char *target, struct arena *arena, struct strs *ret)
{
	struct collective_group group;
	STRBUF_AUTO gpus = STRBUF_INIT;

	(void)target;
	collective_group_of(arena, snapshot, &group);
	for (size_t i = 0; i < group.nr; i++)
		strbuf_addf(&gpus, "%s%s", i ? "," : "", str_or(group.gpus[i]->key, "?"));
	strs_add(arena, ret, arena_printf(arena, VARIABLE "GPUS=%s", gpus.buf));
	strs_add(arena, ret, arena_printf(arena, VARIABLE "MASK=%s", group.mask ? group.mask : ""));
	strs_add(arena, ret, arena_printf(arena, VARIABLE "BYTES=%llu",
					  (unsigned long long)collective_largest_bytes(&group)));
	strs_add(arena, ret, arena_printf(arena, VARIABLE "MS=%llu",
					  (unsigned long long)u64_or(snapshot->request.collective_ms, DEFAULT_MS)));
}

static unsigned run_ms(const struct snapshot *snapshot)
{
	return (unsigned)u64_or(snapshot->request.collective_ms, DEFAULT_MS) + AFTERWARDS_MS;
}

/* ---- in the worker */

struct collective {
	struct sink *sink;
	struct arena arena;		/* outlives the facts, which every flush empties */
	const char *path;		/* the key */
	const char *gpus;		/* addresses, with commas */
	size_t nr_gpus;
	char nr_gpus_text[24], bytes_text[24];
	const char *argv[18];
	char real[PATH_MAX];
	uint64_t deadline_ns;
};

static struct collective_test *facts(struct collective *c)
{
	return list_element(&c->sink->facts.arena, &c->sink->facts, collective_tests, collective_test, c->path);
}

static uint64_t told_u64(const char *name)
{
	uint64_t value;

	return parse_u64(worker_told(name), &value) ? 0 : value;
}

/* All that is unset has no value, for that reason. */
static int finish(struct collective *c, enum probe_outcome outcome, enum val_state state, const char *why)
{
	static const char *const paths[] = { "collective_tests", NULL };
	const struct merge_scope scope = { .paths = paths, .key = c->path };
	int status;

	facts(c);
	snapshot_fill_unset(&c->sink->facts, &scope, state, why);
	status = sink_end(c->sink, outcome, outcome == PROBE_OK ? NULL : why);
	arena_release(&c->arena);
	return status;
}

static void set_arguments(struct collective *c, uint64_t bytes)
{
	const char *const argv[] = {
		c->real, "-b", "8388608", "-e", c->bytes_text, "-f", "2", "-g", c->nr_gpus_text, "-n", "20", "-w", "5",
		"-c", "1", NULL,
	};

	snprintf(c->bytes_text, sizeof(c->bytes_text), "%llu", (unsigned long long)bytes);
	snprintf(c->nr_gpus_text, sizeof(c->nr_gpus_text), "%zu", c->nr_gpus);
	memcpy(c->argv, argv, sizeof(argv));
}

static struct val_str arguments(struct collective *c)
{
	STRBUF_AUTO text = STRBUF_INIT;

	for (size_t i = 1; c->argv[i]; i++)
		strbuf_addf(&text, "%s%s", i > 1 ? " " : "", c->argv[i]);
	return val_str(arena_strdup(&c->sink->facts.arena, text.buf));
}

/* The worker's own time may be shorter, as the whole run's is: what was read is to be said before it is over. */
static void set_deadline(struct collective *c)
{
	uint64_t ms = told_u64(VARIABLE "MS"), own_ms = worker_child_deadline_ms();

	ms = ms ? ms : DEFAULT_MS;
	if (own_ms && own_ms < ms + (uint64_t)AFTERWARDS_MS)
		ms = own_ms > AFTERWARDS_MS + LEAST_MS ? own_ms - AFTERWARDS_MS : LEAST_MS;
	c->deadline_ns = clock_now_ns() + ms * MS_NS;
	c->sink->quiet_ms = (unsigned)ms + AFTERWARDS_MS;
}

static void split_gpus(struct collective *c, struct strs *ret)
{
	for (const char *at = c->gpus; *at;) {
		size_t len = strcspn(at, ",");

		if (ret)
			strs_add(&c->sink->facts.arena, ret, arena_strndup(&c->sink->facts.arena, at, len));
		else
			c->nr_gpus++;
		at += len + (at[len] == ',');
	}
}

static const char *const end_names[] = {
	[CHILD_NOT_STARTED] = "not-started", [CHILD_EXITED] = "exited", [CHILD_SIGNALLED] = "signal",
	[CHILD_TIMED_OUT] = "timeout", [CHILD_TOO_MUCH_OUTPUT] = "output", [CHILD_CANCELLED] = "cancelled",
};

/* What it printed last. */
static struct val_str last_line(struct collective *c, const struct child *child)
{
	enum { MOST_BYTES = 200 };
	size_t end = child->output.len, begin;
	STRBUF_AUTO clean = STRBUF_INIT;

	while (end && strchr(" \t\r\n", child->output.buf[end - 1]))
		end--;
	for (begin = end; begin && child->output.buf[begin - 1] != '\n' && end - begin < MOST_BYTES;)
		begin--;
	if (begin == end)
		return no_str(VAL_ABSENT, "it printed nothing");
	if (!utf8_valid(child->output.buf + begin, end - begin))
		return no_str(VAL_ERROR, "it printed bytes that are no text");
	strbuf_add(&clean, child->output.buf + begin, end - begin);
	return val_str(arena_strdup(&c->sink->facts.arena, clean.buf + strspn(clean.buf, " \t")));
}

/* For the probe's own record: the first of what the tool said. */
static void show(const struct child *child)
{
	size_t len = child->output.len < SHOWN_BYTES ? child->output.len : SHOWN_BYTES;

	(void)!write(STDOUT_FILENO, child->output.buf, len);
}

static void say_end(struct collective *c, const struct child *child, struct collective_test *test)
{
	test->ended = val_str(end_names[child->end]);
	if (child->end == CHILD_EXITED || child->end == CHILD_SIGNALLED)
		test->exit_status = val_u64((uint64_t)child->status);
	test->elapsed_ms = val_u64(child->elapsed_ns / MS_NS);
	test->processes_ended = val_u64(child->nr_ended);
	if (child->end != CHILD_EXITED || child->status || !test->nr_sizes) {
		test->last_line = last_line(c, child);
		show(child);
	}
}

static int run_tool(struct collective *c)
{
	struct child child = { .output = STRBUF_INIT, .please_end = worker_child_catch_sigterm() };
	struct collective_test *test;

	set_deadline(c);
	child.path = c->real;
	child.argv = c->argv;
	child.mask = worker_told(VARIABLE "MASK");
	child.deadline_ns = c->deadline_ns;
	sink_step(c->sink, "all_reduce_perf");
	child_run(&child);
	test = facts(c);
	test->arguments = arguments(c);
	split_gpus(c, &test->gpus);
	collective_settings(&c->sink->facts.arena, &test->settings);
	if (child.end == CHILD_NOT_STARTED) {
		strbuf_release(&child.output);
		return finish(c, PROBE_PARTIAL, VAL_ERROR,
			      arena_printf(&c->arena, "it cannot be started: %s", name_of_errno(child.status)));
	}
	collective_output_parse(&c->sink->facts.arena, child.output.buf, child.output.len, test);
	say_end(c, &child, test);
	strbuf_release(&child.output);
	if (child.is_left)
		return finish(c, PROBE_PARTIAL, VAL_ABSENT, "not printed; a process of it cannot be ended");
	return finish(c, PROBE_OK, VAL_ABSENT, "not printed");
}

static int run(struct probe_env *env, struct sink *sink)
{
	struct collective c = { .sink = sink, .path = env->target, .gpus = worker_told(VARIABLE "GPUS") };
	uint64_t bytes = told_u64(VARIABLE "BYTES");
	const char *why;

	facts(&c);
	sink_flush(sink);
	split_gpus(&c, NULL);
	sink_step(sink, "stat of the program");
	why = collective_tool_refusal(&c.arena, c.path, c.real);
	if (!why)
		why = collective_foreign_library(&c.arena);
	if (!why && bytes < LEAST_BYTES)
		why = "too little free VRAM for 8 MiB and NCCL's own buffers";
	if (why)
		return finish(&c, PROBE_PARTIAL, VAL_SKIPPED, why);
	set_arguments(&c, bytes);
	return run_tool(&c);
}

static const char *const provides[] = { "collective_tests", NULL };

const struct probe probe_collective = {
	.name = "collective",
	.help = "the site's own all_reduce_perf (nccl-tests, rccl-tests) on all GPUs at once",
	.phase = PHASE_COLLECTIVE,
	.touches = TOUCHES_DEVICE,
	.live_only = true,
	.takes_driver_root = true,
	.ends_on_sigterm = true,
	.deadline_ms = 20000,
	.provides = provides,
	.targets = targets,
	.environment = environment,
	.watches_ms = run_ms,
	.run = run,
};
