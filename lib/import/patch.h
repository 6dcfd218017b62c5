/* SPDX-License-Identifier: GPL-2.0-or-later */
/* patch.h - messages of patches among the lines of a text: the log in one is of a machine that its author had. */
#pragma once

#include "import/dump.h"

struct patch_message {
	size_t begin, end;	/* lines [begin, end) are the message, with its trailers */
};

/* The next one that ends behind `from`; false: there is none. */
bool patch_message_next(const struct dump_line *lines, size_t nr, size_t from, struct patch_message *ret);
