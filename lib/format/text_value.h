/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text_value.h - a text that was read, as a value: cleaned, and checked to be what it should be. Pure. */
#pragma once

#include "base/arena.h"
#include "snapshot/value.h"

/* No text of one value is longer; the kernel's own command line is 4 KiB at most. */
enum { MAX_TEXT_BYTES = 8192 };

/* A copy in which bytes that are not UTF-8 are replaced. */
const char *text_cleaned(struct arena *arena, const char *text, size_t len);
/* "reads \"Unknown\"": why a text is no value. */
const char *text_quoted(struct arena *arena, const char *text, size_t len);

/*
 * One line of a file as a value, bytes that are not UTF-8 replaced. One that is
 * longer than any value is an error: it must not cost the worker its frame.
 */
struct val_str text_value(struct arena *arena, const char *text, size_t len);

/* The text itself where it is a list of CPUs or not known, else an error that quotes it. */
struct val_str checked_cpulist(struct arena *arena, struct val_str text);

/*
 * The same where it is a version: of an NVIDIA driver, which is numbers with points ("550.54.14"); of whatever maker, a
 * word with a number in it ("2.13.0g", "6.2.0-66", "96.00.74.00.01").
 */
struct val_str checked_driver_version(struct arena *arena, struct val_str text);
struct val_str checked_version(struct arena *arena, struct val_str text);
