// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * host_load.c - what a host does while its GPUs wait: loads of gpudiag watch, each until it is ended.
 *
 *	host_load peg [PERCENT]		one thread that computes, for that part of each 100 ms
 *	host_load loaders NR [PERCENT]	a parent that sleeps above processes that compute, as data loaders decode
 *	host_load yield			a thread that waits as CUDA and NCCL do: always ready, giving way each time
 *	host_load read FOLDER BYTES	every file of a folder again and again, in reads of that size
 *	host_load write FILE MIB PAUSE_MS	that much written and synchronised, then a pause, over the same file again
 *	host_load map FILE		each page of a file through a mapping, in an order that no read-ahead follows
 */
#include "base/compat.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PERIOD_US = 100000, PAGE = 4096, MIB = 1024 * 1024 };

static double now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static int fail(const char *what)
{
	fprintf(stderr, "host_load: %s: %s\n", what, strerror(errno));
	return 1;
}

static _Noreturn void peg(double percent)
{
	volatile uint64_t sum = 0;

	for (;;) {
		double until_us = now_us() + PERIOD_US * percent / 100.0;

		while (now_us() < until_us)
			for (unsigned i = 0; i < 10000; i++)
				sum += i * sum;
		if (percent < 100.0)
			usleep((useconds_t)(PERIOD_US * (100.0 - percent) / 100.0));
	}
}

static int start_loaders(unsigned long nr, double percent)
{
	for (unsigned long i = 0; i < nr; i++) {
		pid_t child = fork();

		if (child < 0)
			return fail("fork");
		if (child)
			continue;
		prctl(PR_SET_PDEATHSIG, 9);
		peg(percent);
	}
	for (;;)
		pause();
}

static _Noreturn void yield(void)
{
	for (;;)
		sched_yield();
}

/* ---- files */

static int read_one(int folder, const char *name, char *buf, size_t size)
{
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return fail(name);
	while (read(fd, buf, size) > 0)
		;
	close(fd);
	return 0;
}

static int read_all(const char *path, size_t size)
{
	DIR *folder = opendir(path);
	char *buf = malloc(size);

	while (folder && buf) {
		const struct dirent *entry;

		rewinddir(folder);
		while ((entry = readdir(folder)))
			if (entry->d_name[0] != '.' && read_one(dirfd(folder), entry->d_name, buf, size))
				return 1;
	}
	return fail(path);
}

static int write_again(const char *path, size_t mib, useconds_t pause_ms)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	char *block = malloc(MIB);

	if (fd < 0 || !block)
		return fail(path);
	memset(block, 'x', MIB);
	for (;;) {
		for (size_t i = 0; i < mib; i++)
			if (pwrite(fd, block, MIB, (off_t)(i * MIB)) != MIB)
				return fail(path);
		if (fsync(fd))
			return fail(path);
		usleep(pause_ms * 1000);
	}
}

static int map(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	const volatile char *at;
	size_t pages, sum = 0;

	if (fd < 0 || fstat(fd, &st) || st.st_size < PAGE)
		return fail(path);
	at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		return fail(path);
	madvise((void *)(uintptr_t)at, (size_t)st.st_size, MADV_RANDOM);
	pages = (size_t)st.st_size / PAGE;
	for (size_t i = 0;; i++)
		sum += (size_t)at[(i * 7919 % pages) * PAGE];
}

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "";

	if (!strcmp(word, "peg"))
		peg(argc > 2 ? (double)strtoul(argv[2], NULL, 10) : 100.0);
	if (!strcmp(word, "loaders") && argc > 2)
		return start_loaders(strtoul(argv[2], NULL, 10), argc > 3 ? (double)strtoul(argv[3], NULL, 10) : 100.0);
	if (!strcmp(word, "yield"))
		yield();
	if (!strcmp(word, "read") && argc > 3)
		return read_all(argv[2], strtoul(argv[3], NULL, 10));
	if (!strcmp(word, "write") && argc > 4)
		return write_again(argv[2], strtoul(argv[3], NULL, 10), (useconds_t)strtoul(argv[4], NULL, 10));
	if (!strcmp(word, "map") && argc > 2)
		return map(argv[2]);
	fprintf(stderr, "usage: host_load peg|loaders|yield|read|write|map …\n");
	return 64;
}
