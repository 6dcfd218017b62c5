/* SPDX-License-Identifier: GPL-2.0-or-later */
/* worker_modes.h - what test_worker.c does as a worker: one function for each mode, most of them bad. */
#pragma once

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compat.h"
#include "sys/worker.h"
#include "sys/write_file.h"
#include "tests/unit/support.h"

static char **worker_arguments;		/* after the mode */

static void say(const char *format, ...) PRINTF_LIKE(1, 2);
static void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vdprintf(WORKER_FRAME_FD, format, args);
	va_end(args);
}

/* Fills a stream with `nr` bytes; a line feed after every line_len of them. */
static void say_much(size_t nr, size_t line_len)
{
	char *bytes = malloc(nr);

	for (size_t i = 0; bytes && i < nr; i++)
		bytes[i] = (i + 1) % (line_len + 1) ? 'x' : '\n';
	if (!bytes || write_all(WORKER_FRAME_FD, bytes, nr))
		_exit(1);
	free(bytes);
}

static void sleep_for_ever(void)
{
	for (;;)
		pause();
}

static void crash(void)
{
	signal(SIGSEGV, SIG_DFL);
	raise(SIGSEGV);
}

/* Ends when it is asked to, and says one last thing. */
static void mode_end_on_sigterm(void)
{
	const volatile int *please_end = worker_child_catch_sigterm();

	say("here\n");
	while (!*please_end)
		usleep(1000);
	say("end\n");
}

/* Is asked to end, and does not. */
static void mode_ignore_sigterm(void)
{
	(void)worker_child_catch_sigterm();
	say("here\n");
	sleep_for_ever();
}

static void mode_talk(void)
{
	for (;; usleep(20000))
		say("here\n");
}

/* Leaves a word in the memory that it shares, and says that it is there. */
static void mode_share(void)
{
	char *shared = mmap(NULL, 64, PROT_READ | PROT_WRITE, MAP_SHARED, worker_shared_fd(), 0);

	if (shared == MAP_FAILED)
		_exit(1);
	snprintf(shared, 64, "left here");
	say("files %zu\n", count_open_files() - 1);
	sleep_for_ever();
}

static void close_all(void)
{
	for (int fd = 0; fd < 64; fd++)
		close(fd);
}

/* A child of the worker, in its session or one of its own, that sleeps or writes for ever. */
static void leave_behind(bool own_session, bool writes)
{
	int pair[2];
	char byte = 0;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		_exit(1);
	pid = fork();
	if (!pid) {
		if (own_session)
			setsid();
		/* It is in its place; it begins when it has been named. */
		if (write(pair[1], &byte, 1) != 1 || read(pair[1], &byte, 1) != 1)
			_exit(1);
		while (writes)
			say("more than anybody asked for\n");
		sleep_for_ever();
	}
	if (read(pair[0], &byte, 1) != 1)
		_exit(1);
	say("%d\n", (int)pid);
	if (write(pair[0], &byte, 1) != 1)
		_exit(1);
	usleep(20000);
}

static void mode_good(void)
{
	say("one\ntwo\n");
	say("th");
	say("ree\n\n");
}

static void mode_sleep(void)
{
	say("here\n");
	sleep_for_ever();
}

/* The first that it may run on. */
static bool stay_on_one_cpu(void)
{
	cpu_set_t allowed, one;
	int cpu = 0;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return false;
	while (cpu < CPU_SETSIZE - 1 && !CPU_ISSET(cpu, &allowed))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	return !sched_setaffinity(0, sizeof(one), &one);
}

static void mode_sleep_on_one_cpu(void)
{
	stay_on_one_cpu();
	sleep_for_ever();
}

static void mode_stubborn(void)
{
	for (int i = 1; i < SIGRTMAX; i++)
		signal(i, SIG_IGN);
	sleep_for_ever();
}

static void mode_abort(void)
{
	signal(SIGABRT, SIG_DFL);
	abort();
}

static void mode_exit_42(void)
{
	_exit(42);
}

static void mode_print(void)
{
	printf("to stdout\n");
	fflush(stdout);
	fprintf(stderr, "to stderr\n");
}

static void mode_chatter(void)
{
	for (int i = 0; i < 100000; i++)
		fprintf(i % 2 ? stdout : stderr, "line %d\n", i);
	fflush(stdout);
	say("done\n");
}

static void mode_close_and_sleep(void)
{
	say("before\n");
	close_all();
	sleep_for_ever();
}

static void mode_close_and_exit(void)
{
	say("before\n");
	close_all();
	usleep(50000);
	_exit(7);
}

static void mode_grandchild(void)
{
	leave_behind(false, false);
}

static void mode_escaped(void)
{
	leave_behind(true, false);
}

/* As daemons do: whoever started it has ended, when the worker still works. */
static void mode_daemon(void)
{
	if (!fork()) {
		leave_behind(true, false);
		_exit(0);
	}
	usleep(200000);
}

static void mode_escaped_writer(void)
{
	leave_behind(true, true);
}

static void mode_cut(void)
{
	say("whole\nhal");
}

static void mode_cut_and_crash(void)
{
	say("whole\nhal");
	crash();
}

static void mode_cut_and_sleep(void)
{
	say("whole\nhal");
	sleep_for_ever();
}

static void mode_long_line(void)
{
	say("first\n");
	say_much(2 << 20, 4 << 20);
	sleep_for_ever();
}

static void mode_longest_line(void)
{
	say_much(WORKER_MAX_LINE_BYTES + 1, WORKER_MAX_LINE_BYTES);
}

static void mode_longer_line(void)
{
	say_much(WORKER_MAX_LINE_BYTES + 2, WORKER_MAX_LINE_BYTES + 1);
}

static void mode_stream(void)
{
	say_much(20 << 20, 99);
	sleep_for_ever();
}

static void mode_longest_stream(void)
{
	say_much(16 << 20, 1023);
}

static void mode_lines_and_crash(void)
{
	for (int i = 0; i < 1000; i++)
		say("line %d\n", i);
	crash();
}

static void mode_stop(void)
{
	raise(SIGSTOP);
	sleep_for_ever();
}

/* Its parent is stopped for longer than the worker's deadline; then it goes on for a while. */
static void mode_stop_parent(void)
{
	const pid_t parent = getppid();

	say("here\n");
	usleep(100000);
	kill(parent, SIGSTOP);
	usleep(2500000);
	kill(parent, SIGCONT);
	usleep(200000);
	say("end\n");
}

static void mode_spin(void)
{
	for (volatile unsigned i = 0;; i++)
		;
}

static void mode_refuse(void)
{
	say("fine\nrefuse\nnever\n");
	sleep_for_ever();
}

static void mode_refuse_at_exit(void)
{
	say("fine\nrefuse\nnever\n");
}

static void mode_variables(void)
{
	const char *parent = getenv("GPUDIAG_PARENT_PID");

	for (char **name = worker_arguments; *name; name++)
		say("%s=%s\n", *name, getenv(*name) ? getenv(*name) : "(none)");
	say("parent=%s\n", parent ? parent : "(none)");
}

/* What a worker finds itself in. */
static void mode_surroundings(void)
{
	struct sigaction action;
	struct rlimit core;
	int death_signal = 0, nr_ignored = 0;
	struct stat null, in;
	sigset_t mask;

	prctl(PR_GET_PDEATHSIG, &death_signal);
	getrlimit(RLIMIT_CORE, &core);
	for (int i = 1; i <= SIGRTMAX; i++)
		nr_ignored += !sigaction(i, NULL, &action) && action.sa_handler == SIG_IGN;
	sigprocmask(SIG_SETMASK, NULL, &mask);
	say("death signal %d, core limit %d, ", death_signal, (int)core.rlim_cur);
	say("ignores %d, blocks %d, ", nr_ignored, sigisemptyset(&mask) ? 0 : 1);
	say("leads %d, ", getsid(0) == getpid() && getpgid(0) == getpid());
	say("null %d, ", !stat("/dev/null", &null) && !fstat(0, &in) && null.st_rdev == in.st_rdev);
	say("files %zu\n", count_open_files() - 1);	/* less the one that counts */
}

static int relay_line(struct worker *worker, char *line, size_t len)
{
	(void)worker, (void)len;
	say("%s\n", line);
	return 0;
}

/* A worker with a worker, which tells who it is and sleeps. */
static void mode_nest(void)
{
	static const char *const argv[] = { "test_worker", "worker", "tell_and_sleep", NULL };
	struct worker inner = { .argv = argv, .deadline_ms = 60000, .on_line = relay_line };

	workers_run(&inner, 1, &(struct workers_run){ .cancel = NULL });
}

static void mode_tell_and_sleep(void)
{
	say("%d\n", (int)getpid());
	sleep_for_ever();
}

static void mode_read(void)
{
	int fd = open(worker_arguments[0], O_RDONLY | O_CLOEXEC);
	char byte;

	say("open %s\n", fd < 0 ? strerror(errno) : "ok");
	say("read %zd\n", read(fd, &byte, 1));
}

static void *read_in_thread(void *nothing)
{
	mode_read();
	return nothing;
}

static void mode_read_in_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, read_in_thread, NULL);
	sleep_for_ever();
}

#define MODE(mode) { .name = #mode, .run = mode_##mode }
static const struct {
	const char *name;
	void (*run)(void);
} modes[] = {
	MODE(good), MODE(sleep), MODE(stubborn), MODE(sleep_on_one_cpu), { .name = "crash", .run = crash }, MODE(abort),
	MODE(exit_42), MODE(print),
	MODE(chatter), MODE(close_and_sleep), MODE(close_and_exit), MODE(grandchild), MODE(escaped),
	MODE(escaped_writer), MODE(daemon), MODE(cut), MODE(cut_and_crash), MODE(cut_and_sleep), MODE(long_line),
	MODE(longest_line), MODE(longer_line), MODE(stream), MODE(longest_stream), MODE(lines_and_crash),
	MODE(stop), MODE(stop_parent), MODE(spin), MODE(refuse), MODE(refuse_at_exit), MODE(variables),
	MODE(surroundings),
	MODE(nest), MODE(tell_and_sleep), MODE(read), MODE(read_in_thread),
	MODE(end_on_sigterm), MODE(ignore_sigterm), MODE(talk), MODE(share),
};

static int be_worker(int argc, char **argv)
{
	if (argc < 3 || worker_child_setup())
		return 101;
	worker_arguments = argv + 3;
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		if (strcmp(modes[i].name, argv[2]))
			continue;
		modes[i].run();
		_exit(0);	/* without a search for leaks, which would take longer than all else */
	}
	return 102;
}
