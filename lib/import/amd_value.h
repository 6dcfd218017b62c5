/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * amd_value.h - values of amd-smi and rocm-smi, and the fields of a GPU that they are (amd_keys.def).
 *
 *	struct amd_gpu at;
 *
 *	amd_gpu_begin(reading, &at, line, index, address or NULL);
 *	amd_take(reading, &at, AMD_SMI, "temperature/edge", "41 C", line);	as often as there are values
 *	amd_gpu_end(reading, &at);
 */
#pragma once

#include "import/dump.h"

enum amd_tool { AMD_SMI, ROCM_SMI };

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

/*
 * The GPU of that number in the tool's lists; address: NULL where it is not told. A GPU of the part that has the number
 * goes on.
 */
void amd_gpu_begin(struct reading *reading, struct amd_gpu *at, struct dump_line *line, uint64_t index, const char *address);
/* Takes a value, "41 C"; path: in small letters. false: no field holds it. */
bool amd_take(struct reading *reading, struct amd_gpu *at, enum amd_tool tool, const char *path, const char *value,
	      struct dump_line *line);
/* Of list `state` ("retired", "pending", "un_res") of bad pages: one more page, or the words that there is none. */
bool amd_take_bad_pages(struct amd_gpu *at, const char *state, uint64_t pages, struct dump_line *line);
/* All uncorrected errors of its blocks together. */
bool amd_take_total(struct amd_gpu *at, const char *value, struct dump_line *line);
/* The state of one of its xGMI links: U up, D down, X none. */
void amd_take_link(struct reading *reading, struct amd_gpu *at, uint64_t number, char state, struct dump_line *line);
/* Of a block's counters, from rocm-smi's table. */
void amd_take_block(struct reading *reading, struct amd_gpu *at, const char *block, uint64_t corrected, uint64_t uncorrected,
		    struct dump_line *line);
/* Its values are over. */
void amd_gpu_end(struct reading *reading, struct amd_gpu *at);

/* In small letters, with a blank or "_" as it is. */
const char *amd_small_letters(struct arena *arena, const char *text, size_t len);
