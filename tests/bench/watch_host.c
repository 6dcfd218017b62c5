// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * watch_host.c - what the host half of gpudiag watch costs: both sources read again and again, in this process.
 *
 * watch_host PID TICKS INTERVAL_MS [json] watches that process and its descendants, and prints the CPU time of a tick
 * (ms: mean, and the most there was) of each source, its threads and processes, and the memory at the first and last
 * tick. json: the last tick as well.
 *
 * watch_host load PROCESSES THREADS is a load to watch: that many processes, and threads in all of them together, each
 * of which works for a moment ten times a second, until it is killed.
 */
#include "base/compat.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/json_writer.h"
#include "probe/sample/sample_sources.h"
#include "snapshot/snapshot.h"
#include "sys/clock.h"

struct cost { double sum_ms, most_ms; };

void sample_step(struct sample_env *env, const char *call, const char *gpu) __attribute__((weak));
void sample_step(struct sample_env *env, const char *call, const char *gpu)
{
	(void)gpu;
	snprintf(env->page->call, sizeof(env->page->call), "%s", call);
}

static void *open_source(const struct sample_source *source, struct sample_env *env, const struct snapshot *sealed)
{
	struct arena arena = { 0 };
	struct strs told = { .nr = 0 }, skip = { .nr = 0 };
	char why[256] = "";
	void *own;

	source->environment(sealed, &skip, &arena, &told);
	for (size_t i = 0; i < told.nr; i++)
		putenv(strdup(told.v[i]));
	arena_release(&arena);
	own = source->open(env, why);
	if (!own) {
		fprintf(stderr, "%s: %s\n", source->name, why);
		exit(1);
	}
	return own;
}

static void read_source(const struct sample_source *source, void *own, struct tick *tick, struct cost *cost)
{
	uint64_t began_ns = clock_cpu_ns();
	double ms;

	source->read(own, tick);
	ms = (double)(clock_cpu_ns() - began_ns) / 1e6;
	cost->sum_ms += ms;
	cost->most_ms = ms > cost->most_ms ? ms : cost->most_ms;
}

/* Of /proc/self/smaps_rollup, KiB. */
static unsigned long memory_kib(void)
{
	FILE *file = fopen("/proc/self/smaps_rollup", "re");
	char line[256];
	unsigned long kib = 0;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "Pss: %lu", &kib) == 1)
			break;
	if (file)
		fclose(file);
	return kib;
}

static void print_json(const struct tick *tick)
{
	STRBUF_AUTO text = STRBUF_INIT;
	struct json_writer w = { .out = &text, .indent = 1 };

	record_write(&w, &record_tick, tick);
	puts(text.buf);
}

static void *work(void *unused)
{
	(void)unused;
	for (;;) {
		uint64_t end_ns = clock_now_ns() + 20000;

		while (clock_now_ns() < end_ns)
			;
		clock_sleep_ns(100000000);
	}
	return NULL;
}

/* Threads go to the first processes, ten at the most each. */
static int load(unsigned long processes, unsigned long threads)
{
	unsigned long more = threads > processes ? threads - processes : 0;

	for (unsigned long i = 1; i < processes; i++) {
		unsigned long own = more < 9 ? more : 9;

		more -= own;
		if (fork())
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (unsigned long k = 0; k < own; k++) {
			pthread_t thread;

			if (pthread_create(&thread, NULL, work, NULL))
				return 1;
		}
		work(NULL);
	}
	puts("ready");
	fflush(stdout);
	work(NULL);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct root live = ROOT_LIVE;
	static struct sample_page page;
	static struct snapshot sealed;
	struct sample_env env = { .root = &live, .page = &page };
	struct cost host_cost = { 0 }, tasks_cost = { 0 };
	struct tick tick = { 0 };
	unsigned long first_kib = 0;
	uint64_t ticks, due_ns;
	void *host, *tasks;

	if (argc < 4)
		return 64;
	if (!strcmp(argv[1], "load"))
		return load(strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10));
	sealed.request.pid = val_u64(strtoull(argv[1], NULL, 10));
	ticks = strtoull(argv[2], NULL, 10);
	env.interval_ns = strtoull(argv[3], NULL, 10) * UINT64_C(1000000);
	host = open_source(&sample_host, &env, &sealed);
	tasks = open_source(&sample_tasks, &env, &sealed);
	due_ns = clock_now_ns();
	for (uint64_t i = 0; i < ticks; i++) {
		uint64_t now_ns = clock_now_ns();

		if (due_ns > now_ns)
			clock_sleep_ns(due_ns - now_ns);
		due_ns += env.interval_ns;
		tick_release(&tick);
		read_source(&sample_host, host, &tick, &host_cost);
		read_source(&sample_tasks, tasks, &tick, &tasks_cost);
		if (i == 20 || i == ticks - 1)
			first_kib = first_kib ? first_kib : memory_kib();
	}
	printf("host_ms %.3f host_most_ms %.3f tasks_ms %.3f tasks_most_ms %.3f processes %" PRIu64 " threads %" PRIu64
	       " left_out %" PRIu64 " first_kib %lu last_kib %lu\n",
	       host_cost.sum_ms / (double)ticks, host_cost.most_ms, tasks_cost.sum_ms / (double)ticks, tasks_cost.most_ms,
	       u64_or(tick.host.processes_seen, 0), u64_or(tick.host.threads_seen, 0),
	       u64_or(tick.host.threads_left_out, 0), first_kib, memory_kib());
	if (argc > 4)
		print_json(&tick);
	tick_release(&tick);
	sample_host.close(host);
	sample_tasks.close(tasks);
	return 0;
}
