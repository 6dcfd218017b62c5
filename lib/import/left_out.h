/* SPDX-License-Identifier: GPL-2.0-or-later */
/* left_out.h - lines of a text that say nothing of a machine under test, whatever they hold. */
#pragma once

#include "import/dump.h"

struct left_out {
	size_t begin, end;	/* lines [begin, end) */
};

/* The next ones that end behind `from`; false: there are none. */
bool left_out_next(const struct dump_line *lines, size_t nr, size_t from, struct left_out *ret);
