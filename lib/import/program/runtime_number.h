/* SPDX-License-Identifier: GPL-2.0-or-later */
/* runtime_number.h - errors of the runtimes that a program prints by their numbers alone. */
#pragma once

#include "import/program/runtime_error.h"

/* Where a line prints such a number as its error, from the call or the runtime's name on, or NULL. */
const char *runtime_number_find(const char *text, struct runtime_error *ret);
