/* SPDX-License-Identifier: GPL-2.0-or-later */
/* own_path.h - may what is at that path be trusted with root's rights? */
#pragma once

#include <stdbool.h>

/*
 * Where root runs this, only if nobody else can put another thing there: each folder on the way, each link and what
 * they lead to are root's, and no other user may write them, but in a sticky folder. True where nothing is there, and
 * for whoever is not root of the machine (root of a user namespace is not).
 */
bool path_is_own(const char *path);
