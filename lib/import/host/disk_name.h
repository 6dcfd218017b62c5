/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disk_name.h - which disk an output is of that does not say so itself: the command above it does, or the file it is
 * in.
 */
#pragma once

#include "import/dump/dump.h"

/*
 * "nvme0" of "/dev/nvme0n1 ", its controller's name as /sys/class/nvme has it, and "sda" of "/dev/sda1"; NULL: the text
 * does not begin with a disk's name.
 */
const char *disk_name(struct arena *arena, const char *text);

/*
 * Of the command "smartctl -d megaraid,4 -a /dev/sda" it is "sda (megaraid,4)"; NULL: nothing tells, or it names
 * several.
 */
const char *disk_name_of_part(struct arena *arena, const struct dump_part *part);

/*
 * What stands for the name of one that nothing tells: "nvmeX", "nvmeX.2" in the second such part of a text, "nvmeX.2-3"
 * of the third disk there. nr_before: how many the part told of before.
 */
const char *disk_name_for_unknown(const struct reading *reading, const char *stem, unsigned nr_before);

bool disk_name_is_nvme(const char *name);
