// SPDX-License-Identifier: GPL-2.0-or-later
/* shim_work.c - buffers, transfers, launches and events of the shim. See shim_icd.c. */
#include "shim.h"

#include <time.h>
#include <unistd.h>

enum { MAX_BUFFERS = 1024, MAX_ARGS = 1024, MAX_EVENTS = 4096, MAX_MAPS = 64, MAX_QUEUES = 64, NAME_BYTES = 64 };
#define STAMP 123456789000u		/* of events that are all the same */

/* Buffers that live, in no order. */
static struct buffer { cl_mem mem; size_t bytes; int device; } buffers[MAX_BUFFERS];
/* Buffers that are arguments of kernels. */
static struct arg { cl_kernel kernel; cl_uint at; cl_mem mem; } args[MAX_ARGS];
/* Buffers that the host has before it. */
static struct map { const char *at; size_t bytes; } maps[MAX_MAPS];
/* Queues of which all was handed on. */
static cl_command_queue flushed[MAX_QUEUES];
/* By how much a command took longer than PoCL knows. */
static struct delayed { cl_event event; uint64_t by_ns; } delays[MAX_EVENTS];
/* A launch that does not end was made. */
static bool waits_for_ever;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void wait_ns(uint64_t ns)
{
	const struct timespec time = { .tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u) };

	nanosleep(&time, NULL);
}

/* ---- buffers */

static size_t allocated(int device)
{
	size_t bytes = 0;

	for (int i = 0; i < MAX_BUFFERS; i++)
		if (buffers[i].mem && buffers[i].device == device)
			bytes += buffers[i].bytes;
	return bytes;
}

static bool is_full(int device, size_t more)
{
	const cJSON *room = shim_device_said(device, "memory_bytes");

	return room && (double)(allocated(device) + more) > room->valuedouble;
}

static cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host,
					cl_int *ret_error)
{
	const int device = shim_device_of_context(context);
	cl_int error = shim_begin(SHIM_CALL("clCreateBuffer", device));
	cl_mem mem = NULL;

	if (!error && is_full(device, bytes) && !cJSON_IsTrue(shim_device_said(device, "lazy")))
		error = CL_MEM_OBJECT_ALLOCATION_FAILURE;
	if (!error)
		mem = shim_real.clCreateBuffer(context, flags, bytes, host, &error);
	for (int i = 0; mem && i < MAX_BUFFERS; i++) {
		if (!buffers[i].mem) {
			buffers[i] = (struct buffer){ .mem = mem, .bytes = bytes, .device = device };
			break;
		}
	}
	if (ret_error)
		*ret_error = error;
	return mem;
}

static cl_int CL_API_CALL release_buffer(cl_mem mem)
{
	cl_uint references = 1;

	shim_real.clGetMemObjectInfo(mem, CL_MEM_REFERENCE_COUNT, sizeof(references), &references, NULL);
	for (int i = 0; references == 1 && i < MAX_BUFFERS; i++)
		if (buffers[i].mem == mem)
			buffers[i].mem = NULL;
	return shim_real.clReleaseMemObject(mem);
}

static const struct buffer *buffer_of(cl_mem mem)
{
	for (int i = 0; mem && i < MAX_BUFFERS; i++)
		if (buffers[i].mem == mem)
			return &buffers[i];
	return NULL;
}

static cl_int CL_API_CALL set_arg(cl_kernel kernel, cl_uint at, size_t size, const void *value)
{
	cl_int error = shim_begin(SHIM_CALL("clSetKernelArg", -1));
	cl_mem mem = NULL;
	int free_place = -1;

	if (error)
		return error;
	if (value && size == sizeof(mem))
		memcpy(&mem, value, size);
	for (int i = 0; buffer_of(mem) && i < MAX_ARGS; i++) {
		if (args[i].kernel == kernel && args[i].at == at) {
			free_place = i;
			break;
		}
		if (!args[i].kernel && free_place < 0)
			free_place = i;
	}
	if (free_place >= 0)
		args[free_place] = (struct arg){ .kernel = kernel, .at = at, .mem = mem };
	return shim_real.clSetKernelArg(kernel, at, size, value);
}

static cl_int CL_API_CALL release_kernel(cl_kernel kernel)
{
	for (int i = 0; i < MAX_ARGS; i++)
		if (args[i].kernel == kernel)
			args[i].kernel = NULL;
	return shim_real.clReleaseKernel(kernel);
}

static cl_mem arg_of(cl_kernel kernel, cl_uint at)
{
	for (int i = 0; i < MAX_ARGS; i++)
		if (args[i].kernel == kernel && args[i].at == at)
			return args[i].mem;
	return NULL;
}

/* ---- mapped memory, which a driver can copy from without a step between */

static const char *kind_of_host(const void *memory)
{
	for (int i = 0; i < MAX_MAPS; i++)
		if (maps[i].at && (const char *)memory >= maps[i].at &&
		    (const char *)memory < maps[i].at + maps[i].bytes)
			return "mapped";
	return "ordinary";
}

static void note_map(const char *at, size_t bytes)
{
	for (int i = 0; at && i < MAX_MAPS; i++) {
		if (!maps[i].at) {
			maps[i] = (struct map){ .at = at, .bytes = bytes };
			return;
		}
	}
}

static void forget_map(const char *at)
{
	for (int i = 0; i < MAX_MAPS; i++)
		if (maps[i].at == at)
			maps[i].at = NULL;
}

/* ---- what memory holds */

/* PoCL's buffers are host memory: mapped they are no copy. Only when the queue is empty. */
static void change_word(cl_command_queue queue, cl_mem mem, size_t offset, uint32_t flip, uint32_t set, uint32_t clear)
{
	uint32_t *word = shim_real.clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, offset,
						      sizeof(*word), 0, NULL, NULL, NULL);

	if (!word)
		return;
	*word = ((*word ^ flip) | set) & ~clear;
	shim_real.clEnqueueUnmapMemObject(queue, mem, word, 0, NULL, NULL);
	shim_real.clFinish(queue);
}

static uint32_t mask_of(const cJSON *fault)
{
	return (uint32_t)shim_number(fault, "mask", 1);
}

/* Turns the fault's words of `words` that were just written, at `memory` or in a buffer. */
static void flip(const cJSON *fault, size_t words, cl_command_queue queue, cl_mem mem, uint32_t *memory)
{
	const double one_in = shim_number(fault, "one_in", 0);
	double *done = shim_kept(fault), place = shim_number(fault, "word", 0);

	if (one_in > 0) {
		place = one_in - 1 - *done;
		*done += (double)words;
		while (*done >= one_in)
			*done -= one_in;
	}
	for (; place >= 0 && place < (double)words; place += one_in) {
		if (memory)
			memory[(size_t)place] ^= mask_of(fault);
		else
			change_word(queue, mem, (size_t)place * sizeof(uint32_t), mask_of(fault), 0, 0);
		if (one_in <= 0)
			break;
	}
}

/* Cells that keep no value are as they are after whatever was done. */
static void stick(int device, cl_command_queue queue)
{
	const cJSON *fault;

	for (int at = 0; (fault = shim_standing(device, "stuck", &at));) {
		const size_t offset = (size_t)shim_number(fault, "offset", 0);
		const uint32_t mask = mask_of(fault);
		const bool one = shim_number(fault, "value", 0) > 0;

		shim_real.clFinish(queue);
		for (int i = 0; i < MAX_BUFFERS; i++)
			if (buffers[i].mem && buffers[i].device == device &&
			    buffers[i].bytes >= offset + sizeof(mask) &&
			    (double)buffers[i].bytes >= shim_number(fault, "min_bytes", 0))
				change_word(queue, buffers[i].mem, offset, 0, one ? mask : 0, one ? 0 : mask);
	}
}

/* ---- a command, from before it is handed on to after its end */

struct command {
	struct shim_call call;
	cl_command_queue queue;
	uint64_t begin_ns;
	size_t bytes;		/* of a transfer */
	cl_mem changed;		/* what it wrote, */
	size_t words;
	uint32_t *read;		/* or where it was read to */
};

static void note_flush(cl_command_queue queue, bool is_flushed)
{
	cl_command_queue was = is_flushed ? NULL : queue, is = is_flushed ? queue : NULL;

	for (int i = 0; i < MAX_QUEUES; i++) {
		if (flushed[i] == was) {
			flushed[i] = is;
			return;
		}
	}
}

static bool is_flushed(cl_command_queue queue)
{
	for (int i = 0; i < MAX_QUEUES; i++)
		if (flushed[i] == queue)
			return true;
	return false;
}

static cl_int begin(struct command *command, bool blocks)
{
	const int device = shim_device_of_queue(command->queue);
	cl_int error;

	command->call.device = device;
	note_flush(command->queue, false);
	error = shim_begin(&command->call);
	if (!error && waits_for_ever && blocks)
		shim_hang();
	if (!error && is_full(device, 0) && cJSON_IsTrue(shim_device_said(device, "lazy")))
		error = CL_MEM_OBJECT_ALLOCATION_FAILURE;
	command->begin_ns = now_ns();
	return error;
}

/* How long it is to take in all, when it took so long. */
static uint64_t wanted_ns(const struct command *command, uint64_t took_ns)
{
	double wanted = (double)took_ns, at_rate;
	const cJSON *fault;

	for (int at = 0; (fault = shim_due(&command->call, "times", &at));)
		wanted *= shim_number(fault, "rate", 1);
	for (int at = 0; (fault = shim_due(&command->call, "sleep", &at));)
		wanted += shim_number(fault, "ms", 0) * 1e6;
	for (int at = 0; (fault = shim_due(&command->call, "gbps", &at));) {
		at_rate = (double)command->bytes / shim_number(fault, "rate", 1);
		wanted = at_rate > wanted ? at_rate : wanted;
	}
	return (uint64_t)wanted;
}

static bool is_any_due(const struct command *command)
{
	static const char *const deeds[] = { "times", "sleep", "gbps", "flip" };

	for (size_t i = 0; i < ARRAY_SIZE(deeds); i++)
		if (shim_due(&command->call, deeds[i], &(int){ 0 }))
			return true;
	return false;
}

static void note_delay(const cl_event *event, uint64_t by_ns)
{
	for (int i = 0; event && by_ns && i < MAX_EVENTS; i++) {
		if (!delays[i].event) {
			delays[i] = (struct delayed){ .event = *event, .by_ns = by_ns };
			return;
		}
	}
}

static cl_int end(const struct command *command, cl_int error, const cl_event *event)
{
	const cJSON *fault;
	uint64_t took_ns, wanted;

	if (error)
		return error;
	if (is_any_due(command)) {
		shim_real.clFinish(command->queue);
		took_ns = now_ns() - command->begin_ns;
		wanted = wanted_ns(command, took_ns);
		if (wanted > took_ns)
			wait_ns(wanted - took_ns);
		/* What was slept, not what was to be: sleeping takes longer. */
		note_delay(event, now_ns() - command->begin_ns - took_ns);
		for (int at = 0; (fault = shim_due(&command->call, "flip", &at));) {
			cl_mem mem = command->changed;
			const struct buffer *buffer = buffer_of(mem);

			flip(fault, buffer && !command->words ? buffer->bytes / sizeof(uint32_t) : command->words,
			     command->queue, mem, command->read);
		}
	}
	return CL_SUCCESS;
}

/* After what wrote to memory. */
static cl_int end_of_write(const struct command *command, cl_int error, const cl_event *event)
{
	error = end(command, error, event);
	if (!error)
		stick(command->call.device, command->queue);
	return error;
}

/* ---- transfers */

static cl_int CL_API_CALL write_buffer(cl_command_queue queue, cl_mem mem, cl_bool blocks, size_t offset, size_t bytes,
				       const void *from, cl_uint nr, const cl_event *wait, cl_event *event)
{
	struct command command = { .call = { .call = "clEnqueueWriteBuffer", .host = kind_of_host(from) },
				   .queue = queue, .bytes = bytes, .changed = mem };
	cl_int error = begin(&command, blocks);

	if (!error)
		error = shim_real.clEnqueueWriteBuffer(queue, mem, blocks, offset, bytes, from, nr, wait, event);
	return end_of_write(&command, error, event);
}

static cl_int CL_API_CALL read_buffer(cl_command_queue queue, cl_mem mem, cl_bool blocks, size_t offset, size_t bytes,
				      void *to, cl_uint nr, const cl_event *wait, cl_event *event)
{
	struct command command = { .call = { .call = "clEnqueueReadBuffer", .host = kind_of_host(to) },
				   .queue = queue, .bytes = bytes, .read = to, .words = bytes / sizeof(uint32_t) };
	cl_int error = begin(&command, blocks);

	if (!error)
		error = shim_real.clEnqueueReadBuffer(queue, mem, blocks, offset, bytes, to, nr, wait, event);
	return end(&command, error, event);
}

static cl_int CL_API_CALL copy_buffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset,
				      size_t to_offset, size_t bytes, cl_uint nr, const cl_event *wait, cl_event *event)
{
	struct command command = { .call.call = "clEnqueueCopyBuffer", .queue = queue, .bytes = bytes, .changed = to };
	cl_int error = begin(&command, false);

	if (!error)
		error = shim_real.clEnqueueCopyBuffer(queue, from, to, from_offset, to_offset, bytes, nr, wait, event);
	return end_of_write(&command, error, event);
}

static void *CL_API_CALL map_buffer(cl_command_queue queue, cl_mem mem, cl_bool blocks, cl_map_flags flags,
				    size_t offset,
				    size_t bytes, cl_uint nr, const cl_event *wait, cl_event *event, cl_int *ret_error)
{
	struct command command = { .call.call = "clEnqueueMapBuffer", .queue = queue, .bytes = bytes };
	cl_int error = begin(&command, blocks);
	void *mapped = NULL;

	if (!error)
		mapped = shim_real.clEnqueueMapBuffer(queue, mem, blocks, flags, offset, bytes, nr, wait,
						      event, &error);
	note_map(mapped, bytes);
	error = end(&command, error, event);
	if (ret_error)
		*ret_error = error;
	return mapped;
}

static cl_int CL_API_CALL unmap_buffer(cl_command_queue queue, cl_mem mem, void *mapped, cl_uint nr,
				       const cl_event *wait, cl_event *event)
{
	struct command command = { .call.call = "clEnqueueUnmapMemObject", .queue = queue, .changed = mem };
	cl_int error = begin(&command, false);

	forget_map(mapped);
	if (!error)
		error = shim_real.clEnqueueUnmapMemObject(queue, mem, mapped, nr, wait, event);
	return end_of_write(&command, error, event);
}

/* ---- launches */

static cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
				 const size_t *items, const size_t *local, cl_uint nr, const cl_event *wait,
				 cl_event *event)
{
	char name[NAME_BYTES] = "";
	struct command command = { .call = { .call = "clEnqueueNDRangeKernel", .kernel = name }, .queue = queue };
	const cJSON *fault;
	cl_int error;

	shim_real.clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof(name), name, NULL);
	error = begin(&command, false);
	if (error)
		return error;
	if (shim_due(&command.call, "never", &(int){ 0 })) {
		waits_for_ever = true;
		return shim_real.clEnqueueMarkerWithWaitList(queue, nr, wait, event);
	}
	fault = shim_due(&command.call, "flip", &(int){ 0 });
	if (fault)
		command.changed = arg_of(kernel, (cl_uint)shim_number(fault, "arg", 0));
	shim_log("ran", name);
	error = shim_real.clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, items, local, nr, wait, event);
	return end_of_write(&command, error, event);
}

static cl_int CL_API_CALL finish(cl_command_queue queue)
{
	struct command command = { .call.call = "clFinish", .queue = queue };
	const bool nothing_left = is_flushed(queue);
	cl_int error = begin(&command, true);

	if (error)
		return error;
	if (nothing_left && shim_device_said(command.call.device, "finish"))
		return CL_SUCCESS;
	return shim_real.clFinish(queue);
}

static cl_int CL_API_CALL flush(cl_command_queue queue)
{
	cl_int error = shim_begin(SHIM_CALL("clFlush", shim_device_of_queue(queue)));

	if (error)
		return error;
	note_flush(queue, false);
	note_flush(queue, true);
	return shim_real.clFlush(queue);
}

static cl_int CL_API_CALL wait_for_events(cl_uint nr, const cl_event *events)
{
	cl_int error = shim_begin(SHIM_CALL("clWaitForEvents", -1));

	if (!error && waits_for_ever)
		shim_hang();
	return error ? error : shim_real.clWaitForEvents(nr, events);
}

/* ---- events */

static uint64_t delay_of(cl_event event)
{
	for (int i = 0; i < MAX_EVENTS; i++)
		if (delays[i].event == event)
			return delays[i].by_ns;
	return 0;
}

static cl_int CL_API_CALL release_event(cl_event event)
{
	for (int i = 0; i < MAX_EVENTS; i++)
		if (delays[i].event == event)
			delays[i].event = NULL;
	return shim_real.clReleaseEvent(event);
}

static const char *lie_of(cl_event event)
{
	cl_command_queue queue = NULL;
	const cJSON *lie;

	if (shim_real.clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof(queue), &queue, NULL) || !queue)
		return "";
	lie = shim_device_said(shim_device_of_queue(queue), "events");
	return lie ? lie->valuestring : "";
}

static cl_int real_stamp(cl_event event, cl_profiling_info property, cl_ulong *ret)
{
	cl_int error = shim_real.clGetEventProfilingInfo(event, property, sizeof(*ret), ret, NULL);

	if (property == CL_PROFILING_COMMAND_END)
		*ret += delay_of(event);
	return error;
}

static cl_int CL_API_CALL profiling_info(cl_event event, cl_profiling_info property, size_t size, void *value,
					 size_t *ret_size)
{
	const char *lie = lie_of(event);
	cl_ulong stamp = 0, start = 0;
	cl_int error = shim_begin(SHIM_CALL("clGetEventProfilingInfo", -1));

	if (!error && !strcmp(lie, "unavailable"))
		error = CL_PROFILING_INFO_NOT_AVAILABLE;
	if (!error && !strcmp(lie, "backwards") && property == CL_PROFILING_COMMAND_END)
		property = CL_PROFILING_COMMAND_START;
	else if (!error && !strcmp(lie, "backwards") && property == CL_PROFILING_COMMAND_START)
		property = CL_PROFILING_COMMAND_END;
	if (!error)
		error = real_stamp(event, property, &stamp);
	if (error)
		return error;
	if (!strcmp(lie, "zero"))
		stamp = 0;
	else if (!strcmp(lie, "constant"))
		stamp = STAMP;
	else if (!strcmp(lie, "us"))
		stamp /= 1000;
	else if (!strcmp(lie, "double") && !real_stamp(event, CL_PROFILING_COMMAND_START, &start))
		stamp += stamp - start;
	if (ret_size)
		*ret_size = sizeof(stamp);
	if (value && size < sizeof(stamp))
		return CL_INVALID_VALUE;
	if (value)
		memcpy(value, &stamp, sizeof(stamp));
	return CL_SUCCESS;
}

void shim_hook_work(struct _cl_icd_dispatch *table)
{
	table->clCreateBuffer = create_buffer;
	table->clReleaseMemObject = release_buffer;
	table->clSetKernelArg = set_arg;
	table->clReleaseKernel = release_kernel;
	table->clEnqueueWriteBuffer = write_buffer;
	table->clEnqueueReadBuffer = read_buffer;
	table->clEnqueueCopyBuffer = copy_buffer;
	table->clEnqueueMapBuffer = map_buffer;
	table->clEnqueueUnmapMemObject = unmap_buffer;
	table->clEnqueueNDRangeKernel = launch;
	table->clFinish = finish;
	table->clFlush = flush;
	table->clWaitForEvents = wait_for_events;
	table->clReleaseEvent = release_event;
	table->clGetEventProfilingInfo = profiling_info;
}
