/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * runtime_error.h - errors of CUDA, HIP, HSA, Level Zero, SYCL and OpenCL by their names and words, whoever prints
 * them.
 */
#pragma once

#include <stddef.h>

struct runtime_error {
	const char *key;	/* as program_errors has it */
	const char *words;	/* the name, or what the runtime's function for it says */
	const char *call;	/* in the line, before it: which call failed so; NULL: none is named */
};

/* Where a program prints one in that line; NULL: it does not. */
const char *runtime_error_find(const char *text, struct runtime_error *ret);
