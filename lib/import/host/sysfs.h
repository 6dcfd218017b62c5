/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sysfs.h - files of /sys and /proc in a paste, for whoever reads such files: lines and prompts become paths and bytes.
 */
#pragma once

#include "import/dump/dump.h"

/* Does a command print one file of /sys or /proc, and nothing else? Without it nothing tells whose its lines are. */
bool sysfs_is_command(const char *command);

/*
 * The files in all parts of that kind, in the arena. Links that a paste cannot have are added, as far as paths and
 * uevent tell where devices stand. gpus: addresses that other parts call GPUs. is_alone: they name no GPU at all; then
 * a device whose class was not pasted is one if its link was.
 */
struct import_file *sysfs_files(struct arena *arena, const struct dump_parts *parts, const struct strs *gpus,
				size_t *ret_nr, struct strs *ret_notes);

/* What stands for the address of a card whose own is not in the paste; its number is the device's. */
#define SYSFS_CARD_ADDRESS "fffe:00:%02x.0"
/* Puts right what was made up for the sake of reading: classes, and addresses. */
void sysfs_settle(struct arena *arena, const struct import_file *files, size_t nr, struct snapshot *told);
