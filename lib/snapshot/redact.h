/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * redact.h - a snapshot that can be given away: whose machine it is and who
 * works on it is taken out, and it is judged as before.
 *
 * The privacy column of the field table says what goes:
 *
 *  - A value of a machine, a device or a person becomes a pseudonym of its
 *    kind: a UUID another UUID, a number another number, a name
 *    "anon-3f9c01d277ab". The same value gets the same one wherever it stands,
 *    and in every snapshot redacted with the same key; without the key nobody
 *    can find the value by trying all there are. Number 0, which is root, and
 *    words that are everybody's (programs by name) stay.
 *  - Where such a value, a home folder's name or any UUID stands inside
 *    another text, in reasons, keys and paths, it is replaced there as well; so
 *    are folders that not every machine has, and interfaces that are named
 *    after their hardware address.
 *  - A port that the tools of a fabric name by its node ("node7 mlx5_0 port 1") is "anon-… mlx5_0 port 1".
 *  - Of the kernel's command line the names of options stay, and the values of
 *    those that have to do with devices, CPUs and memory. Of the environment
 *    names stay, and values that are numbers or well-known folders. Of gpudiag's
 *    own arguments options stay without what was given to them.
 *  - Lines of the kernel's log that no event is in are left out; of the others
 *    only what their forms know stays (eval/log/redact_log.h).
 *  - What a library or compiler printed may hold anything, and goes as a whole.
 *
 * A name shorter than three letters is replaced in its own place only; so is
 * one that is also a word of this snapshot's drivers or models ("nvidia"), or
 * a check would read something else than before.
 */
#pragma once

#include "base/siphash.h"
#include "snapshot/snapshot.h"

struct redact_options {
	/* Rewrites the lines of the kernel's log, before all else; NULL: none of them stays. */
	void (*rewrite_log)(struct snapshot *snapshot, const struct redact_options *options);
	uint8_t key[SIPHASH_KEY_BYTES];		/* a secret, of the machine where it can be */
	const char *const *common_words;	/* texts that are everybody's; ends with NULL, or NULL itself */
	const char *const *vocabulary;		/* words that a check reads in texts; ends with NULL, or NULL itself */
};

/* Does it in place. A snapshot that is redacted already is left as it is. */
void snapshot_redact(struct snapshot *snapshot, const struct redact_options *options);

/* A pseudonym of the text's kind; the text itself where it is everybody's. */
const char *redact_pseudonym(struct arena *arena, const struct redact_options *options, const char *text);
