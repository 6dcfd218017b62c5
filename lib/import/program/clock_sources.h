/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clock_sources.h - the table of "chronyc sources", of which no server answers. */
#pragma once

#include "import/dump/dump.h"

/* Do these lines begin with the head of such a table, below which no server was reached? */
bool clock_sources_begins(const struct dump_line *lines, size_t nr);

/* Puts it, as an error of the node's clock. */
void clock_sources_read(struct reading *reading, size_t at);
