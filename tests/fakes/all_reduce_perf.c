// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * all_reduce_perf.c - prints what nccl-tests' program of that name prints, without a GPU, and behaves as badly as
 * GPUDIAG_FAKE_REDUCE asks for:
 *
 *	(unset)		as nccl-tests 2.17 prints it, with GPUDIAG_FAKE_GBPS (300) at the largest size, and half of it before
 *	old		as before 2.12, with a column "error"
 *	rccl		as rccl-tests prints it
 *	wrong		three wrong values, exit status 1
 *	fail		a library's warning and the program's, exit status 3
 *	crash		a row, then SIGSEGV
 *	hang		a row, then nothing; SIGTERM is ignored
 *	flood		lines without end
 *	garbage		bytes that are no text, exit status 0
 *	silent		nothing, exit status 0
 *	torn		rows, and no sums; exit status 0
 *	daemon		a process in a session of its own that outlives it, and holds its output open
 *	children	processes in its own group that outlive it
 *	others		ranks on another GPU than it was given
 *
 * GPUDIAG_FAKE_RANKS is printed as the ranks' addresses, parted by commas. GPUDIAG_FAKE_LOG names a file for its
 * arguments and for what of its environment matters.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *variable(const char *name, const char *otherwise)
{
	const char *value = getenv(name);

	return value && *value ? value : otherwise;
}

static int mode_is(const char *mode)
{
	return !strcmp(variable("GPUDIAG_FAKE_REDUCE", ""), mode);
}

static void write_log(int argc, char **argv)
{
	static const char *const names[] = {
		"CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "NCCL_DEBUG", "NCCL_DEBUG_FILE",
		"NCCL_COMM_ID", "NCCL_P2P_DISABLE",
	};
	const char *path = getenv("GPUDIAG_FAKE_LOG");
	FILE *log = path ? fopen(path, "w") : NULL;

	if (!log)
		return;
	for (int i = 1; i < argc; i++)
		fprintf(log, "%s%s", i > 1 ? " " : "", argv[i]);
	fputc('\n', log);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		fprintf(log, "%s=%s\n", names[i], variable(names[i], ""));
	for (int fd = 3; fd < 64; fd++) {
		char link[64], target[64];
		ssize_t len;

		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		len = readlink(link, target, sizeof(target) - 1);
		if (len > 0 && fd != fileno(log))
			fprintf(log, "open: %d %.*s\n", fd, (int)len, target);
	}
	fclose(log);
}

static unsigned long long argument(int argc, char **argv, const char *name)
{
	for (int i = 1; i + 1 < argc; i++)
		if (!strcmp(argv[i], name))
			return strtoull(argv[i + 1], NULL, 10);
	return 0;
}

static void print_ranks(void)
{
	char ranks[1024];
	unsigned number = 0;

	snprintf(ranks, sizeof(ranks), "%s", variable("GPUDIAG_FAKE_RANKS", ""));
	puts("#\n# Using devices");
	for (char *rank = strtok(ranks, ","); rank; rank = strtok(NULL, ","), number++)
		printf("#  Rank %2u Group  0 Pid %6d on      node1 device %2u [%s] Some GPU\n", number, (int)getpid(),
		       number, mode_is("others") ? "0000:ff:1f" : rank);
}

static void print_head(int argc, char **argv)
{
	int is_old = mode_is("old");

	if (mode_is("rccl"))
		puts("RCCL version 2.22.3+hip6.3 HEAD:9a7b4dc+\nrccl-tests: Version develop:448c4c7");
	else if (!is_old)
		puts("NCCL version 2.27.7+cuda12.9\n# nccl-tests version 2.17.1 nccl-headers=22707 nccl-library=22707");
	printf("# nThread 1 nGpus %llu minBytes %llu maxBytes %llu step: 2(factor) warmup iters: 5 iters: 20 validation: 1\n",
	       argument(argc, argv, "-g"), argument(argc, argv, "-b"), argument(argc, argv, "-e"));
	print_ranks();
	printf("#\n#       size         count      type   redop%s     time   algbw   busbw %s     time   algbw   busbw %s\n",
	       is_old ? "" : "    root", is_old ? " error" : "#wrong", is_old ? " error" : "#wrong");
	puts("#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)");
}

static void print_row(unsigned long long size, double gbps)
{
	const char *wrong = mode_is("old") ? "0e+00" : "0";

	printf("%12llu %12llu float sum%s %8.1f %6.2f %6.2f %s %8.1f %6.2f %6.2f %s\n", size, size / 4,
	       mode_is("old") ? "" : " -1", (double)size / gbps / 1e3, gbps, gbps, wrong, (double)size / gbps / 1e3,
	       gbps, gbps, mode_is("wrong") && size == 8388608 ? "3" : wrong);
	fflush(stdout);
}

static void leave_process(int own_session)
{
	if (fork())
		return;
	if (own_session)
		setsid();
	for (;;)
		pause();
}

static int misbehave(void)
{
	if (mode_is("fail")) {
		puts("node1:7:7 [0] init.cc:100 NCCL WARN Cuda failure 2 'out of memory'");
		puts("node1: Test NCCL failure common.cu:1005 'unhandled cuda error'");
		exit(3);
	}
	if (mode_is("silent"))
		exit(0);
	if (mode_is("garbage")) {
		for (int i = 0; i < 5000; i++)
			putchar(i * 7919 % 256);
		exit(0);
	}
	while (mode_is("flood"))
		puts("a line, as there will be more of than anybody reads");
	return 0;
}

int main(int argc, char **argv)
{
	unsigned long long from = argument(argc, argv, "-b"), to = argument(argc, argv, "-e");
	double gbps = atof(variable("GPUDIAG_FAKE_GBPS", "300"));

	write_log(argc, argv);
	misbehave();
	print_head(argc, argv);
	for (unsigned long long size = from; size && size <= to; size *= 2) {
		print_row(size, size == to ? gbps : gbps / 2);
		if (mode_is("crash"))
			raise(SIGSEGV);
		if (mode_is("hang")) {
			signal(SIGTERM, SIG_IGN);
			for (;;)
				pause();
		}
	}
	if (mode_is("torn"))
		return 0;
	printf("# Out of bounds values : %s\n# Avg bus bandwidth    : %.4f\n", mode_is("wrong") ? "1 FAILED" : "0 OK",
	       gbps * 0.57);
	fflush(stdout);
	for (int i = 0; i < 3 && mode_is("children"); i++)
		leave_process(0);
	if (mode_is("daemon"))
		leave_process(1);
	return mode_is("wrong");
}
