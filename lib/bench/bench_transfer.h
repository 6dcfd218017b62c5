/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench_transfer.h - memory that transfers are measured with. Private to
 * bench_transfer*.c.
 *
 * Each piece is allocated and touched when the first test that needs it is
 * opened, by the thread that measures, on the CPUs it measures on. One that
 * cannot be had keeps its reason for all tests that need it; the others go on.
 */
#pragma once

#include "bench/bench.h"

struct transfer_piece {
	bool tried;
	char why[OPENCL_WHY_BYTES];	/* what failed, if only for the larger size */
	size_t bytes;			/* 0: could not be had */
	void *host;			/* ordinary memory, or where pinned memory is mapped */
	cl_mem buffer;			/* NULL for ordinary memory */
};

struct bench_transfer {
	size_t usual_bytes;		/* of the tests without a size in their key */
	size_t largest_bytes;		/* of the largest that was asked for and can be; at least usual_bytes */
	uint64_t device_limit_bytes, host_limit_bytes;	/* for one piece */
	uint64_t timely_bytes;		/* what a copy can be of that ends in seconds */
	struct transfer_piece ordinary, pinned, device;
	struct transfer_piece back_pinned, back_device;	/* of the way back, where both go at once */
	cl_command_queue back_queue;
	struct transfer_piece node_pinned[BENCH_MAX_NODES];
};

/* bench_transfer_memory.c. What each allocates and touches; false: run->last says why. */
typedef bool transfer_make(struct bench *bench, struct transfer_piece *piece, size_t bytes);
transfer_make transfer_make_ordinary, transfer_make_pinned, transfer_make_device;

/* Decides on the sizes; once. */
struct bench_transfer *bench_transfer(struct bench *bench);

/* Can a test be of that size at all? Otherwise run->last says why not: a limit of ours, which is no failed call. */
bool transfer_allows(struct bench *bench, uint64_t size);

/*
 * Makes sure of a piece of at least so many bytes; false: run->last says why not. larger_bytes: what others will want
 * of it; it is made of that size where it can be.
 */
bool transfer_have(struct bench *bench, struct transfer_piece *piece, transfer_make *make, size_t bytes,
		   size_t larger_bytes);

/* bench_transfer_both.c */
extern const struct bench_kind bench_transfer_both;
