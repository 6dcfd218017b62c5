/* SPDX-License-Identifier: GPL-2.0-or-later */
/* paths.h - where a path leads once every link on it is followed. */
#pragma once

#include "probe/probe.h"

/*
 * The path without links, "." and "..", in the arena; inside the tree for a
 * recorded one. NULL where it leads nowhere, or in a circle.
 */
const char *resolved_path(struct probe_env *env, struct arena *arena, const char *path);
