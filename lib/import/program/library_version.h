/* SPDX-License-Identifier: GPL-2.0-or-later */
/* library_version.h - is a library of NVIDIA's driver, as a line names it, of another version than the module? */
#pragma once

#include "import/dump/dump.h"

/* The module of a text. One that is zero knows nothing yet. */
struct library_module {
	const char *version;	/* NULL: it names none, or several, or is of several machines */
	bool is_asked;
};

/* The module's version; NULL: they are of one, or either is not told. */
const char *library_other_module(const struct reading *reading, struct library_module *module, const char *text);
