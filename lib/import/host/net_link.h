/* SPDX-License-Identifier: GPL-2.0-or-later */
/* net_link.h - links of network interfaces, as ethtool and ip link tell of them. */
#pragma once

#include "import/dump/dump.h"

enum { MOST_LINK_SPEEDS = 16 };

struct net_link {
	/* Of ethtool: the interface that lines stand below, NULL: none; and how fast it is offered to be. */
	const char *key;
	enum { NO_MODES, OWN_MODES, OTHER_MODES } modes;
	uint64_t own_mbps[MOST_LINK_SPEEDS];
	size_t nr_own, nr_lines, indent;
	uint64_t able_mbps;		/* the fastest that both ends offer; 0: not told */

	struct strs members;		/* of bonds, by ip link */
};

/* Is it the first line of an interface? */
bool net_link_begins(const struct dump_line *lines, size_t nr);
/* Reads a line; false: it is none of an interface. */
bool net_link_take(struct reading *reading, struct net_link *link, struct dump_line *line);
