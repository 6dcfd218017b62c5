/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shim.h - what the parts of the shim (shim_icd.c) share. */
#pragma once

#include "shim_plan.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl_icd.h>

/* PoCL's own calls. */
extern struct _cl_icd_dispatch shim_real;

/* Puts the calls of shim_work.c into the table. */
void shim_hook_work(struct _cl_icd_dispatch *table);

/* Places among the driver's devices; -1: it is none of them. */
int shim_device(cl_device_id device);
int shim_device_of_queue(cl_command_queue queue);
int shim_device_of_context(cl_context context);

/*
 * Counts a call and does what needs no more than its name: hang, crash, exit, error. CL_SUCCESS: go on. What it is
 * to sleep before it goes on was slept.
 */
cl_int shim_begin(const struct shim_call *call);

void NORETURN shim_hang(void);

/* A line of the log. */
void shim_log(const char *what, const char *which);

/* A call that is no launch. */
#define SHIM_CALL(name, of) (&(const struct shim_call){ .call = (name), .kernel = NULL, .host = NULL, .device = (of) })
