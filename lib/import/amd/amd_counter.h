/* SPDX-License-Identifier: GPL-2.0-or-later */
/* amd_counter.h - what amd-smi and rocm-smi count of a GPU: errors by block, bad pages, xGMI links. */
#pragma once

#include "import/dump/dump.h"

/* A count and the line it stands on; NULL: it was not told. */
struct amd_count {
	uint64_t value;
	struct dump_line *line;
};

/* A GPU whose values are being read. */
struct amd_gpu {
	struct gpu *gpu;
	struct amd_count total_uncorrected, total_corrected, total_deferred;
	struct amd_count pages, pending_pages, unretired_pages;
	const char *board_vendor, *board;	/* ids of its subsystem */
	struct dump_line *no_edge, *no_edge_limit;	/* where the tool says that there is no such sensor */
	struct dump_line *width_able;	/* of its PCIe link */
	uint64_t lanes_able;
};

/* A counter by its path, "ecc_blocks/umc/uncorrectable_count"; false: it is none. */
bool amd_take_counter(struct reading *reading, struct amd_gpu *at, const char *path, const char *value,
		      struct dump_line *line);
/* Of list `state` ("retired", "pending", "un_res") of bad pages: one more page, or the words that there is none. */
bool amd_take_bad_pages(struct amd_gpu *at, const char *state, uint64_t pages, struct dump_line *line);
/* The list that a page is of by its own status ("PENDING", "RESERVED"), which is nearer to it than where it stands. */
const char *amd_list_of_page(const char *status, const char *list);
/* All uncorrected errors of its blocks together. */
bool amd_take_total(struct amd_gpu *at, const char *value, struct dump_line *line);
/* The state of one of its xGMI links: U up, D down, X none. */
void amd_take_link(struct reading *reading, struct amd_gpu *at, uint64_t number, char state, struct dump_line *line);
/* Of a block's counters, from rocm-smi's table. */
void amd_take_block(struct reading *reading, struct amd_gpu *at, const char *block, uint64_t corrected,
		    uint64_t uncorrected, struct dump_line *line);
/* The GPU's values are over: what its counters amount to. */
void amd_counters_end(struct reading *reading, struct amd_gpu *at);

bool amd_is_instinct(const struct gpu *gpu);
