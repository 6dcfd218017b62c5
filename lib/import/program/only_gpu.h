/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * only_gpu.h - of errors whose lines name no GPU the one that the rest of their text names, where it names no other and
 * is of one machine.
 */
#pragma once

#include "import/dump/dump.h"

/* Puts it with each such error of a program. */
void only_gpus_put(struct snapshot *snapshot, const struct dump_parts *parts);
