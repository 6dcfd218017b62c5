// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs beside one: it times ticks. */
/*
 * test_live.c - ticks of sources that are well, and of sources that hang, crash, flood and lie. The program is its own
 * worker. GPUDIAG_TEST_SLACK_MS is added to what the end may cost, for runs under a sanitizer or valgrind.
 */
#include "base/compat.h"
#include "collect/live.h"

#include <malloc.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/time.h>

#include <cmocka.h>

#include "sys/clock.h"
#include "sys/lock.h"
#include "sys/worker.h"
#include "tests/unit/hangfs.h"
#include "tests/unit/support.h"

#define NS_PER_MS UINT64_C(1000000)

enum { NR_GPUS = 3, MAX_SEEN = 512, INTERVAL_MS = 50, SILENCE_MS = 300, MAX_TRIES = 5 };

static const char *const addresses[NR_GPUS] = { "0000:01:00.0", "0000:02:00.0", "0000:03:00.0" };

/* ---- sources, in the worker ---- */

static struct sample_env *own_env;
static uint64_t nr_reads;

static void *open_any(struct sample_env *env, char why[256])
{
	(void)why;
	own_env = env;
	return env;
}

static void close_any(void *own)
{
	(void)own;
}

static bool is_told(const char *variable)
{
	return *worker_told(variable);
}

/* The first start has no GPU to leave out. */
static bool is_restarted(void)
{
	return is_told("TEST_SKIP");
}

static void sleep_for_ever(void)
{
	for (;;)
		pause();
}

static void say_reads(struct tick *ret)
{
	ret->host.cpus = val_u64(nr_reads++);
}

static void read_healthy(void *own, struct tick *ret)
{
	(void)own;
	say_reads(ret);
	for (unsigned i = 0; i < 200; i++)
		list_element(&ret->arena, ret, disks, tick_disk, arena_printf(&ret->arena, "disk%u", i))->reads =
			val_u64(nr_reads);
}

/* What happens at the tenth answer, in the second GPU's call. */
static void misbehave(void)
{
	const char *what = worker_told("TEST_WHAT");

	if (!strcmp(what, "hang"))
		sleep_for_ever();
	/* One that leaves no core, which of a large process would take long. */
	if (!strcmp(what, "crash"))
		raise(SIGUSR1);
	if (!strcmp(what, "killed"))
		raise(SIGKILL);
	if (!strcmp(what, "exit"))
		_exit(3);
	while (!strcmp(what, "flood"))
		dprintf(WORKER_FRAME_FD, "%0200d", 7);
	while (!strcmp(what, "flood-ticks"))
		dprintf(WORKER_FRAME_FD, "{\"seq\": 1, \"at_ns\": 1, \"took_ns\": 1, \"cpu_ns\": 1, \"tick\": {}}\n");
	if (!strcmp(what, "future"))
		dprintf(WORKER_FRAME_FD, "{\"seq\": 99999999999, \"tick\": {}}\n");
	while (!strcmp(what, "print"))
		printf("more than anybody asked for\n");
}

static void read_library(void *own, struct tick *ret)
{
	uint64_t nr = nr_reads++;

	(void)own;
	for (int i = 0; i < NR_GPUS; i++) {
		if (strstr(worker_told("TEST_SKIP"), addresses[i]))
			continue;
		sample_step(own_env, "askPower", addresses[i]);
		if (nr == 10 && i == 1 - (is_restarted() && is_told("TEST_AGAIN")))
			misbehave();
		list_element(&ret->arena, ret, gpus, tick_gpu, addresses[i])->power_mw = val_u64(nr);
	}
}

/* Each call takes a while, and all of them longer than it may be silent. */
static void read_slow(void *own, struct tick *ret)
{
	(void)own;
	for (int i = 0; i < 12; i++) {
		sample_step(own_env, "slowCall", NULL);
		usleep(SILENCE_MS * 1000 / 6);
	}
	say_reads(ret);
}

static void read_wrong(void *own, struct tick *ret)
{
	(void)own;
	say_reads(ret);
	if (nr_reads > 5)
		ret->host.swap_in_pages = val_u64(1);
}

static void *open_nothing(struct sample_env *env, char why[256])
{
	(void)env;
	snprintf(why, 256, "no library");
	return NULL;
}

/* In a file system that does not answer. */
static void read_file(void *own, struct tick *ret)
{
	char byte;
	int fd;

	(void)own;
	if (++nr_reads > 3) {
		sample_step(own_env, "read the file", NULL);
		fd = open(worker_told("TEST_FILE"), O_RDONLY | O_CLOEXEC);
		if (read(fd, &byte, 1) < 0)
			_exit(4);
		close(fd);
	}
	ret->host.cpus = val_u64(nr_reads);
}

/* ---- sources, in the parent ---- */

static bool every_gpu(const struct snapshot *sealed, const struct gpu *gpu)
{
	(void)sealed;
	return is_known(gpu->key);
}

static void tell_skip(const struct snapshot *sealed, const struct strs *skip, struct arena *arena, struct strs *ret)
{
	const char *all = "";

	(void)sealed;
	for (size_t i = 0; i < skip->nr; i++)
		all = arena_printf(arena, "%s %s", all, skip->v[i]);
	strs_add(arena, ret, arena_printf(arena, "TEST_SKIP=%s", all));
}

static bool never(const struct snapshot *sealed)
{
	(void)sealed;
	return false;
}

static const char *const host_and_disks[] = { "host.cpus", "disks", NULL };
static const char *const cpus[] = { "host.cpus", NULL };
static const char *const gpus_alone[] = { "gpus.power_mw", "gpus.clock_mhz", NULL };

#define SOURCE(c_name, read_it, paths, ...)                                                                            \
	static const struct sample_source source_##c_name = { .name = #c_name, .touches = TOUCHES_LIBRARY,            \
							      .provides = paths, .open = open_any, .read = read_it,   \
							      .close = close_any, .open_ms = 20000, ##__VA_ARGS__ }
SOURCE(healthy, read_healthy, host_and_disks);
SOURCE(library, read_library, gpus_alone, .reads_gpu = every_gpu, .environment = tell_skip);
SOURCE(slow, read_slow, cpus);
SOURCE(wrong, read_wrong, cpus);
SOURCE(file, read_file, cpus);
SOURCE(elsewhere, read_healthy, cpus, .applies = never);
static const struct sample_source source_absent = {
	.name = "absent", .provides = cpus, .open = open_nothing, .read = read_healthy, .close = close_any,
};
static const struct sample_source *const known[] = {
	&source_healthy, &source_library, &source_slow, &source_wrong, &source_file, &source_elsewhere, &source_absent,
	NULL
};

static int be_worker(const char *name)
{
	const struct root root = ROOT_LIVE;
	struct lock_note holder;
	char folder[256];
	int fd = -1;

	if (worker_child_setup())
		return 1;
	for (size_t i = 0; known[i]; i++)
		if (!strcmp(known[i]->name, name)) {
			if (!lock_folder(folder, sizeof(folder)))
				fd = lock_take(folder, name, worker_child_deadline_ms(), &holder);
			return sample_run(known[i], &root, fd < 0 ? -1 : fd);
		}
	return 2;
}

/* ---- one watch ---- */

/* A tick, as far as the source that is looked at is concerned. */
struct seen {
	uint64_t seq;
	char state[16];		/* "" where it is not known: why_state */
	char call[64];
	enum val_state values[NR_GPUS];
	char why[NR_GPUS][96];
	enum val_state cpus;
	char cpus_why[96];
	uint64_t dropped, cpu_ns;
	bool is_healthy_ok;
};

struct watch {
	const char *name;	/* of the source that is looked at */
	uint64_t until;		/* the number of the last tick */
	bool (*also)(const struct tick *tick, struct watch *watch);
	struct seen seen[MAX_SEEN];
	size_t nr;
};

static void note(char *buf, size_t size, const char *text)
{
	snprintf(buf, size, "%s", text);
}

static void note_gpus(const struct tick *tick, struct seen *seen)
{
	for (int i = 0; i < NR_GPUS; i++) {
		const struct tick_gpu *gpu = list_find(tick, gpus, tick_gpu, addresses[i]);

		seen->values[i] = gpu ? gpu->power_mw.state : VAL_UNSET;
		note(seen->why[i], sizeof(seen->why[i]), gpu && gpu->power_mw.why ? gpu->power_mw.why : "");
	}
}

static bool look(const struct tick *tick, void *data)
{
	struct watch *watch = data;
	struct seen *seen = &watch->seen[watch->nr];
	const struct tick_source *source = list_find(tick, sources, tick_source, watch->name);
	const struct tick_source *healthy = list_find(tick, sources, tick_source, "healthy");

	if (watch->nr == MAX_SEEN)
		return false;
	watch->nr++;
	seen->seq = u64_or(tick->seq, 0);
	assert_int_equal(u64_or(tick->at_ns, 0), seen->seq * INTERVAL_MS * NS_PER_MS);
	if (watch->nr > 1)
		assert_true(seen->seq > seen[-1].seq);
	assert_non_null(source);
	note(seen->state, sizeof(seen->state), str_or(source->state, ""));
	note(seen->call, sizeof(seen->call), str_or(source->call, ""));
	seen->dropped = u64_or(source->dropped, 0);
	seen->cpu_ns = u64_or(source->cpu_ns, 0);
	seen->cpus = tick->host.cpus.state;
	note(seen->cpus_why, sizeof(seen->cpus_why), tick->host.cpus.why ? tick->host.cpus.why : "");
	seen->is_healthy_ok = healthy && str_is(healthy->state, "ok");
	note_gpus(tick, seen);
	return seen->seq < watch->until && (!watch->also || watch->also(tick, watch));
}

static void set_up_node(struct snapshot *sealed)
{
	memset(sealed, 0, sizeof(*sealed));
	for (int i = 0; i < NR_GPUS; i++)
		list_element(&sealed->arena, sealed, gpus, gpu, addresses[i]);
}

static const struct root live_root = ROOT_LIVE;

static unsigned slack_ms(void)
{
	const char *slack = getenv("GPUDIAG_TEST_SLACK_MS");

	return slack ? (unsigned)strtoul(slack, NULL, 10) : 0;
}

static struct live_options options_of(const struct sample_source *const *sources, struct watch *watch)
{
	return (struct live_options){
		.root = &live_root, .sources = sources, .interval_ns = INTERVAL_MS * NS_PER_MS,
		.silence_ms = SILENCE_MS + slack_ms(), .on_tick = look, .data = watch,
	};
}

/* The library's source beside a healthy one: what of it is seen until that tick. */
static struct watch *watch_what(const char *what, uint64_t until)
{
	static const struct sample_source *const sources[] = { &source_library, &source_healthy, NULL };
	static struct watch watch;
	const struct live_options options = options_of(sources, &watch);
	struct snapshot sealed;
	size_t open_before = count_open_files();

	set_up_node(&sealed);
	watch = (struct watch){ .name = "library", .until = until };
	setenv("TEST_WHAT", what, 1);
	live_run(&sealed, &options);
	unsetenv("TEST_WHAT");
	snapshot_release(&sealed);
	assert_int_equal(count_open_files(), open_before);
	return &watch;
}

/* The first tick from `from` on in that state; past the end: none. */
static size_t find_state(const struct watch *watch, size_t from, const char *state)
{
	while (from < watch->nr && strcmp(watch->seen[from].state, state))
		from++;
	return from;
}

static size_t count_state(const struct watch *watch, const char *state)
{
	size_t nr = 0;

	for (size_t i = 0; i < watch->nr; i++)
		nr += !strcmp(watch->seen[i].state, state);
	return nr;
}

/* Of a busy machine some ticks are late; most are not. */
static void assert_healthy_went_on(const struct watch *watch)
{
	size_t nr = 0;

	for (size_t i = 0; i < watch->nr; i++)
		nr += watch->seen[i].is_healthy_ok;
	assert_true(nr * 10 >= watch->nr * 8);
}

static void print_watch(const struct watch *watch)
{
	for (size_t i = 0; i < watch->nr; i++) {
		const struct seen *seen = &watch->seen[i];

		print_message("# %llu %s (%s) gpus %d %d %d cpus %d %s dropped %llu\n", (unsigned long long)seen->seq,
			      seen->state, seen->call, (int)seen->values[0], (int)seen->values[1],
			      (int)seen->values[2], (int)seen->cpus, seen->why[1],
			      (unsigned long long)seen->dropped);
	}
}

#define assert_seen(watch, expression)                                                                                 \
	do {                                                                                                           \
		if (!(expression))                                                                                     \
			print_watch(watch);                                                                            \
		assert_true(expression);                                                                               \
	} while (0)

/* ---- tests ---- */

static void what_is_healthy_answers(void **state)
{
	const struct watch *watch = watch_what("", 30);
	const struct seen *last = &watch->seen[watch->nr - 1];

	(void)state;
	assert_seen(watch, watch->nr >= 25);
	assert_seen(watch, count_state(watch, "ok") * 10 >= watch->nr * 8);
	assert_int_equal(last->seq, 30);
	assert_true(last->cpu_ns > 0);
	for (size_t i = 1; i < watch->nr; i++)
		if (!strcmp(watch->seen[i].state, "ok"))
			for (int j = 0; j < NR_GPUS; j++)
				assert_int_equal(watch->seen[i].values[j], VAL_OK);
	assert_healthy_went_on(watch);
}

/* Late, and in which call; then once more without that GPU. */
static void one_that_hangs_is_started_without_its_gpu(void **state)
{
	const struct watch *watch = watch_what("hang", 60);
	size_t at = find_state(watch, 9, "late"), again = find_state(watch, 0, "restarted");

	(void)state;
	while (at < again && strcmp(watch->seen[at].call, "askPower of 0000:02:00.0"))
		at++;
	assert_seen(watch, at < again && again < watch->nr);
	assert_int_equal(count_state(watch, "restarted"), 1);
	for (int j = 0; j < NR_GPUS; j++) {
		assert_seen(watch, watch->seen[at].values[j] == VAL_TIMEOUT);
		assert_string_equal(watch->seen[at].why[j], "in askPower of 0000:02:00.0");
	}
	/* Its silence, and some ticks for being late ourselves. */
	assert_seen(watch, watch->seen[again].seq - watch->seen[at].seq <= 12 + 2 * slack_ms() / INTERVAL_MS);
	assert_string_equal(watch->seen[again].call, "askPower of 0000:02:00.0");
	at = find_state(watch, again, "ok");
	assert_seen(watch, at < watch->nr);
	assert_int_equal(watch->seen[at].values[0], VAL_OK);
	assert_int_equal(watch->seen[at].values[1], VAL_TIMEOUT);
	assert_string_equal(watch->seen[at].why[1], "in askPower of 0000:02:00.0");
	assert_int_equal(watch->seen[at].values[2], VAL_OK);
	assert_healthy_went_on(watch);
}

static void one_that_hangs_again_has_ended(void **state)
{
	const struct watch *watch;
	const struct seen *last;

	(void)state;
	setenv("TEST_AGAIN", "1", 1);
	watch = watch_what("hang", 100);
	unsetenv("TEST_AGAIN");
	last = &watch->seen[watch->nr - 1];
	assert_int_equal(count_state(watch, "restarted"), 1);
	assert_seen(watch, !strcmp(last->state, "ended"));
	assert_string_equal(last->call, "askPower of 0000:01:00.0");
	for (int j = 0; j < NR_GPUS; j++)
		assert_int_equal(last->values[j], VAL_TIMEOUT);
	assert_healthy_went_on(watch);
}

/* Of a call of the library the GPU is left out; of what came from outside, or of nonsense, it is not. */
static void one_that_crashes_is_started_once_more(void **state)
{
	static const struct { const char *what, *why; bool is_left_out; } kinds[] = {
		{ "crash", "killed by SIGUSR1 in askPower of 0000:02:00.0", true },
		{ "exit", "exited with status 3 in askPower of 0000:02:00.0", true },
		{ "killed", "ended by SIGKILL from outside", false },
		{ "flood", "what it says is garbled: too long, or cut short", false },
		{ "flood-ticks", "what it says is garbled: a tick out of order", false },
		{ "future", "what it says is garbled: a tick whose moment is still to come", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		const struct watch *watch = watch_what(kinds[i].what, 20);
		size_t at = find_state(watch, 0, "restarted"), after = find_state(watch, at, "ok");

		assert_seen(watch, at < watch->nr && after < watch->nr);
		/* After a crash between two ticks it may have its answer in time for the next. */
		if (watch->seen[at].values[2] != VAL_OK) {
			assert_seen(watch, watch->seen[at].values[1] == VAL_ERROR);
			assert_string_equal(watch->seen[at].why[1], kinds[i].why);
		}
		assert_int_equal(watch->seen[after].values[1], kinds[i].is_left_out ? VAL_ERROR : VAL_OK);
		assert_int_equal(watch->seen[after].values[2], VAL_OK);
		assert_healthy_went_on(watch);
	}
}

/* Chatter of a library, without an end. */
static void what_it_prints_holds_nobody(void **state)
{
	const struct watch *watch = watch_what("print", 60);

	(void)state;
	assert_seen(watch, find_state(watch, 11, "late") < watch->nr);
	assert_seen(watch, count_state(watch, "restarted") == 1);
	assert_int_equal(watch->seen[watch->nr - 1].seq, 60);
}

static struct watch *watch_source(const struct sample_source *source, uint64_t until, const struct snapshot *sealed)
{
	const struct sample_source *sources[] = { source, &source_elsewhere, NULL };
	static struct watch watch;
	const struct live_options options = options_of(sources, &watch);

	watch = (struct watch){ .name = source->name, .until = until };
	live_run(sealed, &options);
	return &watch;
}

static void what_it_does_not_provide_is_refused(void **state)
{
	const struct snapshot sealed = { .nr_gpus = 0 };
	const struct watch *watch = watch_source(&source_wrong, 25, &sealed);
	const struct seen *last = &watch->seen[watch->nr - 1];

	(void)state;
	assert_seen(watch, count_state(watch, "restarted") == 1);
	assert_string_equal(last->state, "ended");
	assert_int_equal(last->cpus, VAL_ERROR);
}

/* Its answers come too late for their ticks and are in no other; it is not killed, as it goes on. */
static void one_that_is_slow_is_late_and_lives(void **state)
{
	const struct snapshot sealed = { .nr_gpus = 0 };
	const struct watch *watch = watch_source(&source_slow, 40, &sealed);
	const struct seen *last = &watch->seen[watch->nr - 1];

	(void)state;
	assert_int_equal(count_state(watch, "restarted"), 0);
	assert_seen(watch, count_state(watch, "late") == watch->nr);
	assert_true(last->dropped >= 2);
	assert_int_equal(last->cpus, VAL_TIMEOUT);
}

static void one_that_cannot_be_had_says_why(void **state)
{
	const struct snapshot sealed = { .nr_gpus = 0 };
	const struct watch *watch = watch_source(&source_absent, 5, &sealed);
	const struct seen *last = &watch->seen[watch->nr - 1];

	(void)state;
	assert_string_equal(last->state, "");
	assert_int_equal(last->cpus, VAL_ABSENT);
	assert_string_equal(last->cpus_why, "no library");
}

/* ---- what may not be touched ---- */

static const char *refuse_all(const struct snapshot *sealed, const struct sample_source *source, const char *gpu,
			      struct arena *arena, void *data)
{
	(void)sealed, (void)source, (void)gpu, (void)arena, (void)data;
	return "a task is stuck in the driver";
}

static const char *refuse_second(const struct snapshot *sealed, const struct sample_source *source, const char *gpu,
				 struct arena *arena, void *data)
{
	(void)sealed, (void)source, (void)data;
	return gpu && !strcmp(gpu, addresses[1]) ? arena_printf(arena, "GPU %d hangs", 1) : NULL;
}

static void refusals_hold(void **state)
{
	static const struct sample_source *const sources[] = { &source_library, NULL };
	static struct watch watch;
	struct live_options options = options_of(sources, &watch);
	struct snapshot sealed;
	size_t at;

	(void)state;
	set_up_node(&sealed);
	options.refuse = refuse_all;
	watch = (struct watch){ .name = "library", .until = 3 };
	live_run(&sealed, &options);
	assert_string_equal(watch.seen[1].state, "");
	assert_int_equal(watch.seen[1].values[0], VAL_SKIPPED);
	assert_string_equal(watch.seen[1].why[0], "a task is stuck in the driver");

	options.refuse = refuse_second;
	watch = (struct watch){ .name = "library", .until = 15 };
	live_run(&sealed, &options);
	at = find_state(&watch, 0, "ok");
	assert_seen(&watch, at < watch.nr);
	assert_int_equal(watch.seen[at].values[0], VAL_OK);
	assert_int_equal(watch.seen[at].values[1], VAL_SKIPPED);
	assert_string_equal(watch.seen[at].why[1], "GPU 1 hangs");
	snapshot_release(&sealed);
}

/* A worker of an earlier run that has not come back: no second one is started. */
static void one_that_hangs_since_an_earlier_run_is_not_started(void **state)
{
	const struct snapshot sealed = { .nr_gpus = 0 };
	const struct watch *watch;
	struct lock_note holder;
	char folder[256];
	pid_t pid;

	(void)state;
	assert_int_equal(lock_folder(folder, sizeof(folder)), 0);
	pid = fork();
	if (!pid) {
		int fd = lock_take(folder, "healthy", 0, &holder);

		if (fd < 0)
			_exit(1);
		lock_note_call(fd, "askPower", 1);
		sleep_for_ever();
	}
	sleep(3);
	watch = watch_source(&source_healthy, 4, &sealed);
	assert_seen(watch, count_state(watch, "stuck") == watch->nr);
	assert_string_equal(watch->seen[0].call, "askPower");
	assert_int_equal(watch->seen[0].cpus, VAL_TIMEOUT);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	watch = watch_source(&source_healthy, 10, &sealed);
	assert_seen(watch, count_state(watch, "ok") > 0);
}

/* At its start it noted that it may take as long as that may; a second later, what an answer may take. */
static bool look_at_lock(const struct tick *tick, struct watch *watch)
{
	struct lock_note holder = { .quiet_ms = 0 };
	char folder[256];

	(void)tick;
	return lock_folder(folder, sizeof(folder)) || !lock_is_held(folder, watch->name, &holder) ||
	       holder.quiet_ms != INTERVAL_MS + SAMPLE_SILENCE_MS || !holder.said_boot_s;
}

/* So that the next run knows of one that hangs. */
static void a_worker_notes_that_it_is_alive(void **state)
{
	static const struct sample_source *const sources[] = { &source_healthy, NULL };
	static struct watch watch;
	const struct live_options options = options_of(sources, &watch);
	const struct snapshot sealed = { .nr_gpus = 0 };

	(void)state;
	watch = (struct watch){ .name = "healthy", .until = 100, .also = look_at_lock };
	live_run(&sealed, &options);
	assert_seen(&watch, watch.nr < 100);
}

/* ---- the worker alone ---- */

/* Started as by hand, at once in tick 0 of a day's interval: its pid, and what it says. */
static pid_t start_alone(int *ret_fd)
{
	char path[PATH_MAX] = "";
	int ends[2];
	pid_t pid;

	assert_true(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	assert_int_equal(pipe(ends), 0);
	setenv(SAMPLE_INTERVAL_VARIABLE, "86400000000000", 1);
	pid = fork();
	if (!pid) {
		close(ends[0]);
		if (dup2(ends[1], WORKER_FRAME_FD) < 0)
			_exit(1);
		execl(path, path, "probe--worker", "healthy", (char *)NULL);
		_exit(1);
	}
	unsetenv(SAMPLE_INTERVAL_VARIABLE);
	close(ends[1]);
	*ret_fd = ends[0];
	return pid;
}

static void hear_opened(int fd)
{
	char text[32] = "";

	assert_true(read(fd, text, sizeof(text) - 1) > 0);
	assert_memory_equal(text, "{\"opened\":true}", strlen("{\"opened\":true}"));
}

static void assert_ends_well(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void a_worker_ends_when_told_and_when_alone(void **state)
{
	int fd;
	pid_t pid = start_alone(&fd);

	(void)state;
	hear_opened(fd);
	kill(pid, SIGTERM);
	assert_ends_well(pid);
	close(fd);
	pid = start_alone(&fd);
	hear_opened(fd);
	/* It waits for the next day. */
	usleep(200000);
	close(fd);
	assert_ends_well(pid);
}

/* ---- one that even SIGKILL does not end ---- */

static bool answer_after_25(const struct tick *tick, struct watch *watch)
{
	(void)watch;
	if (u64_or(tick->seq, 0) == 25)
		assert_true(hangfs_set(""));
	return true;
}

static void one_that_is_stuck_is_left_until_it_dies(void **state)
{
	static const struct sample_source *const sources[] = { &source_file, NULL };
	static struct watch watch;
	const struct live_options options = options_of(sources, &watch);
	const struct snapshot sealed = { .nr_gpus = 0 };
	const char *why_not = hangfs_start("content");
	size_t stuck, again;

	(void)state;
	if (why_not) {
		print_message("# no file system that hangs: %s\n", why_not);
		skip();
	}
	assert_true(hangfs_set("/file hang\n"));
	setenv("TEST_FILE", scratch("mnt/file"), 1);
	watch = (struct watch){ .name = "file", .until = 50, .also = answer_after_25 };
	live_run(&sealed, &options);
	hangfs_stop();
	stuck = find_state(&watch, 0, "stuck");
	again = find_state(&watch, 0, "restarted");
	assert_seen(&watch, again < watch.nr);
	if (stuck == watch.nr) {
		print_message("# this kernel lets such a reader go\n");
		return;
	}
	assert_seen(&watch, stuck < again && watch.seen[again].seq > 25);
	assert_string_equal(watch.seen[stuck].call, "read the file");
	assert_int_equal(watch.seen[stuck].cpus, VAL_TIMEOUT);
	assert_seen(&watch, find_state(&watch, again, "ok") < watch.nr);
}

/* ---- the parent ---- */

static volatile int is_cancelled;
static volatile uint64_t cancelled_ns;

static void cancel(int number)
{
	(void)number;
	cancelled_ns = clock_now_ns();
	is_cancelled = 1;
}

static bool give_nothing(const struct tick *tick, void *data)
{
	(void)tick, (void)data;
	return true;
}

static bool has_no_source(const struct tick *tick, void *data)
{
	(void)data;
	assert_int_equal(tick->nr_sources, 0);
	return true;
}

static uint64_t end_took_ns(const struct sample_source *first)
{
	const struct sample_source *const sources[] = { first, &source_slow, NULL };
	struct live_options options = options_of(sources, NULL);
	struct sigaction action = { .sa_handler = cancel };
	struct itimerval soon = { .it_value = { .tv_usec = 900000 } };
	struct snapshot sealed;

	set_up_node(&sealed);
	options.on_tick = give_nothing;
	options.cancel = &is_cancelled;
	options.silence_ms = 60000;
	is_cancelled = 0;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	live_run(&sealed, &options);
	snapshot_release(&sealed);
	assert_true(is_cancelled);
	return clock_now_ns() - cancelled_ns;
}

static void assert_ends_at_once(const struct sample_source *source)
{
	uint64_t most_ns = (100 + slack_ms()) * NS_PER_MS, took_ns = UINT64_MAX;

	for (int i = 0; i < MAX_TRIES && took_ns > most_ns; i++)
		took_ns = end_took_ns(source);
	print_message("# it ended %.1f ms after it was told to\n", (double)took_ns / 1e6);
	assert_true(took_ns <= most_ns);
}

static void ends_at_once_while_workers_hang(void **state)
{
	(void)state;
	setenv("TEST_WHAT", "hang", 1);
	assert_ends_at_once(&source_library);
	unsetenv("TEST_WHAT");
}

static void ends_at_once_while_one_is_stuck(void **state)
{
	const char *why_not = hangfs_start("content");

	(void)state;
	if (why_not) {
		print_message("# no file system that hangs: %s\n", why_not);
		skip();
	}
	assert_true(hangfs_set("/file hang\n"));
	setenv("TEST_FILE", scratch("mnt/file"), 1);
	assert_ends_at_once(&source_file);
	hangfs_stop();
	/* Now that they have their answers. */
	for (int i = 0; i < 200 && waitpid(-1, NULL, WNOHANG) >= 0; i++)
		usleep(5000);
}

static bool dawdle(const struct tick *tick, struct watch *watch)
{
	(void)watch;
	if (u64_or(tick->seq, 0) < 15)
		usleep(INTERVAL_MS * 1000 * 3 + 10000);
	return true;
}

/* Moments that it missed are left out; none is made up for. */
static void a_parent_that_is_slow_leaves_ticks_out(void **state)
{
	static const struct sample_source *const sources[] = { &source_healthy, NULL };
	static struct watch watch;
	const struct live_options options = options_of(sources, &watch);
	const struct snapshot sealed = { .nr_gpus = 0 };

	(void)state;
	watch = (struct watch){ .name = "healthy", .until = 30, .also = dawdle };
	live_run(&sealed, &options);
	assert_seen(&watch, watch.nr < 26);
	for (size_t i = 1; i < watch.nr && watch.seen[i].seq < 15; i++)
		assert_seen(&watch, watch.seen[i].seq - watch.seen[i - 1].seq >= 2);
	assert_seen(&watch, count_state(&watch, "ok") * 10 >= watch.nr * 7);
}

static void it_lasts_as_long_as_asked(void **state)
{
	static const struct sample_source *const sources[] = { &source_healthy, NULL };
	static struct watch watch;
	struct live_options options = options_of(sources, &watch);
	const struct snapshot sealed = { .nr_gpus = 0 };

	(void)state;
	watch = (struct watch){ .name = "healthy", .until = UINT64_MAX };
	options.length_ns = 8 * INTERVAL_MS * NS_PER_MS;
	live_run(&sealed, &options);
	assert_int_equal(watch.seen[watch.nr - 1].seq, 8);
	/* With nothing to read, too, as there is no GPU that the library could be asked about. */
	watch = (struct watch){ .name = "healthy", .until = UINT64_MAX };
	options.sources = (const struct sample_source *const[]){ &source_elsewhere, &source_library, NULL };
	options.on_tick = has_no_source;
	live_run(&sealed, &options);
}

static int bell[2];
static size_t nr_rung;

static bool ring(const struct tick *tick, void *data)
{
	(void)tick, (void)data;
	return write(bell[1], "q", 1) == 1;
}

static bool hear_bell(struct pollfd *fd, void *data)
{
	char byte;

	(void)data;
	assert_int_equal(fd->revents, POLLIN);
	assert_int_equal(read(fd->fd, &byte, 1), 1);
	return ++nr_rung < 3;
}

static void it_waits_for_others_too(void **state)
{
	static const struct sample_source *const sources[] = { &source_healthy, NULL };
	struct live_options options = options_of(sources, NULL);
	const struct snapshot sealed = { .nr_gpus = 0 };
	struct pollfd fd = { .events = POLLIN };

	(void)state;
	assert_int_equal(pipe(bell), 0);
	fd.fd = bell[0];
	options.fds = &fd;
	options.nr_fds = 1;
	options.on_fd = hear_bell;
	options.on_tick = ring;
	nr_rung = 0;
	live_run(&sealed, &options);
	assert_int_equal(nr_rung, 3);
	close(bell[0]);
	close(bell[1]);
}

/* ---- memory ---- */

enum { NR_TICKS = 2000, SETTLED_AT = 300 };

struct growth {
	size_t nr, settled_bytes, last_bytes;
	long settled_pages, last_pages;
};

static long resident_pages(void)
{
	long pages = 0, ignored;
	FILE *file = fopen("/proc/self/statm", "re");

	if (file && fscanf(file, "%ld %ld", &ignored, &pages) != 2)
		pages = 0;
	if (file)
		fclose(file);
	return pages;
}

static bool measure(const struct tick *tick, void *data)
{
	struct growth *growth = data;

	(void)tick;
	growth->nr++;
	growth->last_bytes = mallinfo2().uordblks;
	growth->last_pages = resident_pages();
	if (growth->nr <= SETTLED_AT) {
		growth->settled_bytes = growth->last_bytes;
		growth->settled_pages = growth->last_pages;
	}
	return growth->nr < NR_TICKS;
}

/* One that answers, one that is always late. */
static void it_does_not_grow(void **state)
{
	static const struct sample_source *const sources[] = { &source_healthy, &source_slow, NULL };
	struct growth growth = { .nr = 0 };
	struct live_options options = options_of(sources, NULL);
	const struct snapshot sealed = { .nr_gpus = 0 };

	(void)state;
	options.interval_ns = 5 * NS_PER_MS;
	options.on_tick = measure;
	options.data = &growth;
	live_run(&sealed, &options);
	print_message("# %zu bytes after %d ticks, %zu after %zu; %ld and %ld pages\n", growth.settled_bytes,
		      (int)SETTLED_AT, growth.last_bytes, growth.nr, growth.settled_pages, growth.last_pages);
	assert_int_equal(growth.nr, NR_TICKS);
	assert_true(growth.last_bytes <= growth.settled_bytes + 65536);
	if (!slack_ms())
		assert_true(growth.last_pages <= growth.settled_pages + 64);
}

static int begin(void **state)
{
	(void)state;
	return scratch_make() && !setenv("GPUDIAG_RUNTIME_DIR", scratch_folder, 1) ? 0 : -1;
}

/* Not one child of ours is left that lives on: one may take its time to die. */
static int end(void **state)
{
	pid_t left = 0;

	(void)state;
	hangfs_stop();
	scratch_remove();
	for (int i = 0; i < 400 && left >= 0; i++) {
		left = waitpid(-1, NULL, WNOHANG);
		if (!left)
			usleep(5000);
	}
	return left < 0 && errno == ECHILD ? 0 : -1;
}

#define live_test(function) cmocka_unit_test_setup_teardown(function, begin, end)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		live_test(what_is_healthy_answers),
		live_test(one_that_hangs_is_started_without_its_gpu),
		live_test(one_that_hangs_again_has_ended),
		live_test(one_that_crashes_is_started_once_more),
		live_test(what_it_prints_holds_nobody),
		live_test(what_it_does_not_provide_is_refused),
		live_test(one_that_is_slow_is_late_and_lives),
		live_test(one_that_cannot_be_had_says_why),
		live_test(refusals_hold),
		live_test(one_that_hangs_since_an_earlier_run_is_not_started),
		live_test(a_worker_notes_that_it_is_alive),
		live_test(a_worker_ends_when_told_and_when_alone),
		live_test(one_that_is_stuck_is_left_until_it_dies),
		live_test(ends_at_once_while_one_is_stuck),
		live_test(ends_at_once_while_workers_hang),
		live_test(a_parent_that_is_slow_leaves_ticks_out),
		live_test(it_lasts_as_long_as_asked),
		live_test(it_waits_for_others_too),
		live_test(it_does_not_grow),
	};

	if (argc > 2 && !strcmp(argv[1], "probe--worker"))
		return be_worker(argv[2]);
	return cmocka_run_group_tests_name("live", tests, NULL, NULL);
}
