/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * smi_list_apart.h - whether NVIDIA's list and the bus, both by dumps, are of one look at one machine. Only then does a
 * list that is shorter than the bus prove anything: a container and a job have some of the GPUs, also where no prompt
 * tells that one was entered.
 */
#pragma once

#include "import/dump/dump.h"

/* Puts nvml.list_apart where they are not. */
void smi_list_compare(struct snapshot *snapshot, const struct dump_parts *parts);
