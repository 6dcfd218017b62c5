// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ocl_run.c - puts one OpenCL device to work: builds the kernels, runs the
 * one whose answer is known, and measures. Says only what the inventory
 * (opencl_inventory.c) cannot: a scalar is said once.
 */
#include "base/compat.h"
#include "bench/ocl_run.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "base/text.h"
#include "probe/probe_table.h"
#include "probe/system/host_room.h"
#include "snapshot/under_test.h"
#include "sys/clock.h"
#include "sys/worker.h"

/*
 * kernels/, which the build turns into strings (kernels/embed.sh), as the compiler of a device gets them: abi.h, then
 * every .cl file by name. All kernels but the memory test's are one program: building costs by the program, not by the
 * kernel (PoCL takes 20 ms for the second program of a process, nothing for the second kernel of one).
 */
extern const char embedded_kernels_abi_h[];
extern const char embedded_kernels_chains_cl[];
extern const char embedded_kernels_known_answer_cl[];
extern const char embedded_kernels_launch_cl[];
extern const char embedded_kernels_memory_cl[];
extern const char embedded_kernels_triad_cl[];
static const char *const kernel_sources[] = {
	embedded_kernels_abi_h,
	embedded_kernels_chains_cl,
	embedded_kernels_known_answer_cl,
	embedded_kernels_launch_cl,
	embedded_kernels_memory_cl,
	embedded_kernels_triad_cl,
};

enum {
	BUILD_LOG_BYTES = 4096,
	COMPILE_MS = 60000,		/* some compilers take a minute for their first kernel */
	COMPILE_BYTES = 112 << 20,	/* what PoCL's compiler was seen to take */
	WORK_MS = 20000,		/* any other call: a thousand times what a healthy device takes */
};
#define NS_PER_MS UINT64_C(1000000)

/* ---- opening the device */

static uint64_t number_of(struct ocl_run *run, cl_uint property, const char *name)
{
	const struct opencl_asked asked = { .sink = run->sink, .device = run->device, .label = run->key };

	return u64_or(opencl_u64_(&asked, property, name), 0);
}

static bool find_device(struct ocl_run *run, enum probe_outcome *ret)
{
	struct opencl_list list;
	const char *icd;
	uint64_t place;

	*ret = PROBE_UNAVAILABLE;
	if (opencl_parse_key(&run->sink->facts.arena, run->key, &icd, &place)) {
		snprintf(run->why, sizeof(run->why), "\"%s\" names no OpenCL device", run->key);
		return false;
	}
	if (opencl_load(run->sink, run->why))
		return false;
	*ret = opencl_list_platforms(run->sink, &list, run->why);
	if (*ret == PROBE_OK)
		*ret = opencl_list_devices(run->sink, &list, run->why);
	/* Where a platform fails now, places shift, and another device would answer to this key. */
	if (*ret != PROBE_OK)
		return false;
	if (place >= list.nr_devices) {
		*ret = PROBE_UNAVAILABLE;
		snprintf(run->why, sizeof(run->why), "not there any more: %s lists %u now", icd, list.nr_devices);
		return false;
	}
	run->device = list.devices[place].device;
	return true;
}

static void ask_kind(struct ocl_run *run)
{
	const struct opencl_asked asked = { .sink = run->sink, .device = run->device, .label = run->key };
	cl_device_fp_config floats = 0;
	cl_device_type type = 0;
	cl_bool is_shared = CL_FALSE;
	struct val_head no;

	if (!opencl_bytes(&asked, CL_DEVICE_SINGLE_FP_CONFIG, "CL_DEVICE_SINGLE_FP_CONFIG", &floats, sizeof(floats),
			  &no)) {
		run->rounds_to_nearest = (floats & CL_FP_ROUND_TO_NEAREST) != 0;
		run->has_fma = (floats & CL_FP_FMA) != 0;
	}
	/* Unknown: treated as host memory, of which less is used. */
	run->has_host_memory =
		opencl_bytes(&asked, CL_DEVICE_TYPE, "CL_DEVICE_TYPE", &type, sizeof(type), &no) ||
		!(type & CL_DEVICE_TYPE_GPU) ||
		opencl_bytes(&asked, CL_DEVICE_HOST_UNIFIED_MEMORY, "CL_DEVICE_HOST_UNIFIED_MEMORY", &is_shared,
			     sizeof(is_shared), &no) ||
		is_shared;
}

static bool open_device(struct ocl_run *run)
{
	cl_int error;

	run->compute_units = number_of(run, CL_DEVICE_MAX_COMPUTE_UNITS, "CL_DEVICE_MAX_COMPUTE_UNITS");
	run->vector_width = number_of(run, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, "CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT");
	run->global_memory_bytes = number_of(run, CL_DEVICE_GLOBAL_MEM_SIZE, "CL_DEVICE_GLOBAL_MEM_SIZE");
	run->largest_buffer_bytes = number_of(run, CL_DEVICE_MAX_MEM_ALLOC_SIZE, "CL_DEVICE_MAX_MEM_ALLOC_SIZE");
	ask_kind(run);
	ocl_step(run, "clCreateContext");
	run->context = cl.clCreateContext(NULL, 1, &run->device, NULL, NULL, &error);
	if (!ocl_ok(run, error, "clCreateContext"))
		return false;
	ocl_step(run, "clCreateCommandQueue");
	run->queue = cl.clCreateCommandQueue(run->context, run->device, CL_QUEUE_PROFILING_ENABLE, &error);
	/* One without stamps will do. */
	if (error == CL_INVALID_QUEUE_PROPERTIES || error == CL_INVALID_VALUE)
		run->queue = cl.clCreateCommandQueue(run->context, run->device, 0, &error);
	return ocl_ok(run, error, "clCreateCommandQueue");
}

static void close_device(struct ocl_run *run)
{
	ocl_step(run, "clReleaseContext");
	if (run->program)
		cl.clReleaseProgram(run->program);
	if (run->queue)
		cl.clReleaseCommandQueue(run->queue);
	if (run->context)
		cl.clReleaseContext(run->context);
}

/* ---- building */

static struct val_str build_log(struct ocl_run *run)
{
	char buf[OPENCL_ERROR_BYTES];
	struct strbuf clean = STRBUF_INIT;
	struct val_str value;
	size_t size = 0;
	cl_int error;
	char *log;

	ocl_step(run, "clGetProgramBuildInfo CL_PROGRAM_BUILD_LOG");
	error = cl.clGetProgramBuildInfo(run->program, run->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
	if (error)
		return no_str(VAL_ERROR, arena_strdup(&run->sink->facts.arena, opencl_error_name(error, buf)));
	/* Asking for less than there is would be an error, so all of it is fetched; a log of gigabytes is none. */
	if (size > (size_t)64 << 20)
		return no_str(VAL_ERROR, arena_printf(&run->sink->facts.arena, "a log of %zu bytes", size));
	log = xcalloc(size + 1, 1);
	error = cl.clGetProgramBuildInfo(run->program, run->device, CL_PROGRAM_BUILD_LOG, size, log, NULL);
	utf8_clean(&clean, log, strnlen(log, BUILD_LOG_BYTES));
	strbuf_rtrim(&clean);
	if (error)
		value = no_str(VAL_ERROR, arena_strdup(&run->sink->facts.arena, opencl_error_name(error, buf)));
	else if (clean.len)
		value = val_str(arena_strdup(&run->sink->facts.arena, clean.buf));
	else
		value = no_str(VAL_ABSENT, "empty");
	strbuf_release(&clean);
	free(log);
	return value;
}

/*
 * What the compiler refused is a fact (builds_kernels false). Any other error
 * leaves open whether it could have built them.
 */
static bool build(struct ocl_run *run)
{
	struct ocl_device *facts = ocl_facts(run);
	const char *sources[ARRAY_SIZE(kernel_sources)];
	uint64_t begin_ns;
	cl_int error;

	memcpy(sources, kernel_sources, sizeof(sources));
	ocl_step(run, "clCreateProgramWithSource");
	run->program = cl.clCreateProgramWithSource(run->context, ARRAY_SIZE(sources), sources, NULL, &error);
	if (!ocl_ok(run, error, "clCreateProgramWithSource"))
		return false;
	run->sink->quiet_ms = COMPILE_MS;
	ocl_step(run, "clBuildProgram");
	begin_ns = clock_now_ns();
	error = cl.clBuildProgram(run->program, 1, &run->device, "", NULL, NULL);
	facts->build_ns = val_u64(clock_now_ns() - begin_ns);
	if (ocl_ok(run, error, "clBuildProgram")) {
		facts->builds_kernels = val_bool(true);
		facts->build_log = no_str(VAL_ABSENT, "the build did not fail");
		return true;
	}
	if (error == CL_BUILD_PROGRAM_FAILURE)
		facts->builds_kernels = val_bool(false);
	facts->build_log = build_log(run);
	return false;
}

/* The values that a failure on the way left without an answer. */
static void fill_build_facts(struct ocl_run *run)
{
	struct ocl_device *facts = ocl_facts(run);
	const char *why = arena_strdup(&run->sink->facts.arena, run->last);

	if (facts->builds_kernels.state == VAL_UNSET)
		facts->builds_kernels = no_bool(VAL_ERROR, why);
	if (facts->build_ns.state == VAL_UNSET)
		facts->build_ns = no_u64(VAL_ERROR, why);
	if (facts->build_log.state == VAL_UNSET)
		facts->build_log = no_str(VAL_ERROR, why);
}

/*
 * As it is now, before each piece of work: the parent looked before the other tests, and a compiler took some since.
 * The OOM killer of a small container would end us, or whoever else is in it.
 */
static void look_at_host(struct bench_plan *plan)
{
	static const struct root live = ROOT_LIVE;
	struct host_room room;

	host_room_read(&live, &room);
	plan->host_free_bytes = room.free_bytes;
}

/* Opening the device has all the time that this worker's calls have, which is more where GPUs have to be woken. */
static void begin(struct ocl_run *run, const struct bench_plan *plan)
{
	unsigned deadline_ms = worker_child_deadline_ms(), planned_ms = COMPILE_MS + bench_plan_ms(plan);

	run->please_end = worker_child_catch_sigterm();
	run->begin_ns = clock_now_ns();
	run->deadline_ns = deadline_ms ? run->begin_ns + deadline_ms * NS_PER_MS : 0;
	run->sink->quiet_ms = deadline_ms > planned_ms + WORK_MS ? deadline_ms - planned_ms : WORK_MS;
}

/*
 * A kernel that hangs is known as such in seconds, not when minutes of work would have been over: quiet_ms is what one
 * step may take.
 */
static void work(struct ocl_run *run, struct bench_plan *plan)
{
	run->sink->quiet_ms = WORK_MS;
	if (plan->answer) {
		ocl_run_answer(run, plan);
		sink_flush(run->sink);
	}
	look_at_host(plan);
	if (!ocl_is_to_end(run, 0)) {
		ocl_run_timing(run, plan);
		sink_flush(run->sink);
	}
	look_at_host(plan);
	run->sink->quiet_ms = COMPILE_MS;
	if (plan->memory_share_percent && !ocl_is_to_end(run, 0)) {
		ocl_run_memory_test(run, plan);
		sink_flush(run->sink);
	}
	look_at_host(plan);
	run->sink->quiet_ms = WORK_MS;
	if (plan->sustain_ms && !ocl_is_to_end(run, 0)) {
		ocl_run_sustained(run, plan);
		sink_flush(run->sink);
	}
}

/* A compiler for kernels needs so much, and would be killed; or something else that shares the limit with us. */
static bool has_room(const struct bench_plan *plan, char why[OPENCL_WHY_BYTES])
{
	if (!plan->host_free_bytes || plan->host_free_bytes >= COMPILE_BYTES)
		return true;
	snprintf(why, OPENCL_WHY_BYTES,
		 "%" PRIu64 " MiB of host memory are free here, and compiling kernels takes %d MiB",
		 plan->host_free_bytes >> 20, COMPILE_BYTES >> 20);
	return false;
}

static int run(struct probe_env *env, struct sink *sink)
{
	struct ocl_run device = { .sink = sink, .key = env->target };
	struct bench_plan plan;
	enum probe_outcome outcome;
	bool built;

	bench_plan_from_environment(&plan);
	begin(&device, &plan);
	look_at_host(&plan);
	if (!has_room(&plan, device.why))
		return sink_end(sink, PROBE_REFUSED, device.why);
	if (!find_device(&device, &outcome))
		return sink_end(sink, outcome, device.why);
	built = open_device(&device) && build(&device);
	fill_build_facts(&device);
	sink_flush(sink);
	if (built)
		work(&device, &plan);
	sink->quiet_ms = WORK_MS;
	close_device(&device);
	return sink_end(sink, device.why[0] ? PROBE_PARTIAL : PROBE_OK, device.why[0] ? device.why : NULL);
}

/* ---- which devices */

static void targets(const struct snapshot *snapshot, struct arena *arena, struct strs *ret)
{
	if (str_is(snapshot->request.level, "read"))
		return;
	for (size_t i = 0; i < snapshot->nr_ocl_devices; i++) {
		if (ocl_device_is_under_test(snapshot, &snapshot->ocl_devices[i]) &&
		    ocl_device_is_selected(snapshot, &snapshot->ocl_devices[i]))
			strs_add(arena, ret, str_or(snapshot->ocl_devices[i].key, ""));
	}
}

static void environment(const struct snapshot *snapshot, const char *target, struct arena *arena, struct strs *ret)
{
	const struct ocl_device *device = list_find(snapshot, ocl_devices, ocl_device, target);

	opencl_environment(snapshot, device ? str_or(device->icd, "") : "", arena, ret);
	if (device) {
		struct bench_plan plan;

		bench_plan_of(snapshot, device, &plan);
		bench_plan_to_environment(&plan, arena, ret);
	}
}

/* Of the longest plan: all devices get the same but for their free memory. */
static unsigned plan_ms(const struct snapshot *snapshot)
{
	unsigned longest = 0;

	for (size_t i = 0; i < snapshot->nr_ocl_devices; i++) {
		struct bench_plan plan;

		bench_plan_of(snapshot, &snapshot->ocl_devices[i], &plan);
		longest = bench_plan_ms(&plan) > longest ? bench_plan_ms(&plan) : longest;
	}
	return longest + COMPILE_MS;
}

static const char *const provides[] = {
	"ocl_devices.builds_kernels", "ocl_devices.build_ns", "ocl_devices.build_log",
	"ocl_devices.known_answer", "ocl_devices.timings", "ocl_devices.memory_test", "ocl_devices.sustained_load",
	NULL
};

const struct probe probe_ocl_run = {
	.name = "ocl-run",
	.help = "an OpenCL device at work: builds the kernels, checks a known answer, measures",
	.phase = PHASE_LOAD,
	.touches = TOUCHES_DEVICE,
	.live_only = true,
	.takes_driver_root = true,
	.ends_on_sigterm = true,
	.deadline_ms = 20000,
	.provides = provides,
	.targets = targets,
	.environment = environment,
	.watches_ms = plan_ms,
	.run = run,
};
