/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iblinkinfo.h - links of an InfiniBand fabric, as iblinkinfo prints them from one of their ends. */
#pragma once

#include "import/dump/dump.h"

/* Is it such a link, up or down? */
bool iblinkinfo_is_link(const char *text);
/* Puts one that is slower than both its ends can be; false: the line is no link. */
bool iblinkinfo_take(struct reading *reading, struct dump_line *line);
