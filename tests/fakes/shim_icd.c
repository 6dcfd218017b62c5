// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * shim_icd.c - an OpenCL driver that is PoCL, and fails, lies or dawdles as it is told.
 *
 * It opens PoCL, whose objects all point to one table of calls, and puts its own calls into that table. What it is to
 * do wrong stands in shim.json beside it, or in the file that GPUDIAG_SHIM names:
 *
 *	{ "library": "libpocl.so.2", "pocl": "pthread", "before": "", "after": "",
 *	  "device": { "type": "gpu", "name": "NVIDIA H100 80GB HBM3", "global_bytes": 67108864, "events": "zero" },
 *	  "devices": [ { "pci": "0000:19:00.0" }, { "pci": "0000:3b:00.0", "fp64": false } ],
 *	  "faults": [ { "call": "clEnqueueNDRangeKernel", "kernel": "known_answer", "device": 1, "nth": 3,
 *			"do": "flip", "word": 77, "mask": 16 } ] }
 *
 * "library" is the driver, PoCL if none is named, "pocl" which of PoCL's devices is used; "before" and "after" is
 * source that is built with every program. There are as many devices as "devices" has, at least one; each says what
 * differs from "device":
 *
 *	type		"gpu", "cpu" or "accelerator"; name, vendor, pci ("0000:19:00.0")
 *	global_bytes, largest_bytes, constant_bytes, compute_units, native_width, group_items, resolution_ns, unified
 *	fp64, fp16, images	false: without
 *	memory_bytes	what can be allocated; beyond it buffers fail, or with "lazy" their first use does
 *	events		"zero", "constant", "backwards", "us" (not ns), "double" (the time), "unavailable" (no stamp can
 *			be asked for), "refused" (no queue has any)
 *	finish		"unflushed": clFinish() waits for nothing that clFlush() handed on (as Mesa's rusticl 22.3)
 *	build_log	the compiler fails, and says this
 *
 * A fault is about the calls that match all of "call", "kernel" (of a launch), "host" (of a transfer: "mapped" memory
 * or "ordinary") and "device" (a place) that it names; of these about the "nth" one alone, or all beginning with number
 * "from" (1). Deeds:
 *
 *	hang, crash, exit	in the call
 *	error			the call returns "code" and does nothing
 *	sleep			the call takes "ms" longer
 *	gbps			a transfer takes as long as at "rate" GB/s, if it does not anyway
 *	times			a transfer or launch takes "rate" times as long
 *	never			a launch that does not end: whoever waits for it waits for ever
 *	flip			bits "mask" of 32-bit word "word" turn round: in argument "arg" (0) of a launch, in what
 *				a write or copy left, in what a read gave; with "one_in" M, of each M-th word that it
 *				was done to
 *	stuck			bits "mask" of the word at byte "offset" of each buffer of at least "min_bytes" are
 *				"value" (0 or 1) whatever is written
 *
 * GPUDIAG_SHIM_LOG names a file: "built NAME;NAME…", the kernels of a program, and "ran NAME" for each launch.
 *
 * No hang outlives a test by more than two minutes. Calls beyond OpenCL 1.2 pass through. shim_work.c has transfers,
 * launches and events, shim_plan.c the file.
 */
#include "shim.h"

#include <dlfcn.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_DEVICES = 64, MAX_TEXTS = 64, LONGEST_S = 120 };
#define PCI_BUS_INFO 0x410f	/* CL_DEVICE_PCI_BUS_INFO_KHR of CL/cl_ext.h, in headers since 2021 */

struct _cl_icd_dispatch shim_real;

static cl_device_id devices[MAX_DEVICES];
static cl_uint nr_devices;

int shim_device(cl_device_id device)
{
	for (cl_uint i = 0; i < nr_devices; i++)
		if (devices[i] == device)
			return (int)i;
	return -1;
}

int shim_device_of_queue(cl_command_queue queue)
{
	cl_device_id device = NULL;

	return shim_real.clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof(device), &device, NULL) ?
		       -1 : shim_device(device);
}

int shim_device_of_context(cl_context context)
{
	cl_device_id of[MAX_DEVICES];

	return shim_real.clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof(of), of, NULL) ? -1 : shim_device(of[0]);
}

void shim_hang(void)
{
	sleep(LONGEST_S);
	_exit(1);
}

cl_int shim_begin(const struct shim_call *call)
{
	const cJSON *fault;
	int at = 0;

	shim_count(call);
	if (shim_due(call, "hang", &at))
		shim_hang();
	at = 0;
	if (shim_due(call, "crash", &at)) {
		signal(SIGSEGV, SIG_DFL);	/* PoCL has a handler */
		raise(SIGSEGV);
	}
	at = 0;
	if (shim_due(call, "exit", &at))
		_exit(42);
	at = 0;
	fault = shim_due(call, "error", &at);
	return fault ? (cl_int)shim_number(fault, "code", CL_OUT_OF_RESOURCES) : CL_SUCCESS;
}

void shim_log(const char *what, const char *which)
{
	const char *path = getenv("GPUDIAG_SHIM_LOG");
	FILE *file = path ? fopen(path, "ae") : NULL;

	if (!file)
		return;
	fprintf(file, "%s %s\n", what, which);
	fclose(file);
}

/* Of calls that have no event, whose time is nobody's but the caller's. */
static void sleep_if_due(const struct shim_call *call)
{
	const cJSON *fault;

	for (int at = 0; (fault = shim_due(call, "sleep", &at));)
		usleep((useconds_t)(shim_number(fault, "ms", 0) * 1000));
}

/* ---- what a device says of itself */

static cl_int give(const void *from, size_t len, size_t size, void *value, size_t *ret_size)
{
	if (ret_size)
		*ret_size = len;
	if (!value)
		return CL_SUCCESS;
	if (size < len)
		return CL_INVALID_VALUE;
	memcpy(value, from, len);
	return CL_SUCCESS;
}

static const struct said_number { cl_device_info property; const char *key; size_t bytes; } said_numbers[] = {
	{ CL_DEVICE_GLOBAL_MEM_SIZE, "global_bytes", sizeof(cl_ulong) },
	{ CL_DEVICE_MAX_MEM_ALLOC_SIZE, "largest_bytes", sizeof(cl_ulong) },
	{ CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, "constant_bytes", sizeof(cl_ulong) },
	{ CL_DEVICE_PROFILING_TIMER_RESOLUTION, "resolution_ns", sizeof(size_t) },
	{ CL_DEVICE_MAX_WORK_GROUP_SIZE, "group_items", sizeof(size_t) },
	{ CL_DEVICE_MAX_COMPUTE_UNITS, "compute_units", sizeof(cl_uint) },
	{ CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, "native_width", sizeof(cl_uint) },
	{ CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, "native_width", sizeof(cl_uint) },
	{ CL_DEVICE_HOST_UNIFIED_MEMORY, "unified", sizeof(cl_bool) },
	/* What it can do without: false is nothing. */
	{ CL_DEVICE_DOUBLE_FP_CONFIG, "fp64", sizeof(cl_device_fp_config) },
	{ CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, "fp64", sizeof(cl_uint) },
	{ CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, "fp64", sizeof(cl_uint) },
	{ CL_DEVICE_HALF_FP_CONFIG, "fp16", sizeof(cl_device_fp_config) },
	{ CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, "fp16", sizeof(cl_uint) },
	{ CL_DEVICE_IMAGE_SUPPORT, "images", sizeof(cl_bool) },
};

static bool has_not(int device, const char *key)
{
	return cJSON_IsFalse(shim_device_said(device, key));
}

static cl_int give_number(const struct said_number *number, const cJSON *said, size_t size, void *value,
			  size_t *ret_size)
{
	union { cl_uint narrow; cl_ulong wide; } is = { .wide = 0 };

	if (number->bytes == sizeof(is.narrow))
		is.narrow = cJSON_IsTrue(said) ? 1 : (cl_uint)said->valuedouble;
	else
		is.wide = (cl_ulong)said->valuedouble;
	return give(&is, number->bytes, size, value, ret_size);
}

static void remove_word(char *text, const char *word)
{
	char *found = strstr(text, word);

	if (found)
		memset(found, ' ', strlen(word));
}

static cl_int give_extensions(int device, size_t size, void *value, size_t *ret_size)
{
	static char text[16384];
	size_t len = 0;
	cl_int error = shim_real.clGetDeviceInfo(devices[device], CL_DEVICE_EXTENSIONS, sizeof(text) / 2, text, &len);

	if (error)
		return error;
	if (has_not(device, "fp64"))
		remove_word(text, "cl_khr_fp64");
	if (has_not(device, "fp16"))
		remove_word(text, "cl_khr_fp16");
	if (shim_device_said(device, "pci"))
		snprintf(text + strlen(text), sizeof(text) / 2, " cl_khr_pci_bus_info");
	return give(text, strlen(text) + 1, size, value, ret_size);
}

static cl_int give_pci(const cJSON *said, size_t size, void *value, size_t *ret_size)
{
	unsigned int place[4];		/* domain, bus, device, function */

	if (!cJSON_IsString(said) ||
	    sscanf(said->valuestring, "%x:%x:%x.%x", &place[0], &place[1], &place[2], &place[3]) != 4)
		return CL_INVALID_VALUE;
	return give(place, sizeof(place), size, value, ret_size);
}

static cl_int give_type(const cJSON *said, size_t size, void *value, size_t *ret_size)
{
	cl_device_type type = CL_DEVICE_TYPE_GPU;

	if (!strcmp(said->valuestring, "cpu"))
		type = CL_DEVICE_TYPE_CPU;
	else if (!strcmp(said->valuestring, "accelerator"))
		type = CL_DEVICE_TYPE_ACCELERATOR;
	return give(&type, sizeof(type), size, value, ret_size);
}

static cl_int CL_API_CALL device_info(cl_device_id of, cl_device_info property, size_t size, void *value,
				      size_t *ret_size)
{
	int device = shim_device(of);
	cl_int error = shim_begin(SHIM_CALL("clGetDeviceInfo", device));
	const cJSON *said;

	if (error)
		return error;
	if (device >= 0 && property == CL_DEVICE_EXTENSIONS)
		return give_extensions(device, size, value, ret_size);
	if (property == PCI_BUS_INFO)
		return give_pci(shim_device_said(device, "pci"), size, value, ret_size);
	said = shim_device_said(device, "type");
	if (property == CL_DEVICE_TYPE && said)
		return give_type(said, size, value, ret_size);
	said = shim_device_said(device, property == CL_DEVICE_VENDOR ? "vendor" : "name");
	if ((property == CL_DEVICE_NAME || property == CL_DEVICE_VENDOR) && said)
		return give(said->valuestring, strlen(said->valuestring) + 1, size, value, ret_size);
	for (size_t i = 0; i < ARRAY_SIZE(said_numbers); i++) {
		said = shim_device_said(device, said_numbers[i].key);
		if (property == said_numbers[i].property && said)
			return give_number(&said_numbers[i], said, size, value, ret_size);
	}
	return shim_real.clGetDeviceInfo(of, property, size, value, ret_size);
}

/* PoCL's devices are CPUs, and are asked for as what they say here that they are. */
static cl_int CL_API_CALL device_ids(cl_platform_id platform, cl_device_type type, cl_uint room, cl_device_id *ret,
				     cl_uint *ret_nr)
{
	cl_int error = shim_begin(SHIM_CALL("clGetDeviceIDs", -1));
	cl_uint nr = 0;

	if (!error && !nr_devices)
		error = shim_real.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, MAX_DEVICES, devices, &nr_devices);
	if (error)
		return error;
	for (cl_uint i = 0; i < nr_devices; i++) {
		cl_device_type is = CL_DEVICE_TYPE_CPU;

		if (device_info(devices[i], CL_DEVICE_TYPE, sizeof(is), &is, NULL) || !(is & type))
			continue;
		if (ret && nr < room)
			ret[nr] = devices[i];
		nr++;
	}
	if (ret_nr)
		*ret_nr = nr;
	return nr ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
}

static cl_int CL_API_CALL work_group_info(cl_kernel kernel, cl_device_id of, cl_kernel_work_group_info property,
					  size_t size, void *value, size_t *ret_size)
{
	const cJSON *said = shim_device_said(shim_device(of), "group_items");
	size_t items = said ? (size_t)said->valuedouble : 0;

	if (property == CL_KERNEL_WORK_GROUP_SIZE && items)
		return give(&items, sizeof(items), size, value, ret_size);
	return shim_real.clGetKernelWorkGroupInfo(kernel, of, property, size, value, ret_size);
}

/* ---- contexts, queues, programs */

static cl_context CL_API_CALL create_context(const cl_context_properties *properties, cl_uint nr,
					     const cl_device_id *of,
					     void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
					     void *data, cl_int *ret_error)
{
	cl_int error = shim_begin(SHIM_CALL("clCreateContext", nr ? shim_device(of[0]) : -1));

	if (!error)
		return shim_real.clCreateContext(properties, nr, of, notify, data, ret_error);
	if (ret_error)
		*ret_error = error;
	return NULL;
}

static cl_command_queue CL_API_CALL create_queue(cl_context context, cl_device_id of,
						 cl_command_queue_properties properties, cl_int *ret_error)
{
	int device = shim_device(of);
	cl_int error = shim_begin(SHIM_CALL("clCreateCommandQueue", device));
	const cJSON *events = shim_device_said(device, "events");

	if (!error && (properties & CL_QUEUE_PROFILING_ENABLE) && events && !strcmp(events->valuestring, "refused"))
		error = CL_INVALID_QUEUE_PROPERTIES;
	if (!error)
		return shim_real.clCreateCommandQueue(context, of, properties, ret_error);
	if (ret_error)
		*ret_error = error;
	return NULL;
}

/* Kernels that use what the device says it lacks do not build, as on one that lacks it. */
static cl_program CL_API_CALL create_program(cl_context context, cl_uint nr, const char **texts, const size_t *lengths,
					     cl_int *ret_error)
{
	static const char no_double[] = "#undef cl_khr_fp64\n#undef __opencl_c_fp64\n#define double "
					"no_such_type_double\n";
	const cJSON *before = shim_said("before"), *after = shim_said("after");
	const char *with[MAX_TEXTS + 3];
	size_t lens[MAX_TEXTS + 3] = { 0 };

	if (nr > MAX_TEXTS)
		return shim_real.clCreateProgramWithSource(context, nr, texts, lengths, ret_error);
	with[0] = has_not(shim_device_of_context(context), "fp64") ? no_double : "\n";
	with[1] = before ? before->valuestring : "\n";
	for (cl_uint i = 0; i < nr; i++) {
		with[i + 2] = texts[i];
		lens[i + 2] = lengths ? lengths[i] : 0;
	}
	with[nr + 2] = after ? after->valuestring : "\n";
	return shim_real.clCreateProgramWithSource(context, nr + 3, with, lens, ret_error);
}

static cl_int CL_API_CALL build_program(cl_program program, cl_uint nr, const cl_device_id *of, const char *options,
					void(CL_CALLBACK *notify)(cl_program, void *), void *data)
{
	const struct shim_call call = { .call = "clBuildProgram", .device = nr ? shim_device(of[0]) : -1 };
	cl_int error = shim_begin(&call);
	char names[4096];

	if (error)
		return error;
	sleep_if_due(&call);
	if (shim_device_said(call.device, "build_log"))
		return CL_BUILD_PROGRAM_FAILURE;
	error = shim_real.clBuildProgram(program, nr, of, options, notify, data);
	if (!error && !shim_real.clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof(names), names, NULL))
		shim_log("built", names);
	return error;
}

static cl_int CL_API_CALL build_info(cl_program program, cl_device_id of, cl_program_build_info property, size_t size,
				     void *value, size_t *ret_size)
{
	const cJSON *log = shim_device_said(shim_device(of), "build_log");
	cl_int error = shim_begin(SHIM_CALL("clGetProgramBuildInfo", shim_device(of)));

	if (!error && property == CL_PROGRAM_BUILD_LOG && log)
		return give(log->valuestring, strlen(log->valuestring) + 1, size, value, ret_size);
	return error ? error : shim_real.clGetProgramBuildInfo(program, of, property, size, value, ret_size);
}

/* ---- the way in */

typedef void *(CL_API_CALL *find_call)(const char *);
typedef cl_int(CL_API_CALL *list_platforms)(cl_uint, cl_platform_id *, cl_uint *);

static void *in_pocl(void *library, const char *name)
{
	union { void *address; find_call find; } entry = { .address = dlsym(library, "clGetExtensionFunctionAddress") };

	return entry.address ? entry.find(name) : NULL;
}

/* As many of PoCL's devices as there are to be. */
static void name_devices(void)
{
	const int nr = cJSON_GetArraySize(shim_said("devices"));
	const cJSON *pocl = shim_said("pocl");
	char names[MAX_DEVICES * 16] = "";

	for (int i = 0; i < (nr ? nr : 1) && i < MAX_DEVICES; i++)
		snprintf(names + strlen(names), 16, "%s%.14s", i ? " " : "", pocl ? pocl->valuestring : "pthread");
	setenv("POCL_DEVICES", names, 1);
}

/* The table is every object's: what stands there now is what everybody calls. */
static void hook(struct _cl_icd_dispatch *table)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *begin = (char *)((uintptr_t)table & ~(uintptr_t)(page - 1));

	if (mprotect(begin, (size_t)((char *)(table + 1) - begin), PROT_READ | PROT_WRITE))
		abort();
	shim_real = *table;
	table->clGetDeviceIDs = device_ids;
	table->clGetDeviceInfo = device_info;
	table->clGetKernelWorkGroupInfo = work_group_info;
	table->clCreateContext = create_context;
	table->clCreateCommandQueue = create_queue;
	table->clCreateProgramWithSource = create_program;
	table->clBuildProgram = build_program;
	table->clGetProgramBuildInfo = build_info;
	shim_hook_work(table);
}

static void *open_pocl(void)
{
	struct { struct _cl_icd_dispatch *table; } *platform;
	union { void *address; list_platforms list; } entry;
	cl_platform_id first = NULL;
	const cJSON *named;
	void *library;

	shim_plan_read();
	name_devices();
	named = shim_said("library");
	library = dlopen(named ? named->valuestring : "libpocl.so.2", RTLD_NOW | RTLD_LOCAL);
	entry.address = library ? in_pocl(library, "clIcdGetPlatformIDsKHR") : NULL;
	if (!entry.address || entry.list(1, &first, NULL) || !first) {
		fprintf(stderr, "shim: no driver: %s\n", library ? "it has no platform" : dlerror());
		return NULL;
	}
	platform = (void *)first;
	hook(platform->table);
	return library;
}

CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
	static void *library;

	library = library ? library : open_pocl();
	return library ? in_pocl(library, name) : NULL;
}
