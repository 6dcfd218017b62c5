/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log_blame.h - whom an incident points to where its event alone leaves it open: what came before it, what other GPUs
 * have, and what works beside it.
 */
#pragma once

#include "eval/log/kernel_log.h"

/* Of an Xid of that number, as its row has it. */
enum blame log_xid_blame(uint64_t number);

/* BLAME_NONE: nothing but the event itself, whose row counts. *ret_why: a sentence that says so. */
enum blame log_blame(struct arena *arena, const struct node_log *log, const struct snapshot *snapshot,
		     const struct log_incident *incident, const char **ret_why);
