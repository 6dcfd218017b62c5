/* SPDX-License-Identifier: GPL-2.0-or-later */
/* port_counter.h - error counters of ports, as perfquery, ibqueryerrors and ethtool -S print them. */
#pragma once

#include "import/dump/dump.h"

struct port_counter {
	const char *about;	/* the command, which may name the device; NULL: not told */
	const char *key;	/* of the port that lines stand below; NULL: none */
	const char *node;	/* of ibqueryerrors: whose ports they are */
	uint64_t seconds;	/* since it was read before; 0: it was not */
	struct network_interface before;
};

/* Is it the first line of a port? */
bool port_counter_begins(const char *text);
/* Reads a line; false: it is none of such a port. */
bool port_counter_take(struct reading *reading, struct port_counter *port, struct dump_line *line);
/* "symbol_error:12", a file of counters/ with what is in it, without its folder; false: it is of no error. */
bool port_counter_put_file(struct reading *reading, struct network_interface *interface, struct dump_line *line,
			   const char *text);
