// SPDX-License-Identifier: GPL-2.0-or-later
/* ocl_device.c - the calls that put a device to work: its kernels, its buffers, and what failed of them. */
#include "base/compat.h"
#include "bench/ocl_run.h"

#include <stdarg.h>

#include "sys/clock.h"

enum {
	SPARE_MS = 1000,		/* before the deadline, to say what was found and give all back */
	HOST_SHARE = 4,			/* of free host memory, for all buffers at once */
};
#define NS_PER_MS UINT64_C(1000000)

bool ocl_ok(struct ocl_run *run, cl_int error, const char *call)
{
	char buf[OPENCL_ERROR_BYTES];

	if (error == CL_SUCCESS)
		return true;
	snprintf(run->last, sizeof(run->last), "%s: %s", call, opencl_error_name(error, buf));
	if (!run->why[0])
		memcpy(run->why, run->last, sizeof(run->why));
	return false;
}

bool ocl_is_to_end(const struct ocl_run *run, uint64_t ms)
{
	return (run->please_end && *run->please_end) ||
	       (run->deadline_ns && clock_now_ns() + (ms + SPARE_MS) * NS_PER_MS > run->deadline_ns);
}

void ocl_step(struct ocl_run *run, const char *format, ...)
{
	char step[128];
	va_list args;

	va_start(args, format);
	vsnprintf(step, sizeof(step), format, args);
	va_end(args);
	sink_step(run->sink, step);
}

struct ocl_device *ocl_facts(struct ocl_run *run)
{
	return list_element(&run->sink->facts.arena, &run->sink->facts, ocl_devices, ocl_device, run->key);
}

bool ocl_kernel_open(struct ocl_run *run, struct ocl_kernel *ret, const char *name)
{
	size_t most = 0;
	cl_int error;

	ocl_step(run, "clCreateKernel %s", name);
	ret->kernel = cl.clCreateKernel(run->program, name, &error);
	if (!ocl_ok(run, error, "clCreateKernel"))
		return false;
	ret->local_items = ABI_LOCAL_ITEMS;
	error = cl.clGetKernelWorkGroupInfo(ret->kernel, run->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof(most), &most,
					    NULL);
	while (!error && most && ret->local_items > most)
		ret->local_items /= 2;
	/* Whatever comes next hands it over, or says what else it calls. */
	ocl_step(run, "clEnqueueNDRangeKernel %s", name);
	return true;
}

void ocl_kernel_close(struct ocl_kernel *kernel)
{
	if (kernel->kernel)
		cl.clReleaseKernel(kernel->kernel);
	kernel->kernel = NULL;
}

bool ocl_arg_(struct ocl_run *run, const struct ocl_kernel *kernel, cl_uint at, size_t size, const void *value)
{
	return ocl_ok(run, cl.clSetKernelArg(kernel->kernel, at, size, value), "clSetKernelArg");
}

static bool start(struct ocl_run *run, const struct ocl_kernel *kernel, size_t items, cl_event *ret_event)
{
	size_t local = items < kernel->local_items ? items : kernel->local_items;
	cl_int error = cl.clEnqueueNDRangeKernel(run->queue, kernel->kernel, 1, NULL, &items, &local, 0, NULL,
						 ret_event);

	return ocl_ok(run, error, "clEnqueueNDRangeKernel");
}

bool ocl_kernel_start(struct ocl_run *run, const struct ocl_kernel *kernel, size_t items)
{
	return start(run, kernel, items, NULL);
}

bool ocl_kernel_run(struct ocl_run *run, const struct ocl_kernel *kernel, size_t items, cl_event *ret_event)
{
	return start(run, kernel, items, ret_event) && ocl_ok(run, cl.clFinish(run->queue), "clFinish");
}

cl_mem ocl_buffer(struct ocl_run *run, size_t bytes)
{
	cl_int error;
	cl_mem buffer;

	ocl_step(run, "clCreateBuffer of %zu bytes", bytes);
	buffer = cl.clCreateBuffer(run->context, CL_MEM_READ_WRITE, bytes, NULL, &error);
	return ocl_ok(run, error, "clCreateBuffer") ? buffer : NULL;
}

uint64_t ocl_host_share(const struct ocl_run *run, const struct bench_plan *plan, unsigned buffers)
{
	return run->has_host_memory && plan->host_free_bytes ? plan->host_free_bytes / HOST_SHARE / buffers
							     : UINT64_MAX;
}
