/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nvml_machine.h - the machine that the fake NVML speaks of: nvml.json, its values and its faults. See nvml.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <cjson/cJSON.h>

/* nvmlReturn_t (nvml.h): those that the fake gives by itself. */
enum {
	NVML_SUCCESS = 0,
	NVML_UNINITIALIZED = 1,
	NVML_INVALID_ARGUMENT = 2,
	NVML_NOT_SUPPORTED = 3,
	NVML_NOT_FOUND = 6,
	NVML_INSUFFICIENT_SIZE = 7,
	NVML_TIMEOUT = 10,
	NVML_CORRUPTED_INFOROM = 14,
	NVML_GPU_IS_LOST = 15,
	NVML_ARGUMENT_VERSION_MISMATCH = 25,
	NVML_UNKNOWN = 999,
};

enum { MOST_GPUS = 64, MOST_INSTANCES = 8, MOST_FAULTS = 64 };

/* What a handle points to: a GPU, or a MIG instance of one. */
struct gpu {
	cJSON *said; /* its part of nvml.json */
	struct gpu *whole; /* of an instance: the GPU it is a part of; else NULL */
	unsigned int index;
	unsigned int domain, bus, device;
	unsigned int instance_count;
	struct gpu *instances;
};

struct machine {
	cJSON *said;
	struct gpu gpus[MOST_GPUS];
	struct gpu instances[MOST_GPUS * MOST_INSTANCES];
	unsigned int gpu_count, instance_count;
	unsigned int matched[MOST_FAULTS]; /* calls that a fault spoke of, in this process */
	int users;			   /* nvmlInit less nvmlShutdown */
	double loaded_s;
	cJSON *past; /* what the script has changed */
	const cJSON *next; /* of "script": the first entry whose time has not come */
	bool is_told_time; /* by GPUDIAG_FAKE_NVML_MS */
	int log;
};

/* The one machine, read as the library is loaded. */
extern struct machine machine;

/* A test that means another fake than there is must not pass. */
void __attribute__((noreturn)) refuse(const char *what, const char *which);

double seconds_now(void);
/* Since the library was loaded, or as GPUDIAG_FAKE_NVML_MS tells. */
double machine_s(void);
/* What the script has by now takes effect. */
void follow_script(void);
const char *error_name(int code);
int error_code(const char *name);

/* Numbers of an address, in any of the forms NVML takes; false: none of them. */
bool parse_address(const char *text, unsigned int *domain, unsigned int *bus, unsigned int *device);

/* A line of the log that GPUDIAG_FAKE_NVML_LOG names. */
void log_call(const char *call, const struct gpu *gpu, const char *detail);
/* The caller did what no caller should: the log says so, and the call returns code. */
int misuse(const char *call, const char *what, int code);

/* Refuses faults of calls that there are not. */
void check_faults(void);
/* The fault, if any, that the machine has for this call: it does not come back, or returns its error. */
int fault_of(const char *call, const struct gpu *gpu, const char *detail);

cJSON *member(const cJSON *said, const char *key);
/* 0 where there is none. */
double number_of(const cJSON *said, const char *key);

/* Values that are absent have a default: a number, or the error that OTHERWISE() makes of a code. */
#define OTHERWISE(code) (-1000LL - (code))

/* A value of a GPU or of the machine, with its NVML error. */
int tell(const cJSON *said, const char *key, long long otherwise, long long *value);
int tell_item(const cJSON *item, long long otherwise, long long *value);
/* The same of a number with a fraction. */
int tell_fraction(const cJSON *said, const char *key, double *value);
int tell_text(const cJSON *said, const char *key, const char *otherwise, const char **text);
