/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unit_back.h - services that failed and run again, as systemctl tells otherwise than by their rows: "active" of
 * is-active, and an empty list of --failed.
 */
#pragma once

#include "import/dump/dump.h"

/*
 * "slurmd.service: failed", or several, "munge.service, slurmd.service: failed", as a line of a part tells: does what
 * stands below in the text say that each of them runs?
 */
bool unit_is_back(const struct dump_parts *parts, const struct dump_part *of, unsigned line, const char *words);
