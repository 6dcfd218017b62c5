// SPDX-License-Identifier: GPL-2.0-or-later
/* nvml_machine.c - reads nvml.json, gives its values and commits its faults. See nvml.c. */
#include "nvml_machine.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct machine machine = {.log = -1};

static const struct {
	int code;
	const char *name;
} errors[] = {
	{0, "SUCCESS"},
	{1, "UNINITIALIZED"},
	{2, "INVALID_ARGUMENT"},
	{3, "NOT_SUPPORTED"},
	{4, "NO_PERMISSION"},
	{5, "ALREADY_INITIALIZED"},
	{6, "NOT_FOUND"},
	{7, "INSUFFICIENT_SIZE"},
	{8, "INSUFFICIENT_POWER"},
	{9, "DRIVER_NOT_LOADED"},
	{10, "TIMEOUT"},
	{11, "IRQ_ISSUE"},
	{12, "LIBRARY_NOT_FOUND"},
	{13, "FUNCTION_NOT_FOUND"},
	{14, "CORRUPTED_INFOROM"},
	{15, "GPU_IS_LOST"},
	{16, "RESET_REQUIRED"},
	{17, "OPERATING_SYSTEM"},
	{18, "LIB_RM_VERSION_MISMATCH"},
	{19, "IN_USE"},
	{20, "MEMORY"},
	{21, "NO_DATA"},
	{22, "VGPU_ECC_NOT_SUPPORTED"},
	{23, "INSUFFICIENT_RESOURCES"},
	{24, "FREQ_NOT_SUPPORTED"},
	{25, "ARGUMENT_VERSION_MISMATCH"},
	{26, "DEPRECATED"},
	{27, "NOT_READY"},
	{28, "GPU_NOT_FOUND"},
	{29, "INVALID_STATE"},
	{30, "RESET_TYPE_NOT_SUPPORTED"},
	{999, "UNKNOWN"},
};

enum { ERRORS = sizeof(errors) / sizeof(*errors) };

static const char *const calls[] = {
#define CALL(name, branch) #name,
#include "nvml_calls.def"
#undef CALL
};

double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

double machine_s(void)
{
	const char *told = machine.is_told_time ? getenv("GPUDIAG_FAKE_NVML_MS") : NULL;

	return told ? strtod(told, NULL) / 1e3 : seconds_now() - machine.loaded_s;
}

const char *error_name(int code)
{
	for (int i = 0; i < ERRORS; i++)
		if (errors[i].code == code)
			return errors[i].name;
	return NULL;
}

/* A test that means another fake than there is must not pass. */
static void __attribute__((noreturn)) refuse(const char *what, const char *which)
{
	fprintf(stderr, "fake NVML: %s: %s\n", what, which);
	abort();
}

int error_code(const char *name)
{
	for (int i = 0; i < ERRORS; i++)
		if (!strcmp(errors[i].name, name))
			return errors[i].code;
	refuse("no such error", name);
}

bool parse_address(const char *text, unsigned int *domain, unsigned int *bus, unsigned int *device)
{
	unsigned int function = 0;
	int end = 0;

	*domain = 0;
	if (sscanf(text, "%x:%x:%x%n", domain, bus, device, &end) != 3) {
		*domain = 0;
		if (sscanf(text, "%x:%x%n", bus, device, &end) != 2)
			return false;
	}
	return !text[end] || sscanf(text + end, ".%x", &function) == 1;
}

void log_call(const char *call, const struct gpu *gpu, const char *detail)
{
	char line[256], address[32] = "-";
	int length;

	if (machine.log < 0)
		return;
	if (gpu)
		snprintf(address, sizeof(address), "%04x:%02x:%02x.0%s", gpu->domain, gpu->bus, gpu->device,
			 gpu->whole ? "/mig" : "");
	length = snprintf(line, sizeof(line), "%s %s%s%s\n", call, address, *detail ? " " : "", detail);
	if (write(machine.log, line, (size_t)length) < 0)
		refuse("cannot write the log", call);
}

int misuse(const char *call, const char *what, int code)
{
	char line[256];

	snprintf(line, sizeof(line), "misuse: %s", what);
	log_call(call, NULL, line);
	return code;
}

/* ---- values */

static cJSON *member(const cJSON *said, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(said, key);
}

static double number_of(const cJSON *said, const char *key)
{
	const cJSON *item = member(said, key);

	return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

/* One after the other, over and over. */
static const cJSON *next_sample(cJSON *list)
{
	cJSON *first = cJSON_DetachItemFromArray(list, 0);

	cJSON_AddItemToArray(list, first);
	return first;
}

/* A counter; one of 32 bits wraps. */
static double grown(const cJSON *item)
{
	double value = number_of(item, "base") +
		       number_of(item, "per_s") * (machine_s() - number_of(item, "from_ms") / 1e3);
	double wraps = number_of(item, "wraps");

	return wraps > 0 ? value - wraps * (double)(long long)(value / wraps) : value;
}

int tell_item(const cJSON *item, long long otherwise, long long *value)
{
	cJSON *samples;

	if (!item && otherwise <= OTHERWISE(0))
		return (int)(OTHERWISE(0) - otherwise);
	if (!item) {
		*value = otherwise;
		return NVML_SUCCESS;
	}
	if (cJSON_IsNull(item))
		return NVML_NOT_SUPPORTED;
	if (cJSON_IsString(item))
		return error_code(item->valuestring);
	samples = cJSON_IsObject(item) ? cJSON_GetObjectItemCaseSensitive(item, "samples") : NULL;
	if (samples)
		return tell_item(next_sample(samples), otherwise, value);
	if (cJSON_IsObject(item))
		*value = (long long)grown(item);
	else
		*value = cJSON_IsBool(item) ? cJSON_IsTrue(item) : (long long)item->valuedouble;
	return NVML_SUCCESS;
}

int tell(const cJSON *said, const char *key, long long otherwise, long long *value)
{
	return tell_item(member(said, key), otherwise, value);
}

int tell_fraction(const cJSON *said, const char *key, double *value)
{
	const cJSON *item = member(said, key);
	long long number = 0;
	int error = tell_item(item, OTHERWISE(NVML_NOT_SUPPORTED), &number);

	*value = cJSON_IsNumber(item) ? item->valuedouble : (double)number;
	return error;
}

/* A text is a text; an error is {"error": "NO_PERMISSION"}, or null. */
int tell_text(const cJSON *said, const char *key, const char *otherwise, const char **text)
{
	const cJSON *item = member(said, key);

	if (cJSON_IsObject(item))
		return error_code(member(item, "error")->valuestring);
	*text = item ? item->valuestring : otherwise;
	return *text ? NVML_SUCCESS : NVML_NOT_SUPPORTED;
}

/* ---- faults */

static bool text_differs(const cJSON *wanted, const char *text)
{
	return wanted && strcmp(wanted->valuestring, text);
}

static bool is_meant(const cJSON *fault, const char *call, const struct gpu *gpu, const char *detail)
{
	const cJSON *where = member(fault, "gpu");
	unsigned int domain, bus, device;

	if (1e3 * machine_s() < number_of(fault, "after_ms"))
		return false;
	if (text_differs(member(fault, "call"), call) || text_differs(member(fault, "detail"), detail))
		return false;
	if (!where)
		return true;
	return gpu && parse_address(where->valuestring, &domain, &bus, &device) && domain == gpu->domain &&
	       bus == gpu->bus && device == gpu->device;
}

static int commit(const cJSON *fault)
{
	const char *deed = member(fault, "do")->valuestring;
	const cJSON *code = member(fault, "code");

	if (!strcmp(deed, "error"))
		return cJSON_IsString(code) ? error_code(code->valuestring) : code->valueint;
	if (!strcmp(deed, "hang"))
		for (;;)
			pause();
	if (!strcmp(deed, "crash")) {
		signal(SIGSEGV, SIG_DFL);
		raise(SIGSEGV);
	}
	if (!strcmp(deed, "spin"))
		for (volatile unsigned int turns = 0;; turns++)
			continue;
	if (!strcmp(deed, "exit"))
		_exit(42);
	refuse("no such deed of a fault", deed);
}

int fault_of(const char *call, const struct gpu *gpu, const char *detail)
{
	const cJSON *fault;
	int number = 0;

	cJSON_ArrayForEach(fault, member(machine.said, "faults"))
	{
		const cJSON *nth = member(fault, "nth");

		if (!is_meant(fault, call, gpu, detail))
			number++;
		else if (++machine.matched[number++] && (!nth || (int)machine.matched[number - 1] == nth->valueint))
			return commit(fault);
	}
	return NVML_SUCCESS;
}

/* ---- the script */

/* Whose values an entry changes: those of a GPU, of an instance of it, or of the machine. */
static cJSON *changed_by(const cJSON *entry)
{
	const cJSON *where = member(entry, "gpu"), *instance = member(entry, "instance");
	unsigned int domain, bus, device;

	if (!where)
		return machine.said;
	if (!parse_address(where->valuestring, &domain, &bus, &device))
		refuse("no address in the script", where->valuestring);
	for (unsigned int i = 0; i < machine.gpu_count; i++) {
		const struct gpu *gpu = &machine.gpus[i];

		if (gpu->domain != domain || gpu->bus != bus || gpu->device != device)
			continue;
		return instance ? gpu->instances[instance->valueint].said : gpu->said;
	}
	refuse("no such GPU in the script", where->valuestring);
}

/* Counters go on from where they are, but where the entry says otherwise. */
static void change(cJSON *said, const cJSON *to, double at_ms)
{
	cJSON *new = cJSON_Duplicate(to, true);
	long long now = 0;

	if (member(new, "per_s")) {
		cJSON_AddNumberToObject(new, "from_ms", at_ms);
		if (!member(new, "base") && !tell_item(member(said, to->string), 0, &now))
			cJSON_AddNumberToObject(new, "base", (double)now);
	}
	/* What was there before stays in memory: instances may point into it. */
	cJSON_AddItemToArray(machine.past, cJSON_DetachItemFromObjectCaseSensitive(said, to->string));
	cJSON_AddItemToObject(said, to->string, new);
}

void follow_script(void)
{
	while (machine.next && number_of(machine.next, "t_ms") <= 1e3 * machine_s()) {
		cJSON *said = changed_by(machine.next);
		const cJSON *to;

		cJSON_ArrayForEach(to, machine.next)
		{
			if (strcmp(to->string, "t_ms") && strcmp(to->string, "gpu") && strcmp(to->string, "instance"))
				change(said, to, number_of(machine.next, "t_ms"));
		}
		machine.next = machine.next->next;
	}
}

/* ---- reading it */

static bool is_call(const char *name)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (!strcmp(calls[i], name))
			return true;
	return !strncmp(name, "NVML field ", strlen("NVML field ")) || !strcmp(name, "load") || !strcmp(name, "unload");
}

static char *read_file(const char *path)
{
	enum { MOST_BYTES = 64 << 20 };
	char *text = malloc(MOST_BYTES);
	FILE *file = fopen(path, "re");
	size_t length;

	if (!file || !text)
		refuse("cannot read", path);
	length = fread(text, 1, MOST_BYTES - 1, file);
	text[length] = '\0';
	fclose(file);
	return text;
}

static void add_instances(struct gpu *gpu)
{
	cJSON *instance;

	gpu->instances = &machine.instances[machine.instance_count];
	cJSON_ArrayForEach(instance, member(member(gpu->said, "mig"), "instances"))
	{
		struct gpu *new = &machine.instances[machine.instance_count++];

		*new = *gpu;
		new->said = instance;
		new->whole = gpu;
		gpu->instance_count++;
	}
}

static void add_gpu(cJSON *said)
{
	struct gpu *gpu = &machine.gpus[machine.gpu_count];
	const cJSON *address = member(said, "pci");

	if (!address || !parse_address(address->valuestring, &gpu->domain, &gpu->bus, &gpu->device))
		refuse("a GPU has no address", address ? address->valuestring : "");
	gpu->said = said;
	gpu->index = machine.gpu_count++;
	add_instances(gpu);
}

static void check_faults(void)
{
	const cJSON *fault;

	if (cJSON_GetArraySize(member(machine.said, "faults")) > MOST_FAULTS)
		refuse("too many faults", "");
	cJSON_ArrayForEach(fault, member(machine.said, "faults"))
	{
		const cJSON *call = member(fault, "call");

		if (call && !is_call(call->valuestring))
			refuse("a fault is of no call", call->valuestring);
	}
}

/* As the process ends, after all answers. */
static void __attribute__((destructor)) unload(void)
{
	if (machine.said)
		fault_of("unload", NULL, "");
}

static void __attribute__((constructor)) load(void)
{
	const char *told = getenv("GPUDIAG_FAKE_NVML"), *log = getenv("GPUDIAG_FAKE_NVML_LOG");
	char path[4096];
	cJSON *gpu;
	Dl_info self;
	char *text;

	if (!dladdr(&machine, &self))
		refuse("does not know where it is", "");
	snprintf(path, sizeof(path), "%s", self.dli_fname);
	snprintf(strrchr(path, '/') + 1, sizeof("nvml.json"), "nvml.json");
	text = read_file(told ? told : path);
	machine.said = cJSON_Parse(text);
	if (!machine.said)
		refuse("is no JSON", told ? told : path);
	free(text);
	if (log)
		machine.log = open(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	cJSON_ArrayForEach(gpu, member(machine.said, "gpus")) add_gpu(gpu);
	check_faults();
	machine.loaded_s = seconds_now();
	machine.is_told_time = getenv("GPUDIAG_FAKE_NVML_MS");
	machine.past = cJSON_CreateArray();
	machine.next = member(machine.said, "script") ? member(machine.said, "script")->child : NULL;
	fault_of("load", NULL, "");
}
