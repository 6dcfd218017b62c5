/* SPDX-License-Identifier: GPL-2.0-or-later */
/* library_version.h - is a library of NVIDIA's driver, as a line names it, of another version than the module? */
#pragma once

#include "import/dump/dump.h"

/* The module's version, of the last time that the text has it; NULL: they are of one, or either is not told. */
const char *library_other_module(const struct reading *reading, const char *text);
