/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * delivery.h - where what a command says goes: standard output or a file,
 * opened before anything is measured, written at the end, and never lost.
 */
#pragma once

#include "sys/write_file.h"

struct delivery {
	const char *path;		/* NULL and "-": standard output */
	struct write_target target;
};

/* Is that path, of an option, standard output: NULL or "-"? */
bool is_stdout(const char *path);

/* Finds the place, but for standard output, and tries it: dies with status 64 where nothing can be written there. */
void delivery_try(struct write_target *ret, const char *path);
/* After a failure: what is in the way, in words. */
const char *delivery_reason(const struct write_target *target, int err);

/* The same of a whole file. What was there stays until delivery_put(). */
void delivery_open(struct delivery *ret, const char *path);

/* Standard output, a pipe, a terminal: whoever reads it may never come. What does not wait is written first. */
bool delivery_may_wait(const struct delivery *delivery);

/*
 * Writes all of it, and closes. From what may wait an interrupting signal ends
 * the program, as by default. What cannot be written to a file goes to
 * standard output instead, unless something else was opened for it or went
 * there: complains and returns EXIT_INTERNAL. A reader that closed the pipe is
 * no failure.
 */
int delivery_put(struct delivery *delivery, const char *data, size_t len);

/* To standard output, by a command that measures nothing. */
int deliver(const char *data, size_t len);

/* Dies with status 64 where output would replace the file that input names. Each may be NULL or "-". */
void check_not_replaced(const char *input, const char *output);
