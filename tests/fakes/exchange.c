// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * exchange.c - a user who would like to have what root writes: exchanges
 * names in a folder as fast as it can, so that what is looked at under a name
 * is not what is written a moment later.
 *
 *	exchange UID FOLDER NAME SECONDS TURNS
 *
 * Takes that user id, then puts in turns a file that everybody may write, a
 * link to ../kept and one to a file of its own under the name. After so many
 * turns (0: never) it leaves the name free for a moment, so that root takes it.
 * Says how often it held the name.
 */
#include "base/compat.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 200, QUIET_NS = 1000000 };

static int64_t now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

static void make(const char *name, unsigned kind)
{
	int fd;

	if (kind && !symlink(kind == 1 ? "../kept" : "bait", name))
		return;
	fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (fd >= 0 && !fchmod(fd, 0666))
		close(fd);
}

int main(int argc, char **argv)
{
	long turns = argc == 6 ? strtol(argv[5], NULL, 10) : 0;
	uint32_t id = argc == 6 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0;
	char own[2][64];
	uint64_t held = 0;
	int64_t end;

	if (!id || setgroups(0, NULL) || setresgid(id, id, id) || setresuid(id, id, id) || chdir(argv[2]))
		return 1;
	umask(0);
	for (unsigned i = 0; i < 2; i++)
		snprintf(own[i], sizeof(own[i]), "own-%d-%u", (int)getpid(), i);
	make("bait", 0);
	end = now_s() + strtol(argv[4], NULL, 10);
	for (unsigned turn = 0; now_s() < end; turn++) {
		make(own[0], turn % 3);
		make(own[1], (turn + 1) % 3);
		for (unsigned i = 0; i < ROUNDS; i++) {
			if (!renameat2(AT_FDCWD, own[0], AT_FDCWD, argv[3], RENAME_NOREPLACE))
				held++;
			held += !renameat2(AT_FDCWD, own[1], AT_FDCWD, argv[3], RENAME_EXCHANGE);
			held += !renameat2(AT_FDCWD, own[0], AT_FDCWD, argv[3], RENAME_EXCHANGE);
		}
		unlink(argv[3]);
		if (turns && turn % turns == 0)
			nanosleep(&(struct timespec){ .tv_nsec = QUIET_NS }, NULL);
		unlink(own[0]);
		unlink(own[1]);
	}
	printf("%" PRIu64 "\n", held);
	return 0;
}
