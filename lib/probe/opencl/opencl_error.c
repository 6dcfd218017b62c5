// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opencl_error.c - the names of OpenCL's error numbers, those of versions
 * newer than the one we call included: a driver may return what it likes.
 */
#include "base/compat.h"
#include "probe/opencl/opencl.h"

static const struct error_name {
	cl_int number;
	const char *name;
} error_names[] = {
	{ .number = -1, .name = "CL_DEVICE_NOT_FOUND" },
	{ .number = -2, .name = "CL_DEVICE_NOT_AVAILABLE" },
	{ .number = -3, .name = "CL_COMPILER_NOT_AVAILABLE" },
	{ .number = -4, .name = "CL_MEM_OBJECT_ALLOCATION_FAILURE" },
	{ .number = -5, .name = "CL_OUT_OF_RESOURCES" },
	{ .number = -6, .name = "CL_OUT_OF_HOST_MEMORY" },
	{ .number = -7, .name = "CL_PROFILING_INFO_NOT_AVAILABLE" },
	{ .number = -8, .name = "CL_MEM_COPY_OVERLAP" },
	{ .number = -9, .name = "CL_IMAGE_FORMAT_MISMATCH" },
	{ .number = -10, .name = "CL_IMAGE_FORMAT_NOT_SUPPORTED" },
	{ .number = -11, .name = "CL_BUILD_PROGRAM_FAILURE" },
	{ .number = -12, .name = "CL_MAP_FAILURE" },
	{ .number = -13, .name = "CL_MISALIGNED_SUB_BUFFER_OFFSET" },
	{ .number = -14, .name = "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST" },
	{ .number = -15, .name = "CL_COMPILE_PROGRAM_FAILURE" },
	{ .number = -16, .name = "CL_LINKER_NOT_AVAILABLE" },
	{ .number = -17, .name = "CL_LINK_PROGRAM_FAILURE" },
	{ .number = -18, .name = "CL_DEVICE_PARTITION_FAILED" },
	{ .number = -19, .name = "CL_KERNEL_ARG_INFO_NOT_AVAILABLE" },
	{ .number = -30, .name = "CL_INVALID_VALUE" },
	{ .number = -31, .name = "CL_INVALID_DEVICE_TYPE" },
	{ .number = -32, .name = "CL_INVALID_PLATFORM" },
	{ .number = -33, .name = "CL_INVALID_DEVICE" },
	{ .number = -34, .name = "CL_INVALID_CONTEXT" },
	{ .number = -35, .name = "CL_INVALID_QUEUE_PROPERTIES" },
	{ .number = -36, .name = "CL_INVALID_COMMAND_QUEUE" },
	{ .number = -37, .name = "CL_INVALID_HOST_PTR" },
	{ .number = -38, .name = "CL_INVALID_MEM_OBJECT" },
	{ .number = -39, .name = "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR" },
	{ .number = -40, .name = "CL_INVALID_IMAGE_SIZE" },
	{ .number = -41, .name = "CL_INVALID_SAMPLER" },
	{ .number = -42, .name = "CL_INVALID_BINARY" },
	{ .number = -43, .name = "CL_INVALID_BUILD_OPTIONS" },
	{ .number = -44, .name = "CL_INVALID_PROGRAM" },
	{ .number = -45, .name = "CL_INVALID_PROGRAM_EXECUTABLE" },
	{ .number = -46, .name = "CL_INVALID_KERNEL_NAME" },
	{ .number = -47, .name = "CL_INVALID_KERNEL_DEFINITION" },
	{ .number = -48, .name = "CL_INVALID_KERNEL" },
	{ .number = -49, .name = "CL_INVALID_ARG_INDEX" },
	{ .number = -50, .name = "CL_INVALID_ARG_VALUE" },
	{ .number = -51, .name = "CL_INVALID_ARG_SIZE" },
	{ .number = -52, .name = "CL_INVALID_KERNEL_ARGS" },
	{ .number = -53, .name = "CL_INVALID_WORK_DIMENSION" },
	{ .number = -54, .name = "CL_INVALID_WORK_GROUP_SIZE" },
	{ .number = -55, .name = "CL_INVALID_WORK_ITEM_SIZE" },
	{ .number = -56, .name = "CL_INVALID_GLOBAL_OFFSET" },
	{ .number = -57, .name = "CL_INVALID_EVENT_WAIT_LIST" },
	{ .number = -58, .name = "CL_INVALID_EVENT" },
	{ .number = -59, .name = "CL_INVALID_OPERATION" },
	{ .number = -60, .name = "CL_INVALID_GL_OBJECT" },
	{ .number = -61, .name = "CL_INVALID_BUFFER_SIZE" },
	{ .number = -62, .name = "CL_INVALID_MIP_LEVEL" },
	{ .number = -63, .name = "CL_INVALID_GLOBAL_WORK_SIZE" },
	{ .number = -64, .name = "CL_INVALID_PROPERTY" },
	{ .number = -65, .name = "CL_INVALID_IMAGE_DESCRIPTOR" },
	{ .number = -66, .name = "CL_INVALID_COMPILER_OPTIONS" },
	{ .number = -67, .name = "CL_INVALID_LINKER_OPTIONS" },
	{ .number = -68, .name = "CL_INVALID_DEVICE_PARTITION_COUNT" },
	{ .number = -69, .name = "CL_INVALID_PIPE_SIZE" },
	{ .number = -70, .name = "CL_INVALID_DEVICE_QUEUE" },
	{ .number = -71, .name = "CL_INVALID_SPEC_ID" },
	{ .number = -72, .name = "CL_MAX_SIZE_RESTRICTION_EXCEEDED" },
	{ .number = -1000, .name = "CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR" },
	{ .number = -1001, .name = "CL_PLATFORM_NOT_FOUND_KHR" },
	{ .number = -1057, .name = "CL_DEVICE_PARTITION_FAILED_EXT" },
	{ .number = -1058, .name = "CL_INVALID_PARTITION_COUNT_EXT" },
	{ .number = -1059, .name = "CL_INVALID_PARTITION_NAME_EXT" },
	{ .number = -1092, .name = "CL_EGL_RESOURCE_NOT_ACQUIRED_KHR" },
	{ .number = -1093, .name = "CL_INVALID_EGL_OBJECT_KHR" },
	{ .number = -1094, .name = "CL_INVALID_ACCELERATOR_INTEL" },
	{ .number = -1095, .name = "CL_INVALID_ACCELERATOR_TYPE_INTEL" },
	{ .number = -1096, .name = "CL_INVALID_ACCELERATOR_DESCRIPTOR_INTEL" },
	{ .number = -1097, .name = "CL_ACCELERATOR_TYPE_NOT_SUPPORTED_INTEL" },
	{ .number = -1108, .name = "CL_COMMAND_TERMINATED_ITSELF_WITH_FAILURE_ARM" },
	{ .number = -1121, .name = "CL_CONTEXT_TERMINATED_KHR" },
	{ .number = -1138, .name = "CL_INVALID_COMMAND_BUFFER_KHR" },
	{ .number = -1139, .name = "CL_INVALID_SYNC_POINT_WAIT_LIST_KHR" },
	{ .number = -1140, .name = "CL_INCOMPATIBLE_COMMAND_QUEUE_KHR" },
	{ .number = -1141, .name = "CL_INVALID_MUTABLE_COMMAND_KHR" },
	{ .number = -1142, .name = "CL_INVALID_SEMAPHORE_KHR" },
};

const char *opencl_error_name(cl_int error, char buf[OPENCL_ERROR_BYTES])
{
	for (size_t i = 0; i < ARRAY_SIZE(error_names); i++) {
		if (error_names[i].number == error)
			return error_names[i].name;
	}
	snprintf(buf, OPENCL_ERROR_BYTES, "CL error %d", error);
	return buf;
}
