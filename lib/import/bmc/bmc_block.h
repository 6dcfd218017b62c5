/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bmc_block.h - a sensor of a management controller in lines of its own, as it is now. */
#pragma once

#include "import/bmc/bmc_event.h"

struct bmc_block {
	const char *sensor;	/* NULL: none began */
	const char *type;	/* "Power Supply"; NULL: not told */
	const char *reading;	/* "98 degrees C" */
	bool in_states;		/* the lines that follow tell more of what is asserted */
	size_t column;		/* in which the first of them stands */
};

/* Does such a sensor begin? */
bool bmc_block_begins(const char *text);
/* Reads a line, and adds what it says to be wrong, or well; false: it is none of such a sensor. */
bool bmc_block_take(struct reading *reading, struct bmc_events *events, struct bmc_block *block,
		    struct dump_line *line);
