/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lock.h - who is measuring, and who never came back.
 *
 * One file per worker target in the runtime folder: /run/gpudiag for root,
 * $XDG_RUNTIME_DIR/gpudiag for others, or what GPUDIAG_RUNTIME_DIR names. The
 * folder is made with mode 0700 and refused when somebody else owns it or may
 * write there: who can put a lock in the way keeps a run from measuring. The
 * worker itself holds the flock, so the lock lives exactly as long as the
 * process: a worker that hangs in a driver for a week is still known to the
 * run of next week.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/compat.h"

/* What the holder wrote into its lock file. */
struct lock_note {
	pid_t pid;
	uint64_t since_boot_s;		/* when it took the lock */
	unsigned deadline_ms;		/* what it was given from its start on; 0: its version did not note it */
	uint64_t said_boot_s;		/* when it noted that call; 0: its version did not */
	unsigned quiet_ms;		/* how long that call may take; 0: not known */
	char call[128];			/* the call it was last in, "" */
};

/*
 * The runtime folder, made where it is missing. 0 and the path in buf, or
 * -errno: -ENOENT there is none for this user, -EPERM somebody else owns it or may write there.
 * Without a folder a run goes on without locks.
 */
int lock_folder(char *buf, size_t size) MUST_CHECK;

/* What GPUDIAG_RUNTIME_DIR names; NULL: nothing. */
const char *lock_folder_named(void);
/* Is it this user's, and may others write there? */
bool lock_folder_is_open(const char *path);

/*
 * Takes the lock `name` (slashes and other odd characters are replaced), not
 * waiting, and notes the deadline. Returns a descriptor that holds it until it is closed or the
 * process ends; -EWOULDBLOCK: held by another, *holder says by whom as far as
 * it is known; other -errno: no lock to be had. The descriptor is
 * close-on-exec.
 */
int lock_take(const char *folder, const char *name, unsigned deadline_ms, struct lock_note *holder) MUST_CHECK;

/* Is it held? *holder filled. Takes nothing. A note of an earlier boot or a dead process counts as not held. */
bool lock_is_held(const char *folder, const char *name, struct lock_note *holder);

/*
 * Who holds it, for a sentence: "another gpudiag (pid 7)". Of one that left no note, or runs where its number says
 * nothing here (another PID namespace), or whose worker died and left the lock to a child, no number is made up.
 */
const char *lock_holder_words(const struct lock_note *holder, char *buf, size_t size);

/* The holder notes the call it is about to make, and how long that may take; 0: not known. */
void lock_note_call(int fd, const char *call, unsigned quiet_ms);
