/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bmc_row.h - rows of tables about parts as they are now: racadm getsensorinfo, and the checks of nvsm show health. */
#pragma once

#include "import/bmc/bmc_event.h"

struct bmc_rows {
	const char *type;	/* of racadm's sensors, "POWER"; NULL: none */
};

/* Is it the first line of racadm's sensors of a type, or a check of NVSM? */
bool bmc_row_begins(const struct dump_line *lines, size_t nr);
/* Reads a line, and adds what it says to be wrong; false: it is no row. */
bool bmc_row_take(struct reading *reading, struct bmc_events *events, struct bmc_rows *rows, struct dump_line *line);
