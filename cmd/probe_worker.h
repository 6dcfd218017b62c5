/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "sys/root.h"

/* What the hidden command does, in a fork. tree: a recorded tree that is open already; NULL: as the arguments say. */
int probe_worker_run(int argc, char **argv, const struct root *tree);
