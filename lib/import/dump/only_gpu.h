/* SPDX-License-Identifier: GPL-2.0-or-later */
/* only_gpu.h - the GPU of a text that names no other: what its lines tell without a name, they tell of that one. */
#pragma once

#include "import/dump/dump.h"

/*
 * Its PCI address or UUID, else the number that whoever wrote it gave it, in the reading's arena. NULL: the reading's
 * file names none, or several, or is too long to be about one.
 */
const char *only_gpu_of(const struct reading *reading);
