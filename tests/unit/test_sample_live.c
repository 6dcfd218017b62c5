// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs alone: it looks at CPU time. */
/*
 * test_sample_live.c - processes of this machine in ticks: what each kind of load looks like, workers that come by the
 * dozen and go, orphans, a CPU quota, and that nothing grows.
 */
#include "base/compat.h"

#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "probe/sample/sample_tasks_internal.h"
#include "sys/clock.h"
#include "tests/unit/support.h"
#include "tests/unit/sample_env.h"

#define MS_NS UINT64_C(1000000)

static const struct root live = ROOT_LIVE;
static struct snapshot sealed;
static pid_t child;

/* ---- loads; each runs in a child that dies with us */

static void start(void (*load)(void))
{
	fflush(stdout);
	child = fork();
	if (child)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	load();
	_exit(0);
}

static void stop(void)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static volatile int never;

static void *spin(void *unused)
{
	(void)unused;
	pthread_setname_np(pthread_self(), "spin");
	while (!never)
		;
	return NULL;
}

static void *yield(void *unused)
{
	(void)unused;
	pthread_setname_np(pthread_self(), "yield");
	while (!never)
		sched_yield();
	return NULL;
}

static void *nap(void *unused)
{
	(void)unused;
	pthread_setname_np(pthread_self(), "sl\xff" "eep");
	while (!never)
		clock_sleep_ns(20 * MS_NS);
	return NULL;
}

static void three_kinds(void)
{
	static void *(*const kinds[])(void *) = { spin, yield, nap };
	pthread_t thread;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (pthread_create(&thread, NULL, kinds[i], NULL))
			_exit(1);
	pause();
}

static void spin_alone(void)
{
	spin(NULL);
}

/* After 0.3 s many workers, which stay, and a byte in the pipe when all are there; after SIGUSR1 none. */
static unsigned nr_workers;
static int all_there[2];

static void many_workers(void)
{
	sigset_t usr1;
	int got;

	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	sigprocmask(SIG_BLOCK, &usr1, NULL);
	setpgid(0, 0);
	clock_sleep_ns(300 * MS_NS);
	for (unsigned i = 0; i < nr_workers; i++)
		if (!fork()) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (;;)
				pause();
		}
	if (write(all_there[1], "", 1) != 1)
		_exit(1);
	sigwait(&usr1, &got);
	signal(SIGTERM, SIG_IGN);
	kill(0, SIGTERM);	/* the group: its workers */
	while (wait(NULL) > 0)
		;
	for (;;)
		pause();
}

/* A child whose own child stays when it exits, in a session of its own. */
static void leave_an_orphan(void)
{
	clock_sleep_ns(200 * MS_NS);
	if (!fork()) {
		if (!fork()) {
			prctl(PR_SET_NAME, "orphan");
			clock_sleep_ns(3000 * MS_NS);
			_exit(0);
		}
		setsid();
		clock_sleep_ns(300 * MS_NS);
		_exit(0);
	}
	wait(NULL);
	pause();
}

/* 64 KiB every 20 ms. */
static void read_slowly(void)
{
	static char buf[65536];
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	for (;;) {
		if (pread(fd, buf, sizeof(buf), 0) < 0)
			_exit(1);
		clock_sleep_ns(20 * MS_NS);
	}
}

static void churn(void)
{
	for (;;) {
		if (!fork())
			_exit(0);
		wait(NULL);
		clock_sleep_ns(MS_NS);
	}
}

/* ---- looking */

static struct task_watch *watch(uint64_t pid)
{
	sealed.request.pid = val_u64(pid);
	tell(&sample_tasks, &sealed);
	return open_source(&sample_tasks, &live);
}

static struct tick_process *seen(uint64_t pid)
{
	char key[24];

	snprintf(key, sizeof(key), "%llu", (unsigned long long)pid);
	return list_find(&tick, processes, tick_process, key);
}

/* The thread of that name, as a copy without texts: the next tick takes them. */
static struct tick_thread thread_of(uint64_t pid, const char *comm)
{
	const struct tick_process *process = seen(pid);

	for (size_t i = 0; process && i < process->nr_threads_seen; i++)
		if (str_is(process->threads_seen[i].comm, comm))
			return process->threads_seen[i];
	fail_msg("no thread %s", comm);
	return (struct tick_thread){ 0 };
}

static uint64_t grown_ms(struct val_u64 from, struct val_u64 to)
{
	assert_true(is_known(from) && is_known(to));
	return (u64_or(to, 0) - u64_or(from, 0)) / MS_NS;
}

/* CPU time in the program and in the kernel, and waited for a CPU, in 1 s: facts 4.1's table. */
static void assert_kind(const char *comm, const struct tick_thread *from, const struct tick_thread *to)
{
	uint64_t user = grown_ms(from->user_ns, to->user_ns), system = grown_ms(from->system_ns, to->system_ns);
	uint64_t wait = grown_ms(from->wait_ns, to->wait_ns);
	uint64_t switches = u64_or(to->voluntary_switches, 0) - u64_or(from->voluntary_switches, 0);

	print_message("%s: user %llu ms, system %llu ms, waited %llu ms, %llu voluntary switches\n", comm,
		      (unsigned long long)user, (unsigned long long)system, (unsigned long long)wait,
		      (unsigned long long)switches);
	if (!strcmp(comm, "spin"))
		assert_true(user + wait > 500 && user > 4 * system && is_known(to->voluntary_switches) && switches < 5);
	else if (!strcmp(comm, "yield"))
		assert_true(user + system + wait > 500 && system >= user && is_known(to->voluntary_switches) &&
			    switches < 5);
	else	/* asked for its switches only where a busy machine let it wait */
		assert_true(user + system < 100 && (to->voluntary_switches.state == VAL_SKIPPED || switches > 5));
}

static void three_kinds_of_a_hundred_percent(void **state)
{
	static const char *const names[] = { "spin", "yield", "sl\xef\xbf\xbd" "eep" };
	struct tick_thread from[3];
	struct task_watch *own;

	(void)state;
	if (under_valgrind()) {
		skip();		/* which lets one thread run at a time, and reads for them */
		return;
	}
	start(three_kinds);
	clock_sleep_ns(100 * MS_NS);
	own = watch((uint64_t)child);
	read_tick(&sample_tasks, own);
	for (size_t i = 0; i < 3; i++)
		from[i] = thread_of((uint64_t)child, names[i]);
	clock_sleep_ns(1000 * MS_NS);
	read_tick(&sample_tasks, own);
	for (size_t i = 0; i < 3; i++) {
		struct tick_thread to = thread_of((uint64_t)child, names[i]);

		assert_kind(names[i], &from[i], &to);
		if (i == 2 && is_known(to.wchan))
			assert_non_null(strstr(str_or(to.wchan, ""), "nanosleep"));
		if (i == 0)
			assert_true(str_is(to.state, "R") && to.wchan.state == VAL_ABSENT);
	}
	assert_u64(seen((uint64_t)child)->threads, 4);
	assert_string_equal(str_or(seen((uint64_t)child)->role, ""), "asked");
	sample_tasks.close(own);
	stop();
}

/* The CPU of the thread that is spinning is left to it, where there is another. */
static void we_keep_off_its_cpu(void **state)
{
	cpu_set_t first, pinned, now;
	struct task_watch *own;
	uint64_t cpu;

	(void)state;
	if (sched_getaffinity(0, sizeof(first), &first) || CPU_COUNT(&first) < 2) {
		skip();
		return;
	}
	for (cpu = 0; !CPU_ISSET(cpu, &first); cpu++)
		;
	start(spin_alone);
	CPU_ZERO(&pinned);
	CPU_SET(cpu, &pinned);
	assert_int_equal(sched_setaffinity(child, sizeof(pinned), &pinned), 0);
	own = watch((uint64_t)child);
	for (int i = 0; i < 3; i++) {
		read_tick(&sample_tasks, own);
		clock_sleep_ns(200 * MS_NS);
	}
	assert_int_equal(sched_getaffinity(0, sizeof(now), &now), 0);
	assert_false(CPU_ISSET(cpu, &now));
	assert_int_equal(CPU_COUNT(&now), CPU_COUNT(&first) - 1);
	sample_tasks.close(own);
	assert_int_equal(sched_getaffinity(0, sizeof(now), &now), 0);
	assert_true(CPU_EQUAL(&now, &first));
	stop();
}

static void assert_workers_come_and_go(unsigned nr)
{
	struct task_watch *own;
	int ticks = 0;
	char byte;

	nr_workers = nr;
	assert_int_equal(pipe2(all_there, O_CLOEXEC), 0);
	start(many_workers);
	clock_sleep_ns(100 * MS_NS);
	own = watch((uint64_t)child);
	read_tick(&sample_tasks, own);
	assert_u64(tick.host.processes_seen, 1);
	/* All of them between two ticks. */
	assert_int_equal(read(all_there[0], &byte, 1), 1);
	for (; u64_or(tick.host.processes_seen, 0) <= nr && ticks < 40; ticks++) {
		clock_sleep_ns(100 * MS_NS);
		read_tick(&sample_tasks, own);
	}
	print_message("%u workers: all seen after %d ticks of 100 ms\n", nr, ticks);
	assert_u64(tick.host.processes_seen, nr + 1);
	assert_string_equal(str_or(tick.processes[1].role, ""), "child");
	kill(child, SIGUSR1);
	for (ticks = 0; u64_or(tick.host.processes_seen, 0) > 1 && ticks < 40; ticks++) {
		clock_sleep_ns(100 * MS_NS);
		read_tick(&sample_tasks, own);
	}
	assert_u64(tick.host.processes_seen, 1);
	sample_tasks.close(own);
	stop();
	close(all_there[0]);
	close(all_there[1]);
}

static void workers_come_and_go(void **state)
{
	(void)state;
	assert_workers_come_and_go(50);
	assert_workers_come_and_go(500);
}

static void an_orphan_is_kept(void **state)
{
	struct task_watch *own;
	bool any = false;

	(void)state;
	start(leave_an_orphan);
	own = watch((uint64_t)child);
	for (int i = 0; i < 10; i++) {
		clock_sleep_ns(100 * MS_NS);
		read_tick(&sample_tasks, own);
	}
	for (size_t i = 0; i < tick.nr_processes; i++) {
		const struct tick_process *process = &tick.processes[i];

		any |= str_is(process->comm, "orphan") && u64_or(process->parent, 0) != (uint64_t)child &&
		       str_is(process->role, "child") && bool_or(process->requested, false);
	}
	assert_true(any);
	assert_u64(tick.host.processes_seen, 2);
	sample_tasks.close(own);
	stop();
}

static void a_slow_reader(void **state)
{
	struct tick_process from;
	struct task_watch *own;
	uint64_t calls, bytes;

	(void)state;
	if (under_valgrind()) {
		skip();
		return;
	}
	start(read_slowly);
	clock_sleep_ns(100 * MS_NS);
	own = watch((uint64_t)child);
	read_tick(&sample_tasks, own);
	from = *seen((uint64_t)child);
	clock_sleep_ns(500 * MS_NS);
	read_tick(&sample_tasks, own);
	calls = u64_or(seen((uint64_t)child)->read_calls, 0) - u64_or(from.read_calls, 0);
	bytes = u64_or(seen((uint64_t)child)->read_call_bytes, 0) - u64_or(from.read_call_bytes, 0);
	assert_in_range(calls, 3, 30);
	assert_int_equal(bytes, calls * 65536);
	sample_tasks.close(own);
	stop();
}

/* gpudiag is a descendant of the shell that is asked for, and not of its job. */
static void we_are_not_watched(void **state)
{
	int status;

	(void)state;
	fflush(stdout);
	child = fork();
	if (!child) {
		struct task_watch *own = watch((uint64_t)getppid());
		bool is_good;

		read_tick(&sample_tasks, own);
		is_good = seen((uint64_t)getppid()) && !seen((uint64_t)getpid());
		sample_tasks.close(own);
		_exit(!is_good);
	}
	waitpid(child, &status, 0);
	assert_int_equal(status, 0);
}

static bool write_group_file(const char *group, const char *file, const char *text)
{
	char path[PATH_MAX];
	int fd;
	bool is_good;

	snprintf(path, sizeof(path), "%s/%s", group, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	is_good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	if (fd >= 0)
		close(fd);
	return is_good;
}

/* Makes a group with a fifth of a CPU, of whichever version may be written here. False: of none. */
static bool make_group(char group[PATH_MAX])
{
	snprintf(group, PATH_MAX, "/sys/fs/cgroup/gpudiag-test-%d", (int)getpid());
	if (!mkdir(group, 0755) && write_group_file(group, "cpu.max", "20000 100000"))
		return true;
	rmdir(group);
	snprintf(group, PATH_MAX, "/sys/fs/cgroup/cpu/gpudiag-test-%d", (int)getpid());
	if (!mkdir(group, 0755) && write_group_file(group, "cpu.cfs_period_us", "100000") &&
	    write_group_file(group, "cpu.cfs_quota_us", "20000"))
		return true;
	rmdir(group);
	return false;
}

static const struct tick_group *group_of(uint64_t pid)
{
	return list_find(&tick, groups, tick_group, str_or(seen(pid)->group, "?"));
}

static void a_cpu_quota(void **state)
{
	struct task_watch *own;
	char group[PATH_MAX], pid[24];
	uint64_t throttled_ns, used_ns, elapsed_ns;

	(void)state;
	if (!make_group(group)) {
		print_message("no control group with a CPU quota can be made here\n");
		skip();
		return;
	}
	start(spin_alone);
	snprintf(pid, sizeof(pid), "%d", (int)child);
	assert_true(write_group_file(group, "cgroup.procs", pid));
	own = watch((uint64_t)child);
	read_tick(&sample_tasks, own);
	assert_non_null(group_of((uint64_t)child));
	assert_true(f64_or(group_of((uint64_t)child)->cpu_quota, 0.0) > 0.19 &&
		    f64_or(group_of((uint64_t)child)->cpu_quota, 0.0) < 0.21);
	throttled_ns = u64_or(group_of((uint64_t)child)->throttled_ns, 0);
	used_ns = u64_or(seen((uint64_t)child)->user_ns, 0);
	elapsed_ns = clock_now_ns();
	clock_sleep_ns(600 * MS_NS);
	read_tick(&sample_tasks, own);
	used_ns = u64_or(seen((uint64_t)child)->user_ns, 0) - used_ns;
	elapsed_ns = clock_now_ns() - elapsed_ns;
	throttled_ns = u64_or(group_of((uint64_t)child)->throttled_ns, 0) - throttled_ns;
	print_message("%s: throttled for %llu of 600 ms\n", group, (unsigned long long)(throttled_ns / MS_NS));
	/* On a busy machine it may not come to its fifth. */
	assert_true(throttled_ns > 50 * MS_NS || used_ns * 100 < elapsed_ns * 17);
	assert_true(u64_or(group_of((uint64_t)child)->periods, 0) > 0);
	sample_tasks.close(own);
	stop();
	for (int i = 0; i < 50 && rmdir(group); i++)
		clock_sleep_ns(20 * MS_NS);
}

/* As many ticks as ten minutes have at 100 ms, with a walk over /proc every 50, while processes come and go. */
static void nothing_grows(void **state)
{
	int ticks = under_valgrind() ? 200 : 6000;
	size_t before = 0, files = 0;
	struct task_watch *own;
	void *host;

	(void)state;
	start(churn);
	tell(&sample_host, &sealed);
	host = open_source(&sample_host, &live);
	own = watch((uint64_t)child);
	for (int i = 0; i < ticks; i++) {
		if (i % 50 == 0)
			own->walk.began_ns = 0;
		tick_release(&tick);
		sample_host.read(host, &tick);
		sample_tasks.read(own, &tick);
		if (i == 100) {
			before = mallinfo2().uordblks;
			files = count_open_files();
		}
	}
	print_message("%zu bytes at tick 100, %zu at tick %d\n", before, (size_t)mallinfo2().uordblks, ticks);
	assert_true(mallinfo2().uordblks < before + 65536);
	/* Two workers more than at that moment. */
	assert_true(count_open_files() <= files + 8);
	sample_tasks.close(own);
	sample_host.close(host);
	stop();
}

static int end(void **state)
{
	(void)state;
	tick_release(&tick);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(three_kinds_of_a_hundred_percent, end),
		cmocka_unit_test_teardown(we_keep_off_its_cpu, end),
		cmocka_unit_test_teardown(workers_come_and_go, end),
		cmocka_unit_test_teardown(an_orphan_is_kept, end),
		cmocka_unit_test_teardown(a_slow_reader, end),
		cmocka_unit_test_teardown(we_are_not_watched, end),
		cmocka_unit_test_teardown(a_cpu_quota, end),
		cmocka_unit_test_teardown(nothing_grows, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
