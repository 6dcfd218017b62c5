/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * join.h - from the parts of all texts to one snapshot, and the account of it. Private to import.c, join*.c and
 * account.c.
 */
#pragma once

#include "import/dump/dump.h"
#include "import/import.h"

/*
 * Of a GPU counts what the better parts tell, and the address that any of them tells. Returns why they are of two
 * machines; NULL: they are of one.
 */
const char *dump_parts_join(struct snapshot *base, struct dump_parts *parts);

/* Adds the sources to the snapshot, whose parts they are. */
void dump_account_for(struct snapshot *ret, const struct dump_parts *parts, struct import_account *account);

/* ---- join_ages.c */

enum { NR_RANKS = 100 };	/* of source.def */

/* The newest part of each rank that was joined; parts come to it newest first. */
struct join_ages {
	const struct dump_parts *parts;
	struct newest_part {
		const struct dump_part *part;	/* NULL: none yet */
		const char *driver;		/* its driver's version; NULL: not told */
	} newest[NR_RANKS];
	bool has_last;				/* the two below were looked for */
	struct written_clock start;		/* of the machine or its driver, by the logs */
	struct written_clock last;		/* of all parts that show a moment, the newest */
	size_t nr_notes;			/* that one was older */
};

/*
 * Says which of two parts of a rank counts where one is older. Of an earlier boot, or of a driver that was replaced,
 * neither volatile counters nor the state of that moment are of use: they are taken out of what the older told. That a
 * GPU is lost is taken out of *base where a newer part, of whatever rank, has figures of it.
 */
void join_take_age(struct join_ages *ages, struct snapshot *base, const struct dump_part *part, struct snapshot *told);

/* ---- join_links.c */

void dump_take_links(struct snapshot *snapshot);

/* ---- join_names.c */

/*
 * Lines of lspci that were searched for, of which the command alone names the function, and functions of its tree:
 * nothing says that it is a GPU. Any other dump has a vendor or a driver, or a number or an identity.
 */
bool join_may_be_no_gpu(const struct gpu *gpu);

/*
 * The GPUs of a part whose address is known; better parts come first, and their word stands. are_gpus: the part says so
 * of each.
 */
void join_note_addresses(struct arena *arena, struct snapshot *named, const struct snapshot *part, bool are_gpus);
/* Calls the GPUs of a part by their addresses. are_any: texts tell of GPUs. */
void join_name_by_address(struct arena *arena, const struct snapshot *named, bool are_any, struct snapshot *part);
