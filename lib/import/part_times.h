/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * part_times.h - when the parts of all texts were taken: by what a tool prints above its output, by a `date` above it,
 * by the newest line of a log. A part without a date has the one above it in its file, or else the first below it.
 *
 * Most times have no zone. Of two of which one has a zone and the other has none, nothing within half a day tells which
 * is the later. Where a `date` with a zone above an output tells the same moment, the output has that zone.
 */
#pragma once

#include "import/dump/dump.h"

void dump_parts_date(struct arena *arena, struct dump_parts *parts);

/* What goes by order where nothing is dated: a part without a date counts as the newest of those before it. */
int64_t part_time_in_order(const struct dump_part *part, int64_t *newest_s);

/* Does it show how things are at one moment? Others are logs, results, or files of any age. */
bool part_shows_moment(const struct dump_part *part);

/* Is the other so much older that it was not taken with this one, which shows a moment? Where both are dated. */
bool part_time_is_older(const struct dump_part *part, const struct dump_part *other);

/* When the machine, or NVIDIA's driver, last started by what the logs say. */
struct written_clock part_times_last_start(const struct dump_parts *parts);
