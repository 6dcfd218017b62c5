// SPDX-License-Identifier: GPL-2.0-or-later
/* nvml_machine.c - reads nvml.json, and writes the log. See nvml.c. */
#include "nvml_machine.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

const char *error_name(int code)
{
	for (int i = 0; i < ERRORS; i++)
		if (errors[i].code == code)
			return errors[i].name;
	return NULL;
}

void refuse(const char *what, const char *which)
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
