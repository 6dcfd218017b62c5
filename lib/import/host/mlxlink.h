/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mlxlink.h - a port as mlxlink and mstlink print it. */
#pragma once

#include "import/host/rdma_line.h"

struct mlxlink {
	const char *about;		/* the command, which alone names the device; NULL: not told */
	const struct rdma_line *named;	/* which port is which interface */
	size_t nr_named;

	const char *key;		/* of the port; NULL: none */
	const char *device;		/* NULL: the command names none of RDMA's */
	size_t nr_unnamed;
	double lane_gbps;		/* of InfiniBand; 0: not told */
	bool is_active, has_symbols, has_state;
	bool is_lone;			/* no interface of it is told */
};

/* Does a section of it begin? */
bool mlxlink_begins(const struct dump_line *lines, size_t nr);
/* Reads the first of nr lines; false: it is none of mlxlink's. */
bool mlxlink_take(struct reading *reading, struct mlxlink *port, struct dump_line *line, size_t nr);
