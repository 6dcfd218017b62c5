// SPDX-License-Identifier: GPL-2.0-or-later
/* bench_memory.c - bandwidth of a device's own memory: read, write, copy, triad. */
#include "base/compat.h"
#include "bench/bench.h"

#include "base/alloc.h"
#include "sys/clock.h"

enum {
	MIB = 1 << 20,
	/* Three buffers of this share of the device's memory are a fifth of it: somebody may be using the rest. */
	BUFFER_SHARE = 16,
	FREE_SHARE = 6,			/* and half of what is known to be free */
	BUFFERS = 3,
	CACHES = 4,			/* a buffer of so many last caches keeps little of itself in one */
	SMALLER = 3,			/* times that a buffer is halved where the device has no room for it */
	/*
	 * What every form's items divide: groups of ABI_LOCAL_ITEMS that read
	 * ITEM_BYTES an item.
	 */
	BUFFER_STEP = MIB / 4,
	ITEM_BYTES = BUFFER_STEP / ABI_LOCAL_ITEMS,	/* that a CPU's item reads */
	/* vectors of an item: enough to hide a group's beginning, and many groups left */
	GPU_READS = 32,
	FILL_ITEM_BYTES = 64,
	PIECE_NS = 10000000,		/* of filling: no kernel may run for long on a device of unknown speed */
	FILL_NS = 1000000000,		/* for a buffer; what is filled by then is its size */
	LONGEST_NS = 50000000,		/* of a sample: half of what might disturb a display */
	GROWTH = 8,
};
#define LEAST_HOST_BYTES ((uint64_t)2 * MIB)
#define CPU_QUICK_BYTES ((uint64_t)128 * MIB)
/* Where a CPU's items take turns each vector of one is of another place. */
#define CPU_ROWS(width) (ITEM_BYTES / ((width) * (unsigned)sizeof(float)))
/* A GPU of so much memory is one for data centres, with a cache to match: AMD's MI300X has 256 MB. */
#define LARGE_GPU_BYTES ((uint64_t)15 << 30)
#define LARGE_BUFFER_BYTES ((uint64_t)1 << 30)

struct bench_memory {
	size_t bytes;			/* of each buffer */
	cl_mem a, b, c;
	bool failed;
};

/* ---- the buffers */

static uint64_t least(uint64_t a, uint64_t b)
{
	return b && b < a ? b : a;
}

static size_t buffer_bytes(const struct bench *bench)
{
	const struct ocl_run *run = bench->run;
	uint64_t bytes = bench->plan->fine ? 2 * CPU_QUICK_BYTES : CPU_QUICK_BYTES;

	/* A CPU's cache is shared with others, and a virtual machine sees the size of the host's. */
	if (!bench->device.is_cpu) {
		if (run->global_memory_bytes >= LARGE_GPU_BYTES)
			bytes = LARGE_BUFFER_BYTES;
		if (CACHES * bench->device.cache_bytes > bytes)
			bytes = CACHES * bench->device.cache_bytes;
	}
	bytes = least(bytes, run->global_memory_bytes / BUFFER_SHARE);
	bytes = least(bytes, run->largest_buffer_bytes);
	bytes = least(bytes, bench->plan->free_bytes / FREE_SHARE);
	bytes = least(bytes, ocl_host_share(run, bench->plan, BUFFERS));
	return (size_t)(bytes / BUFFER_STEP * BUFFER_STEP);
}

/* In less than that caches are measured, and a container that is as full is to be left alone. */
static bool has_room(const struct bench *bench)
{
	return ocl_host_share(bench->run, bench->plan, BUFFERS) >= LEAST_HOST_BYTES;
}

static void release_buffers(struct bench_memory *memory)
{
	cl_mem *buffers[] = { &memory->a, &memory->b, &memory->c };

	for (size_t i = 0; i < ARRAY_SIZE(buffers); i++) {
		if (*buffers[i])
			cl.clReleaseMemObject(*buffers[i]);
		*buffers[i] = NULL;
	}
}

/*
 * Random numbers, made on the device: sending them would take longer than all
 * samples. In pieces that grow; memory->bytes shrinks to what there was time for.
 */
static bool fill(struct bench *bench, const struct ocl_kernel *kernel, cl_mem buffer, abi_u32 seed)
{
	struct bench_memory *memory = bench->memory;
	uint64_t begin_ns = clock_now_ns();
	size_t piece = BUFFER_STEP, done = 0;

	if (!ocl_arg(bench->run, kernel, 0, buffer) || !ocl_arg(bench->run, kernel, 1, seed))
		return false;
	while (done < memory->bytes && (!done || clock_now_ns() - begin_ns < FILL_NS)) {
		abi_u32 first = (abi_u32)(done / FILL_ITEM_BYTES);
		uint64_t piece_ns = clock_now_ns();

		piece = piece < memory->bytes - done ? piece : memory->bytes - done;
		if (!ocl_arg(bench->run, kernel, 2, first) ||
		    !ocl_kernel_run(bench->run, kernel, piece / FILL_ITEM_BYTES, NULL))
			return false;
		done += piece;
		piece_ns = clock_now_ns() - piece_ns;
		if (piece_ns < PIECE_NS)
			piece *= 2;
	}
	memory->bytes = done;
	return true;
}

static bool make_buffers(struct bench *bench, const struct ocl_kernel *kernel)
{
	struct bench_memory *memory = bench->memory;

	memory->b = ocl_buffer(bench->run, memory->bytes);
	memory->c = memory->b ? ocl_buffer(bench->run, memory->bytes) : NULL;
	memory->a = memory->c ? ocl_buffer(bench->run, memory->bytes) : NULL;
	/* a too: some drivers give memory only when it is first written. */
	return memory->a && fill(bench, kernel, memory->b, 1) && fill(bench, kernel, memory->c, 2) &&
	       fill(bench, kernel, memory->a, 3);
}

static bool open_buffers(struct bench *bench)
{
	struct bench_memory *memory = bench->memory;
	struct ocl_kernel kernel = { .kernel = NULL };
	char why[sizeof(bench->run->why)];
	bool made;

	if (memory)
		return !memory->failed || ocl_ok(bench->run, CL_MEM_OBJECT_ALLOCATION_FAILURE, "buffers");
	memory = bench->memory = xcalloc(1, sizeof(*memory));
	memory->bytes = buffer_bytes(bench);
	memory->failed = true;
	if (!memory->bytes)
		return ocl_ok(bench->run, CL_INVALID_BUFFER_SIZE, "device memory too small");
	memcpy(why, bench->run->why, sizeof(why));
	if (!ocl_kernel_open(bench->run, &kernel, "memory_fill"))
		return false;
	made = make_buffers(bench, &kernel);
	for (int i = 0; i < SMALLER && !made && memory->bytes >= 2 * (size_t)BUFFER_STEP; i++) {
		release_buffers(memory);
		memory->bytes = memory->bytes / 2 / BUFFER_STEP * BUFFER_STEP;
		made = make_buffers(bench, &kernel);
	}
	ocl_kernel_close(&kernel);
	/* Less room than expected is no failure: the timing says what size it is of. */
	if (made)
		memcpy(bench->run->why, why, sizeof(why));
	memory->failed = !made;
	return made;
}

/* ---- the tests */

struct stream_test {
	struct bench_kernel run;	/* first; its out is reading's: a number for each item */
	unsigned streams;		/* buffers that one run goes over */
	size_t item_bytes;		/* of each buffer, for an item */
};

static void set_size(struct bench_test *test, size_t bytes)
{
	struct stream_test *own = test->own;

	test->size_bytes = bytes;
	test->moved_bytes = own->streams * bytes;
	own->run.items = bytes / own->item_bytes;
}

/* How often the test's size fits into the longest a sample may take; 0: a call failed. */
static uint64_t room(struct bench *bench, struct bench_test *test)
{
	uint64_t best_ns = UINT64_MAX;

	/* Again if it looks slow: other load may have disturbed it. */
	for (int i = 0; i < 3 && best_ns > LONGEST_NS / GROWTH; i++) {
		uint64_t begin_ns = clock_now_ns(), ns;

		if (!bench_kernel_once(bench, test, NULL))
			return 0;
		ns = clock_now_ns() - begin_ns;
		best_ns = ns < best_ns ? ns : best_ns;
	}
	return best_ns < LONGEST_NS ? LONGEST_NS / (best_ns + 1) + 1 : 1;
}

/*
 * As much of the buffers as a sample has time for. Begins with a small part,
 * since nobody knows yet how slow the device is; the first run may include
 * compiling.
 */
static bool grow(struct bench *bench, struct bench_test *test)
{
	const size_t most = bench->memory->bytes;
	size_t bytes = BUFFER_STEP;

	set_size(test, bytes);
	if (!bench_kernel_once(bench, test, NULL))
		return false;
	while (bytes < most) {
		uint64_t factor = room(bench, test);

		if (!factor)
			return false;
		if (factor < 2)
			break;
		bytes *= factor < GROWTH ? (size_t)factor : GROWTH;
		bytes = bytes < most ? bytes : most;
		set_size(test, bytes);
	}
	return true;
}

/* What all forms of all tests begin with. prefix is the kernel's name without its width. */
static struct stream_test *open_kernel(struct bench *bench, struct bench_test *test, struct bench_form form,
				       const char *prefix)
{
	struct stream_test *own = xcalloc(1, sizeof(*own));
	char name[32];

	test->own = own;
	snprintf(name, sizeof(name), "%s_w%u", prefix, form.width);
	if (!ocl_kernel_open(bench->run, &own->run.kernel, name))
		return NULL;
	if (form.local_items)
		own->run.kernel.local_items = form.local_items;
	own->item_bytes = form.width * sizeof(float);
	test->rows = form.rows;
	test->vector_width = form.width;
	test->local_items = own->run.kernel.local_items;
	return own;
}

static bool open_read_form(struct bench *bench, struct bench_test *test, struct bench_form form)
{
	struct stream_test *own = open_kernel(bench, test, form, "memory_read");
	const struct ocl_kernel *kernel;
	abi_u32 per_item, item_step = 1, step = 1;

	if (!own)
		return false;
	kernel = &own->run.kernel;
	per_item = bench->device.is_cpu ? CPU_ROWS(form.width) : GPU_READS;
	if (form.rows == 1)
		item_step = per_item;
	else
		step = (abi_u32)kernel->local_items;
	own->item_bytes *= per_item;
	own->streams = 1;
	own->run.out = ocl_buffer(bench->run, bench->memory->bytes / own->item_bytes * sizeof(float));
	return own->run.out && ocl_arg(bench->run, kernel, 0, own->run.out) &&
	       ocl_arg(bench->run, kernel, 1, bench->memory->b) && ocl_arg(bench->run, kernel, 2, per_item) &&
	       ocl_arg(bench->run, kernel, 3, item_step) && ocl_arg(bench->run, kernel, 4, step) && grow(bench, test);
}

static bool open_write_form(struct bench *bench, struct bench_test *test, struct bench_form form)
{
	struct stream_test *own = open_kernel(bench, test, form, "memory_write");
	const struct ocl_kernel *kernel;
	const abi_f32 s = 1.0f;

	if (!own)
		return false;
	kernel = &own->run.kernel;
	own->streams = 1;
	return ocl_arg(bench->run, kernel, 0, bench->memory->a) && ocl_arg(bench->run, kernel, 1, s) &&
	       grow(bench, test);
}

static bool open_copy_form(struct bench *bench, struct bench_test *test, struct bench_form form)
{
	struct stream_test *own = open_kernel(bench, test, form, "memory_copy");
	const struct ocl_kernel *kernel;

	if (!own)
		return false;
	kernel = &own->run.kernel;
	own->streams = 2;
	return ocl_arg(bench->run, kernel, 0, bench->memory->a) &&
	       ocl_arg(bench->run, kernel, 1, bench->memory->b) && grow(bench, test);
}

static bool open_triad_form(struct bench *bench, struct bench_test *test, struct bench_form form)
{
	struct stream_test *own = open_kernel(bench, test, form, form.rows ? "triad_rows" : "triad");
	const struct ocl_kernel *kernel;
	const abi_f32 s = 3.0f;

	if (!own)
		return false;
	kernel = &own->run.kernel;
	own->streams = 3;
	own->item_bytes *= form.rows ? form.rows : 1;
	return ocl_arg(bench->run, kernel, 0, bench->memory->a) &&
	       ocl_arg(bench->run, kernel, 1, bench->memory->b) &&
	       ocl_arg(bench->run, kernel, 2, bench->memory->c) && ocl_arg(bench->run, kernel, 3, s) &&
	       grow(bench, test);
}

/* Ways to run a kernel, the likeliest first; a quick search has time for some. */
struct forms {
	const struct bench_form *items;
	size_t nr, quick;
};

static bool search(struct bench *bench, struct bench_test *test, struct forms forms,
		   bool (*open)(struct bench *bench, struct bench_test *test, struct bench_form form))
{
	if (!bench->memory && !has_room(bench)) {
		test->missing_feature = "too little host memory is free for its buffers";
		return false;
	}
	return open_buffers(bench) &&
	       bench_search(bench, test, forms.items, bench->plan->fine ? forms.nr : forms.quick, open);
}

/* 16 bytes an item on GPUs. */
static const struct bench_form gpu_forms[] = { { .width = 4 }, { .width = 2 }, { .width = 1 }, { .width = 8 } };
static const struct forms of_gpu = { gpu_forms, ARRAY_SIZE(gpu_forms), 2 };

/* A whole cache line an item on CPUs. */
static const struct bench_form cpu_forms[] = { { .width = 16 }, { .width = 8 } };
static const struct forms of_cpu = { cpu_forms, ARRAY_SIZE(cpu_forms), 1 };

/*
 * Which order a processor reads fastest in depends on it: an EPYC 9005 reads one place after the other 1.25 times as
 * fast as many at once, with pages of 4 KiB and of 2 MiB alike; on other machines many at once were the faster, by up
 * to a third.
 */
static bool open_read(struct bench *bench, struct bench_test *test)
{
	static const struct bench_form gpu[] = {
		{ .width = 4, .rows = GPU_READS }, { .width = 2, .rows = GPU_READS },
		{ .width = 1, .rows = GPU_READS }, { .width = 8, .rows = GPU_READS },
	};
	static const struct bench_form cpu[] = {
		{ .width = 16, .rows = 1 }, { .width = 16, .rows = CPU_ROWS(16) },
		{ .width = 8, .rows = 1 }, { .width = 8, .rows = CPU_ROWS(8) },
	};

	return search(bench, test, bench->device.is_cpu ? (struct forms){ cpu, ARRAY_SIZE(cpu), 2 } :
							  (struct forms){ gpu, ARRAY_SIZE(gpu), 2 }, open_read_form);
}

static bool open_write(struct bench *bench, struct bench_test *test)
{
	return search(bench, test, bench->device.is_cpu ? of_cpu : of_gpu, open_write_form);
}

static bool open_copy(struct bench *bench, struct bench_test *test)
{
	return search(bench, test, bench->device.is_cpu ? of_cpu : of_gpu, open_copy_form);
}

static bool open_triad(struct bench *bench, struct bench_test *test)
{
	static const struct bench_form cpu[] = { { .width = 16 }, { .width = 16, .rows = ABI_ROWS }, { .width = 8 } };

	return search(bench, test, bench->device.is_cpu ? (struct forms){ cpu, ARRAY_SIZE(cpu), 2 } : of_gpu,
		      open_triad_form);
}

static const struct bench_kind kinds[] = {
	{ .name = "memory-read", .method = "kernel that sums a buffer", .per_round = 1, .all_units = true,
	  .open = open_read, .once = bench_kernel_once, .close = bench_kernel_close },
	{ .name = "memory-write", .method = "kernel a = s", .per_round = 1, .all_units = true,
	  .open = open_write, .once = bench_kernel_once, .close = bench_kernel_close },
	{ .name = "memory-copy", .method = "kernel a = b", .per_round = 1, .all_units = true,
	  .open = open_copy, .once = bench_kernel_once, .close = bench_kernel_close },
	{ .name = "memory-triad", .method = "kernel a = b + s * c", .per_round = 1, .all_units = true,
	  .open = open_triad, .once = bench_kernel_once, .close = bench_kernel_close },
};

/* In a second there is time for two: what is read alone, and both ways at once. */
static bool is_wanted(const struct bench_plan *plan, const struct bench_kind *kind)
{
	return plan->memory && (plan->fine || plan->all_precisions || kind->open == open_read ||
				kind->open == open_triad);
}

void bench_add_memory(struct bench *bench)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (is_wanted(bench->plan, &kinds[i]))
			bench_add(bench, &kinds[i], NULL);
}

void bench_release_memory(struct bench *bench)
{
	if (!bench->memory)
		return;
	release_buffers(bench->memory);
	free(bench->memory);
	bench->memory = NULL;
}
