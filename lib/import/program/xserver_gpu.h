/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xserver_gpu.h - of which GPU the log of an X server is. */
#pragma once

#include "import/dump/dump.h"

/* Its address; NULL: the log lists none, or several and does not tell which. */
const char *xserver_gpu(struct arena *arena, const struct dump_part *part);

/*
 * "0000:3c:00.0, whose BusID "PCI:3c:0:0" is to be PCI:60:0:0": settings in the text name it by hexadecimal numbers, as
 * lspci prints them, and the server reads decimal ones. NULL: none do.
 */
const char *xserver_bus_id(const struct reading *reading);

/* Does that list begin here, in the log of a server that ended without a screen? */
bool xserver_list_begins(const struct dump_line *lines, size_t nr);
