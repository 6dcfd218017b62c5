/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shim_plan.h - what shim_icd.c is told to do wrong, and on which call of which device. See there. */
#pragma once

#include "base/compat.h"

#include <stdbool.h>
#include <stdint.h>

#include <cjson/cJSON.h>

/* Who calls what. The rest of a fault's words are about the deed. */
struct shim_call {
	const char *call;	/* "clEnqueueNDRangeKernel" */
	const char *kernel;	/* of a launch; NULL */
	const char *host;	/* of a transfer: "mapped" or "ordinary" memory of the host; NULL */
	int device;		/* place among the driver's; -1: the call is about none */
};

/* Reads the file that GPUDIAG_SHIM names, else shim.json beside the library. A file that is none ends the process. */
void shim_plan_read(void);

/* Words of the whole plan, and of one device: its own, else those of "device". */
const cJSON *shim_said(const char *key);
const cJSON *shim_device_said(int device, const char *key);
double shim_number(const cJSON *said, const char *key, double otherwise);
const char *shim_text(const cJSON *said, const char *key, const char *otherwise);

/*
 * The faults of one deed that this call is due, one after the other: begin with *at 0. NULL ends them. Faults of a
 * deed are counted by shim_count() first, once for each call.
 */
void shim_count(const struct shim_call *call);
const cJSON *shim_due(const struct shim_call *call, const char *deed, int *at);

/* The same of faults that are there all the time, whatever is called. */
const cJSON *shim_standing(int device, const char *deed, int *at);

/* A number that the fault keeps from call to call, 0 at first. */
double *shim_kept(const cJSON *fault);
