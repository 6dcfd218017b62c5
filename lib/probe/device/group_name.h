/* SPDX-License-Identifier: GPL-2.0-or-later */
/* group_name.h - a group's name by its number. */
#pragma once

#include "probe/probe.h"

/*
 * From the text of /etc/group, the first line of that number. The name service
 * is not asked: it may ask the network, and hang.
 */
struct val_str group_name(struct arena *arena, const char *text, uint64_t id);
