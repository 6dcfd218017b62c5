// SPDX-License-Identifier: GPL-2.0-or-later
/* sample.c - the worker of a source of ticks: it reads at moments that are its parent's too, and says what it is at. */
#include "base/compat.h"
#include "probe/sample/sample.h"

#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/json_writer.h"
#include "base/text.h"
#include "sys/clock.h"
#include "sys/lock.h"
#include "sys/worker.h"
#include "sys/write_file.h"

#define NS_PER_S UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)
#define DEFAULT_INTERVAL_NS NS_PER_S	/* of one that was started by hand */

/* ---- the page ---- */

/* One writer, one reader: writes is odd while the texts are not whole. */
static void write_page(struct sample_page *page, const char *call, const char *gpu)
{
	__atomic_store_n(&page->writes, page->writes | 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	snprintf(page->call, sizeof(page->call), "%s", call);
	snprintf(page->gpu, sizeof(page->gpu), "%s", gpu);
	__atomic_store_n(&page->writes, page->writes + 1, __ATOMIC_RELEASE);
}

void sample_page_read(const struct sample_page *page, struct sample_page *ret)
{
	enum { MOST_TRIES = 100 };

	for (int i = 0; i < MOST_TRIES; i++) {
		uint32_t before = __atomic_load_n(&page->writes, __ATOMIC_ACQUIRE);

		memcpy(ret, page, sizeof(*ret));
		ret->writes = before;
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		if (!(before & 1) && before == __atomic_load_n(&page->writes, __ATOMIC_RELAXED))
			break;
	}
	ret->call[sizeof(ret->call) - 1] = ret->gpu[sizeof(ret->gpu) - 1] = '\0';
}

/* A note in the lock's file for each call would cost more than most calls: one a second says when it was last alive. */
static void note_call(struct sample_env *env, const char *call)
{
	uint64_t now_s = clock_since_boot_s();

	if (env->lock_fd < 0 || now_s == env->noted_s)
		return;
	env->noted_s = now_s;
	lock_note_call(env->lock_fd, call, env->quiet_ms);
}

void sample_step(struct sample_env *env, const char *call, const char *gpu)
{
	write_page(env->page, call, gpu ? gpu : "");
	note_call(env, call);
}

static struct sample_page *shared_page(void)
{
	static struct sample_page of_its_own;	/* of one that was started by hand */
	int fd = worker_shared_fd();
	struct stat st;
	void *page;

	if (fd < 0 || fstat(fd, &st) || st.st_size < (off_t)sizeof(struct sample_page))
		return &of_its_own;
	page = mmap(NULL, sizeof(struct sample_page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return page == MAP_FAILED ? &of_its_own : page;
}

/* ---- frames ---- */

struct sampler {
	const struct sample_source *source;
	void *own;			/* the source's */
	struct sample_env env;
	uint64_t start_ns;		/* the moment of tick 0 */
	const volatile int *asked_to_end;
	struct strbuf frame;
};

/* False: nobody listens any more. */
static bool send_frame(struct sampler *sampler)
{
	strbuf_addch(&sampler->frame, '\n');
	return !write_all(WORKER_FRAME_FD, sampler->frame.buf, sampler->frame.len);
}

static struct json_writer begin_frame(struct sampler *sampler)
{
	struct json_writer w = { .out = &sampler->frame };

	strbuf_reset(&sampler->frame);
	json_object_begin(&w);
	return w;
}

static bool say_opened(struct sampler *sampler, const char *why_not)
{
	struct json_writer w = begin_frame(sampler);

	json_bool_member(&w, why_not ? "end" : "opened", true);
	if (why_not)
		json_str(&w, "why", why_not);
	json_object_end(&w);
	return send_frame(sampler);
}

static bool read_tick(struct sampler *sampler, uint64_t seq)
{
	struct tick tick = { .nr_gpus = 0 };
	uint64_t began_ns = clock_monotonic_ns();
	struct json_writer w;

	sampler->source->read(sampler->own, &tick);
	sample_step(&sampler->env, "", NULL);
	w = begin_frame(sampler);
	json_u64_member(&w, "seq", seq);
	json_u64_member(&w, "at_ns", began_ns - sampler->start_ns);
	json_u64_member(&w, "took_ns", clock_monotonic_ns() - began_ns);
	json_u64_member(&w, "cpu_ns", clock_cpu_ns());
	json_key(&w, "tick");
	record_write(&w, &record_tick, &tick);
	json_object_end(&w);
	tick_release(&tick);
	return send_frame(sampler);
}

/* ---- moments ---- */

/* Waits until then. False: it is to end, or nobody reads its frames any more. */
static bool wait_until(const struct sampler *sampler, uint64_t moment_ns)
{
	for (;;) {
		struct pollfd parent = { .fd = WORKER_FRAME_FD };
		uint64_t now_ns = clock_monotonic_ns(), left_ns = moment_ns > now_ns ? moment_ns - now_ns : 0;
		struct timespec wait = {
			.tv_sec = (time_t)(left_ns / NS_PER_S), .tv_nsec = (long)(left_ns % NS_PER_S),
		};

		if (*sampler->asked_to_end || ppoll(&parent, 1, &wait, NULL) > 0)
			return false;
		if (clock_monotonic_ns() >= moment_ns)
			return !*sampler->asked_to_end;
	}
}

/* The first tick whose moment is still to come: those that were missed are left out. */
static uint64_t next_tick(const struct sampler *sampler)
{
	uint64_t now_ns = clock_monotonic_ns();

	return now_ns > sampler->start_ns ?
		       (now_ns - sampler->start_ns + sampler->env.interval_ns - 1) / sampler->env.interval_ns : 0;
}

static void read_ticks(struct sampler *sampler)
{
	const uint64_t interval_ns = sampler->env.interval_ns;

	for (;;) {
		uint64_t seq = next_tick(sampler), moment_ns = sampler->start_ns + seq * interval_ns;

		if (!wait_until(sampler, moment_ns))
			return;
		/* Stopped meanwhile, or without a CPU: its answer would be of no use. */
		if (clock_monotonic_ns() - moment_ns >= interval_ns)
			continue;
		if (!read_tick(sampler, seq))
			return;
	}
}

static uint64_t told_number(const char *variable, uint64_t otherwise)
{
	uint64_t number;

	return parse_u64(worker_told(variable), &number) ? otherwise : number;
}

int sample_run(const struct sample_source *source, const struct root *root, int lock_fd)
{
	struct sampler sampler = {
		.source = source,
		.env = {
			.root = root, .page = shared_page(), .lock_fd = lock_fd,
			.interval_ns = told_number(SAMPLE_INTERVAL_VARIABLE, DEFAULT_INTERVAL_NS),
			.pid = told_number(SAMPLE_PID_VARIABLE, 0),
		},
		.start_ns = told_number(SAMPLE_START_VARIABLE, clock_monotonic_ns()),
		.asked_to_end = worker_child_catch_sigterm(),
		.frame = STRBUF_INIT,
	};
	char why[256] = "";

	if (!sampler.env.interval_ns)
		sampler.env.interval_ns = DEFAULT_INTERVAL_NS;
	sampler.env.quiet_ms = worker_child_quiet_ms();
	sample_step(&sampler.env, "its start", NULL);
	sampler.own = source->open(&sampler.env, why);
	/* Until its next answer, most of which it waits. */
	sampler.env.quiet_ms = (unsigned)(sampler.env.interval_ns / NS_PER_MS) + SAMPLE_SILENCE_MS;
	sample_step(&sampler.env, "", NULL);
	if (say_opened(&sampler, sampler.own ? NULL : why) && sampler.own)
		read_ticks(&sampler);
	if (sampler.own)
		source->close(sampler.own);
	strbuf_release(&sampler.frame);
	return 0;
}
