/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bmc_flat.h - an entry of Dell's controllers whose fields somebody put on one line. */
#pragma once

#include <stdbool.h>

#include "base/arena.h"

struct bmc_flat {
	const char *when, *severity, *said;
};

/*
 * "Record: 12 Date/Time: 03/14/2024 09:12:33 Source: system Severity: Critical Description: …", and the fields of
 * lclog, "SeqNumber = 210 … Severity = Critical Timestamp = … Message = …". Texts are the arena's. false: it is none.
 */
bool bmc_flat_read(struct arena *arena, const char *text, struct bmc_flat *ret);
