/* SPDX-License-Identifier: GPL-2.0-or-later */
/* collective_hint.h - where all_reduce_perf may be, and how to get it. */
#pragma once

#include "base/compat.h"

/* Says both on standard error, and exits with status 64. Runs nothing. */
NORETURN void die_no_collective_program(void);
