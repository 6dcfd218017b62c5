/* SPDX-License-Identifier: GPL-2.0-or-later */
/* network_port.h - ports and interfaces of a text, of which no more are kept than a few nodes have. */
#pragma once

#include "import/dump/dump.h"

enum { MOST_PORTS = 256 };

/* The one of that name, made where it is missing; NULL: there are too many already. */
struct network_interface *network_port(struct reading *reading, const char *key);
