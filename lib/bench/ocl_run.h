/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ocl_run.h - one device at work. Private to ocl_run*.c and bench*.c.
 *
 * ocl_run.c opens the device and builds the program; ocl_run_answer.c and
 * bench.c put it to work, by the calls of ocl_device.c. Each goes through
 * ocl_ok(), which keeps the first failure, for the worker's end, and the last
 * one, for the value that it left without an answer.
 */
#pragma once

#include "bench/bench_plan.h"
#include "kernels/abi.h"
#include "probe/opencl/opencl.h"

struct ocl_run {
	struct sink *sink;
	const char *key;		/* "opencl:pocl.icd:0" */
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;		/* with event stamps where the driver has them */
	cl_program program;

	/* of the device; 0 where it does not say */
	uint64_t compute_units;
	uint64_t vector_width;		/* floats in one of its registers: 1 on GPUs */
	uint64_t global_memory_bytes;
	uint64_t largest_buffer_bytes;
	bool rounds_to_nearest, has_fma;	/* single precision */
	bool has_host_memory;		/* its memory is the host's: a CPU, an integrated GPU */

	const volatile int *please_end;	/* set when the run is interrupted */
	uint64_t begin_ns;
	uint64_t deadline_ns;		/* when the worker is killed; 0: never */

	char why[OPENCL_WHY_BYTES];	/* the first failure, "" */
	char last[OPENCL_WHY_BYTES];	/* the last one, "" */
};

/* Did the call do? Otherwise notes "call: error". */
bool ocl_ok(struct ocl_run *run, cl_int error, const char *call);

/*
 * Was the run interrupted, or would something that takes another ms meet the worker's deadline? To be asked between
 * two pieces of work, which may then end with what they have.
 */
bool ocl_is_to_end(const struct ocl_run *run, uint64_t ms);

/* Says what is about to be called. */
void ocl_step(struct ocl_run *run, const char *format, ...) PRINTF_LIKE(2, 3);

/* The device's facts still to be sent. Ask again after each sink_flush(). */
struct ocl_device *ocl_facts(struct ocl_run *run);

/* A kernel with the work-group size it is run with, ABI_LOCAL_ITEMS or what the device can. */
struct ocl_kernel {
	cl_kernel kernel;
	size_t local_items;
};
bool ocl_kernel_open(struct ocl_run *run, struct ocl_kernel *ret, const char *name);
void ocl_kernel_close(struct ocl_kernel *kernel);
/* Sets one argument of a kernel. */
#define ocl_arg(run, kernel, at, value) ocl_arg_((run), (kernel), (at), sizeof(value), &(value))
bool ocl_arg_(struct ocl_run *run, const struct ocl_kernel *kernel, cl_uint at, size_t size, const void *value);
/*
 * Runs it on a number of items, a multiple of its local_items or less, and waits for its end. ret_event: where its
 * event goes, for the caller to release; may be NULL.
 */
bool ocl_kernel_run(struct ocl_run *run, const struct ocl_kernel *kernel, size_t items, cl_event *ret_event);

/* The same without waiting: clFinish() is the caller's. */
bool ocl_kernel_start(struct ocl_run *run, const struct ocl_kernel *kernel, size_t items);

cl_mem ocl_buffer(struct ocl_run *run, size_t bytes);
/*
 * The most that one of so many buffers at once may have, where the device's memory is the host's: a quarter of what is
 * free for all of them, since compilers and other tests need some too. UINT64_MAX: no such limit.
 */
uint64_t ocl_host_share(const struct ocl_run *run, const struct bench_plan *plan, unsigned buffers);

/* The pieces of work. Each fills in ocl_facts() and notes in run->why what failed. */
void ocl_run_answer(struct ocl_run *run, const struct bench_plan *plan);
void ocl_run_timing(struct ocl_run *run, const struct bench_plan *plan);
void ocl_run_memory_test(struct ocl_run *run, const struct bench_plan *plan);
void ocl_run_sustained(struct ocl_run *run, const struct bench_plan *plan);
