/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machines.h - are two snapshots of one machine? By the machine's serial
 * number, else the boot they are of, else a GPU that both have, else the host's name.
 */
#pragma once

#include "base/arena.h"
#include "snapshot/snapshot.h"

enum machines {
	MACHINES_ONE,
	MACHINES_TWO,
	MACHINES_UNTOLD,	/* nothing tells: one of the two is redacted, both with other pseudonyms, or nameless */
};

enum machines machines_match(struct arena *arena, const struct snapshot *a, const struct snapshot *b);
