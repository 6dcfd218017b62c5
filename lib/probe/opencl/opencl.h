/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * opencl.h - libOpenCL.so.1 as gpudiag uses it: loaded, never linked, one
 * driver (ICD) at a time, OpenCL 1.2 and older calls only.
 *
 * A worker of probe "opencl" or "ocl-run" sees one driver: its environment
 * names that one .icd file (opencl_environment()), as any driver may take the
 * whole process with it. Within the driver devices are counted from 0, in the
 * order in which it lists its platforms and they list their devices.
 *
 * Every function here that calls the driver says so first, by sink_step().
 */
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "probe/probe.h"

/* What is called, with the types of CL/cl.h. All of it is as old as OpenCL 1.0: a library that lacks one is none. */
#define OPENCL_CALLS(X)               \
	X(clGetPlatformIDs)           \
	X(clGetPlatformInfo)          \
	X(clGetDeviceIDs)             \
	X(clGetDeviceInfo)            \
	X(clCreateContext)            \
	X(clReleaseContext)           \
	X(clCreateCommandQueue)       \
	X(clReleaseCommandQueue)      \
	X(clCreateProgramWithSource)  \
	X(clBuildProgram)             \
	X(clGetProgramBuildInfo)      \
	X(clReleaseProgram)           \
	X(clCreateKernel)             \
	X(clSetKernelArg)             \
	X(clGetKernelWorkGroupInfo)   \
	X(clReleaseKernel)            \
	X(clCreateBuffer)             \
	X(clReleaseMemObject)         \
	X(clEnqueueWriteBuffer)       \
	X(clEnqueueReadBuffer)        \
	X(clEnqueueNDRangeKernel)     \
	X(clEnqueueMapBuffer)         \
	X(clEnqueueUnmapMemObject)    \
	X(clEnqueueCopyBuffer)        \
	X(clWaitForEvents)            \
	X(clGetEventProfilingInfo)    \
	X(clReleaseEvent)             \
	X(clFlush)                    \
	X(clFinish)

struct opencl_calls {
#define OPENCL_MEMBER(call) __typeof__(&call) call;
	OPENCL_CALLS(OPENCL_MEMBER)
#undef OPENCL_MEMBER
};

/* cl.clFinish(queue) is clFinish(queue). Filled by opencl_load(). */
extern struct opencl_calls cl;

#define OPENCL_WHY_BYTES 256

/* Loads the library. 0, or -errno of library_open() and a phrase in why. */
int opencl_load(struct sink *sink, char why[OPENCL_WHY_BYTES]) MUST_CHECK;

/* "CL_OUT_OF_RESOURCES"; an unknown number goes into buf as "CL error -9999". */
#define OPENCL_ERROR_BYTES 32
const char *opencl_error_name(cl_int error, char buf[OPENCL_ERROR_BYTES]);

/* More of either than this is a driver error: no machine has that many. */
enum { OPENCL_MAX_PLATFORMS = 64, OPENCL_MAX_DEVICES = 256 };

struct opencl_list {
	cl_uint nr_platforms;
	cl_platform_id platforms[OPENCL_MAX_PLATFORMS];
	cl_uint nr_devices;
	struct opencl_place {
		cl_platform_id platform;
		cl_device_id device;
	} devices[OPENCL_MAX_DEVICES];
};

/*
 * Fill the list: platforms first, then the devices of all of them.
 * PROBE_OK; PROBE_PARTIAL: a call failed, what could be had is listed;
 * PROBE_GARBLED: the driver answers nonsense, ask it nothing more. A phrase
 * in why where it is not PROBE_OK. No platform, and a platform without
 * devices, are no errors.
 */
enum probe_outcome opencl_list_platforms(struct sink *sink, struct opencl_list *ret, char why[OPENCL_WHY_BYTES]);
enum probe_outcome opencl_list_devices(struct sink *sink, struct opencl_list *list, char why[OPENCL_WHY_BYTES]);

/* "opencl:pocl.icd:0" into driver file and place. -EINVAL for what is no such key. */
int opencl_parse_key(struct arena *arena, const char *key, const char **ret_icd, uint64_t *ret_place) MUST_CHECK;

/* A device to query, or its platform if device is NULL. label goes into the steps: "device 0". */
struct opencl_asked {
	struct sink *sink;
	cl_platform_id platform;
	cl_device_id device;
	const char *label;
};

/*
 * A property as a value: CL_INVALID_VALUE is unsupported, any other error an
 * error with its name, and so is an answer of a size that cannot be.
 * Texts are trimmed at both ends, cleaned to UTF-8 and put into the arena of
 * the sink's facts. opencl_bytes() gives -1 and the reason in *ret_no unless
 * exactly len bytes came.
 */
#define opencl_u64(asked, property) opencl_u64_((asked), (property), #property)
#define opencl_str(asked, property) opencl_str_((asked), (property), #property)
struct val_u64 opencl_u64_(const struct opencl_asked *asked, cl_uint property, const char *name);
struct val_str opencl_str_(const struct opencl_asked *asked, cl_uint property, const char *name);
int opencl_bytes(const struct opencl_asked *asked, cl_uint property, const char *name, void *buf, size_t len,
		 struct val_head *ret_no) MUST_CHECK;

/*
 * Is it registered below the driver's root (--driver-root)? Of those of a
 * recorded tree only such a driver can be loaded here.
 */
bool opencl_is_of_driver_root(const struct snapshot *snapshot, const struct icd *icd);

/* The environment of a worker that shall see this one driver. */
void opencl_environment(const struct snapshot *snapshot, const char *icd_key, struct arena *arena, struct strs *ret);
