// SPDX-License-Identifier: GPL-2.0-or-later
/* live_source.c - a source's worker: when it is started, what it is told, what follows when it ends. */
#include "base/compat.h"
#include "collect/live_internal.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/text.h"
#include "probe/read.h"
#include "snapshot/gpus.h"
#include "snapshot/under_test.h"
#include "sys/clock.h"
#include "sys/lock.h"
#include "sys/signal_name.h"

/* ---- what it is at ---- */

const char *live_call(const struct live_source *source, struct arena *arena)
{
	STRBUF_AUTO clean = STRBUF_INIT;
	struct sample_page page;

	if (!source->page)
		return "";
	sample_page_read(source->page, &page);
	utf8_clean(&clean, page.call, strlen(page.call));
	if (*page.gpu && clean.len && gpu_at(source->live->sealed, page.gpu))
		return arena_printf(arena, "%s of %s", clean.buf, page.gpu);
	return arena_strdup(arena, clean.buf);
}

/* ---- starting ---- */

void live_skip_gpu(struct live_source *source, const char *gpu, enum val_state state, const char *why)
{
	struct arena *arena = &source->live->arena;

	source->skipped = arena_grow(arena, source->skipped, source->nr_skipped, sizeof(*source->skipped));
	source->skipped[source->nr_skipped++] = (struct live_skip){ .gpu = gpu, .state = state, .why = why };
}

static const char **arguments_of(const struct live_source *source)
{
	const struct root *root = source->live->options->root;
	const char **argv = arena_alloc(&source->live->arena, 6 * sizeof(*argv));
	size_t n = 0;

	argv[n++] = "gpudiag";
	argv[n++] = "probe--worker";
	if (!root_is_live(root)) {
		argv[n++] = "--root";
		argv[n++] = root->path;
	}
	argv[n++] = source->source->name;
	return argv;
}

static const char **environment_of(const struct live_source *source)
{
	const struct live *live = source->live;
	struct arena *arena = &source->live->arena;
	struct strs variables = { .nr = 0 }, skip = { .nr = 0 };
	const char **list;

	for (size_t i = 0; i < source->nr_skipped; i++)
		strs_add(arena, &skip, source->skipped[i].gpu);
	if (source->source->environment)
		source->source->environment(live->sealed, &skip, arena, &variables);
	strs_add(arena, &variables, arena_printf(arena, SAMPLE_START_VARIABLE "=%llu",
						 (unsigned long long)live->start_ns));
	strs_add(arena, &variables, arena_printf(arena, SAMPLE_INTERVAL_VARIABLE "=%llu",
						 (unsigned long long)live->options->interval_ns));
	strs_add(arena, &variables, arena_printf(arena, SAMPLE_PID_VARIABLE "=%llu",
						 (unsigned long long)live->options->pid));
	list = arena_alloc(arena, (variables.nr + 1) * sizeof(*list));
	for (size_t i = 0; i < variables.nr; i++)
		list[i] = variables.v[i];
	return list;
}

static void start(struct live_source *source)
{
	struct worker *worker = &source->workers[source->nr_starts];
	unsigned silence_ms = live_silence_ms(source->live);

	source->was_restarted = source->nr_starts > 0;
	source->nr_starts++;
	source->is_to_start = source->has_opened = false;
	source->state = LIVE_RUNS;
	source->next_seq = 0;
	source->error.what[0] = '\0';
	strbuf_reset(&source->early);
	live_page_renew(source);
	*worker = (struct worker){
		.argv = arguments_of(source), .environment = environment_of(source),
		.deadline_ms = WORKER_NO_DEADLINE,
		.quiet_ms = source->source->open_ms > silence_ms ? source->source->open_ms : silence_ms,
		.shared_fd = source->page_fd > 0 ? source->page_fd : 0,
		.on_line = live_hear, .data = source, .output = STRBUF_INIT,
	};
	workers_start(source->live->set, worker);
}

/* ---- ending ---- */

/* Signals that a process gets from others: the call that it was in is not to blame. */
static bool is_from_outside(const struct worker *worker)
{
	const int status = worker->status;

	return worker->end == WORKER_SIGNALLED && (status == SIGKILL || status == SIGTERM || status == SIGINT ||
						   status == SIGHUP || status == SIGQUIT || status == SIGXCPU);
}

/* Killed for what it said: one that was not silent, though it may be slow to die, or not do so. */
static bool is_garbled(const struct live_source *source, const struct worker *worker)
{
	return *source->error.what || worker->end == WORKER_GARBLED ||
	       (worker->end == WORKER_STUCK && !worker->was_quiet);
}

static const char *crash_words(const struct live_source *source, const struct worker *worker, const char *in)
{
	struct arena *arena = &source->live->arena;
	const char *signal_name = worker->end == WORKER_SIGNALLED ? name_of_signal(worker->status) : NULL;

	if (*source->error.what)
		return arena_printf(arena, "what it says is garbled: %s", source->error.what);
	if (is_garbled(source, worker))
		return "what it says is garbled: too long, or cut short";
	if (worker->end == WORKER_NOT_STARTED)
		return arena_printf(arena, "its process could not be started: %s", name_of_errno(worker->status));
	if (is_from_outside(worker))
		return arena_printf(arena, "ended by SIG%s from outside", signal_name ? signal_name : "?");
	if (worker->end == WORKER_SIGNALLED)
		return arena_printf(arena, "killed by SIG%s%s", signal_name ? signal_name : "?", in);
	return arena_printf(arena, "exited with status %d%s", worker->status, in);
}

/* Why it gives nothing, until it is started again or for good. */
static void note_lack(struct live_source *source, const struct worker *worker)
{
	struct arena *arena = &source->live->arena;
	const char *call = live_call(source, arena), *in = *call ? arena_printf(arena, "in %s", call) : "";

	source->lack_call = call;
	if (!is_garbled(source, worker) && (worker->end == WORKER_TIMED_OUT || worker->end == WORKER_STUCK)) {
		source->lack = VAL_TIMEOUT;
		source->lack_why = *in ? in : "no answer";
	} else {
		source->lack = VAL_ERROR;
		source->lack_why = crash_words(source, worker, *in ? arena_printf(arena, " %s", in) : "");
	}
}

/* The one that it was asking when it hung or crashed is left alone. */
static void skip_last_gpu(struct live_source *source, const struct worker *worker)
{
	const struct gpu *gpu;
	struct sample_page page;

	if (!source->page || is_garbled(source, worker) || worker->end == WORKER_NOT_STARTED ||
	    is_from_outside(worker))
		return;
	sample_page_read(source->page, &page);
	gpu = *page.gpu ? gpu_at(source->live->sealed, page.gpu) : NULL;
	if (gpu)
		live_skip_gpu(source, str_or(gpu->key, ""), source->lack, source->lack_why);
}

void live_source_ended(struct worker *worker)
{
	struct live_source *source = worker->data;

	strbuf_release(&worker->output);
	if (source->state == LIVE_NEVER || source->live->is_over)
		return;
	note_lack(source, worker);
	if (source->nr_starts < LIVE_MOST_STARTS)
		skip_last_gpu(source, worker);
	source->state = worker->end == WORKER_STUCK ? LIVE_STUCK : LIVE_ENDED;
	source->is_to_start = source->state == LIVE_ENDED && source->nr_starts < LIVE_MOST_STARTS;
}

/* Killed long ago: did its kernel let go of it? Its like is started once it has. */
static void look_at_stuck(struct live_source *source)
{
	const struct worker *worker = source->nr_starts ? &source->workers[source->nr_starts - 1] : NULL;

	if (source->state != LIVE_STUCK || !worker || !waitpid(worker->pid, NULL, WNOHANG))
		return;
	source->state = LIVE_ENDED;
	source->is_to_start = source->nr_starts < LIVE_MOST_STARTS;
}

/*
 * It is silent between two moments, and in one call for a shorter time. Steps are signs of life as answers are: many
 * slow calls are no hang.
 */
static void look_at_page(struct live_source *source)
{
	const struct live *live = source->live;
	struct sample_page page;
	struct worker *worker;

	if (!source->nr_starts || source->state != LIVE_RUNS || !live_page_has_moved(source, &page))
		return;
	worker = &source->workers[source->nr_starts - 1];
	workers_heard(live->set, worker);
	if (source->has_opened)
		worker->quiet_ms = live_silence_ms(live) +
				   (*page.call ? 0 : (unsigned)(live->options->interval_ns / 1000000));
}

void live_sources_serve(struct live *live)
{
	for (size_t i = 0; i < live->nr; i++) {
		struct live_source *source = &live->sources[i];

		look_at_stuck(source);
		if (source->is_to_start)
			start(source);
		look_at_page(source);
	}
}

/* ---- which there are ---- */

/*
 * A worker that outlived an earlier run hangs, and its like would hang beside it; one that somebody stopped does not.
 */
static bool hangs_since_earlier(struct live_source *source)
{
	struct arena *arena = &source->live->arena;
	struct lock_note holder;
	uint64_t now_s = clock_since_boot_s(), silent_s;
	char folder[256];

	if (!root_is_live(source->live->options->root) || lock_folder(folder, sizeof(folder)) ||
	    !lock_is_held(folder, source->source->name, &holder) || !holder.pid || !holder.quiet_ms ||
	    !holder.said_boot_s || holder.said_boot_s >= now_s)
		return false;
	silent_s = now_s - holder.said_boot_s;
	if (silent_s * 1000 <= holder.quiet_ms + 1000 || process_is_stopped(holder.pid))
		return false;
	source->lack_why = arena_printf(arena, "a worker of an earlier run (pid %d) has not come back for %llu s",
					(int)holder.pid, (unsigned long long)silent_s);
	source->lack_call = arena_strdup(arena, holder.call);
	return true;
}

static void refuse_gpus(struct live_source *source)
{
	const struct live *live = source->live;
	const struct live_options *options = live->options;

	for (size_t i = 0; options->refuse && i < source->gpus.nr; i++) {
		const char *gpu = source->gpus.v[i], *why;
		const struct gpu *seen = gpu_at(live->sealed, gpu);

		why = options->refuse(live->sealed, source->source, gpu, &source->live->arena, options->data);
		if (why)
			live_skip_gpu(source, gpu, seen && gpu_is_asleep(seen) ? VAL_ASLEEP : VAL_SKIPPED, why);
	}
}

/* Why none of its GPUs may be asked; NULL: one may, or it asks none. Its library alone would call the driver, too. */
static const char *why_no_gpu(const struct live_source *source)
{
	for (size_t i = 0; i < source->nr_skipped; i++)
		if (source->skipped[i].state != VAL_SKIPPED)
			return NULL;
	return source->gpus.nr && source->nr_skipped == source->gpus.nr ? source->skipped[0].why : NULL;
}

/* May it be started at all? */
static void permit(struct live_source *source)
{
	const struct live *live = source->live;
	const struct live_options *options = live->options;
	const char *why = options->refuse ? options->refuse(live->sealed, source->source, NULL, &source->live->arena,
							    options->data) : NULL;

	why = why ? why : why_no_gpu(source);
	source->lack_call = "";
	if (why) {
		source->state = LIVE_NEVER;
		source->lack = VAL_SKIPPED;
		source->lack_why = why;
	} else if (hangs_since_earlier(source)) {
		source->state = LIVE_STUCK;
		source->lack = VAL_TIMEOUT;
	} else {
		source->is_to_start = true;
	}
}

static void init(struct live *live, struct live_source *source, const struct sample_source *of)
{
	size_t nr = 0, nr_of = 0, nr_beside = 0;

	*source = (struct live_source){ .live = live, .source = of, .page_fd = -1, .early = STRBUF_INIT };
	while (of->provides[nr])
		nr++;
	source->of_gpus = arena_alloc(&live->arena, (nr + 1) * sizeof(*source->of_gpus));
	source->beside_gpus = arena_alloc(&live->arena, (nr + 1) * sizeof(*source->beside_gpus));
	for (size_t i = 0; i < nr; i++) {
		if (!strcmp(of->provides[i], "gpus") || !strncmp(of->provides[i], "gpus.", strlen("gpus.")))
			source->of_gpus[nr_of++] = of->provides[i];
		else
			source->beside_gpus[nr_beside++] = of->provides[i];
	}
	for (size_t i = 0; of->reads_gpu && i < live->sealed->nr_gpus; i++)
		if (of->reads_gpu(live->sealed, &live->sealed->gpus[i]))
			strs_add(&live->arena, &source->gpus, str_or(live->sealed->gpus[i].key, ""));
	refuse_gpus(source);
	permit(source);
}

static bool applies(const struct sample_source *source, const struct snapshot *sealed)
{
	if (source->applies)
		return source->applies(sealed);
	for (size_t i = 0; source->reads_gpu && i < sealed->nr_gpus; i++)
		if (source->reads_gpu(sealed, &sealed->gpus[i]))
			return true;
	return !source->reads_gpu;
}

void live_sources_init(struct live *live)
{
	const struct sample_source *const *all = live->options->sources ? live->options->sources : sample_sources;
	size_t nr = 0;

	while (all[nr])
		nr++;
	live->sources = arena_alloc(&live->arena, (nr + 1) * sizeof(*live->sources));
	for (size_t i = 0; i < nr; i++)
		if (applies(all[i], live->sealed))
			init(live, &live->sources[live->nr++], all[i]);
}

void live_sources_release(struct live *live)
{
	for (size_t i = 0; i < live->nr; i++) {
		live_page_release(&live->sources[i]);
		strbuf_release(&live->sources[i].early);
	}
}
