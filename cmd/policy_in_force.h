/* SPDX-License-Identifier: GPL-2.0-or-later */
/* policy_in_force.h - which policy judges: that of --policy, else the machine's own, else the built-in one. */
#pragma once

#include "eval/policy/policy.h"

#define POLICY_OF_MACHINE "/etc/gpudiag/policy.json"
#define POLICY_BUILT_IN_WORD "built-in"

/*
 * path is the argument of --policy ("built-in": no file), or NULL. The
 * machine's own file counts only where this machine is looked at: a snapshot
 * or a tree of another one is judged the same wherever it is judged. Texts are
 * kept in the arena. Dies with status 64 where a file cannot be used.
 */
void policy_in_force(struct policy *ret, struct arena *arena, const char *path, bool is_this_machine);

/* Reads the file of that path and returns its name for messages. Dies as above, having told all that is wrong. */
const char *policy_read(struct policy *ret, struct arena *arena, const char *path);
