// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * batch.c - gpudiag many times in one process: starting it takes ten times as long as judging a snapshot.
 *
 * batch --batch FD	FD is a SOCK_SEQPACKET socket, of tests/batch.py
 * batch …		as gpudiag
 *
 * A message is a run: "N", N assignments for the environment, and the arguments from argv[0] on, each ended by NUL;
 * with three descriptors, which become standard input, output and error. The answer is the exit status. Before each run
 * the program's variables are what they were at the start, and so are its signals and its environment. A run that calls
 * exit(), or crashes, ends the process, whose status is then the run's.
 */
#include "base/compat.h"

#include <signal.h>
#include <stdint.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MAX_WORDS = 4096, MAX_BYTES = 1 << 18 };

/* main() of cmd/main.c */
int gpudiag_main(int argc, char **argv);

/* The linker's: all variables of the program lie between these. */
extern char __data_start[], _end[];

struct run {
	char text[MAX_BYTES];
	char *words[MAX_WORDS];
	int fds[3];
};

/*
 * By words where a sanitizer has bytes between variables that nobody may touch, which memcpy() would look at; it takes
 * longer than many a run.
 */
__attribute__((no_sanitize("address", "undefined"))) static void copy_words(uintptr_t *to, const uintptr_t *from,
									    size_t nr)
{
#ifdef __SANITIZE_ADDRESS__
	for (size_t i = 0; i < nr; i++)
		((volatile uintptr_t *)to)[i] = from[i];
#else
	memcpy(to, from, nr * sizeof(*to));
#endif
}

static void restore_signals(void)
{
	static const int changed[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ, SIGCHLD, SIGALRM, SIGWINCH, SIGBUS };

	for (size_t i = 0; i < ARRAY_SIZE(changed); i++)
		signal(changed[i], SIG_DFL);
}

/* How many words the next run has; 0 at the end. */
static int receive(int fd, struct run *run)
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(run->fds))];
	} control;
	struct iovec text = { run->text, sizeof(run->text) };
	struct msghdr message = {
		.msg_iov = &text, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control),
	};
	ssize_t len = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
	int nr = 0;

	if (len <= 0)
		return 0;
	if (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC) || run->text[len - 1] || !CMSG_FIRSTHDR(&message))
		abort();
	memcpy(run->fds, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(run->fds));
	for (char *at = run->text; at < run->text + len; at += strlen(at) + 1) {
		if (nr == MAX_WORDS - 1)
			abort();
		run->words[nr++] = at;
	}
	run->words[nr] = NULL;
	return nr;
}

static int start(struct run *run, int nr_words)
{
	int nr_assignments = (int)strtol(run->words[0], NULL, 10);

	for (int i = 0; i < 3; i++) {
		if (dup2(run->fds[i], i) < 0)
			abort();
		close(run->fds[i]);
	}
	for (int i = 0; i < nr_assignments; i++)
		if (putenv(run->words[1 + i]))
			abort();
	tzset();
	return gpudiag_main(nr_words - 1 - nr_assignments, run->words + 1 + nr_assignments);
}

/* All of its own lies on the stack or in allocated memory, which is not put back. */
static void serve(int fd)
{
	size_t nr = (size_t)(_end - __data_start) / sizeof(uintptr_t);
	uintptr_t *pristine = malloc(nr * sizeof(*pristine));
	struct run *run = malloc(sizeof(*run));
	char **environment = environ;
	size_t nr_environment = 0;
	char **before;
	int nr_words;

	while (environment[nr_environment])
		nr_environment++;
	before = malloc((nr_environment + 1) * sizeof(*before));
	if (!pristine || !run || !before)
		abort();
	memcpy(before, environment, (nr_environment + 1) * sizeof(*before));
	copy_words(pristine, (const uintptr_t *)(const void *)__data_start, nr);
	while ((nr_words = receive(fd, run))) {
		int status = start(run, nr_words);

		if (fflush(NULL))
			abort();
		clearerr(stdin);
		copy_words((uintptr_t *)(void *)__data_start, pristine, nr);
		memcpy(environment, before, (nr_environment + 1) * sizeof(*before));
		environ = environment;
		restore_signals();
		if (send(fd, &status, sizeof(status), MSG_NOSIGNAL) != sizeof(status))
			break;
	}
	free(before);
	free(run);
	free(pristine);
}

int main(int argc, char **argv)
{
	/* Workers that need an image of their own start the program again. */
	if (argc != 3 || strcmp(argv[1], "--batch"))
		return gpudiag_main(argc, argv);
	serve((int)strtol(argv[2], NULL, 10));
	return 0;
}
