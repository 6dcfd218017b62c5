/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compat.h - what every file of the project includes first.
 *
 * _GNU_SOURCE comes from the Makefile, so that headers see it whatever the
 * include order. Functions that cannot be used safely are made compile errors
 * at the end of this file: a bounded relative of each exists.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define PRINTF_LIKE(format_at, args_at) __attribute__((format(printf, format_at, args_at)))
#define FALLTHROUGH __attribute__((fallthrough))
#define MUST_CHECK __attribute__((warn_unused_result))
#define NORETURN __attribute__((noreturn))

#undef strcpy
#undef strcat
#undef sprintf
#undef vsprintf
#undef strncpy
#undef strtok
#undef gets
#undef alloca
#pragma GCC poison strcpy strcat sprintf vsprintf strncpy strncat strtok strtok_r gets atoi atol atof alloca setlocale
