/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unlisted_error.h - what programs and services print of an error of GPUs in words that no reader knows: whoever reads
 * its line knows where to look.
 */
#pragma once

#include "import/dump/dump.h"

bool unlisted_error_is_in(const char *text);
bool unlisted_error_is_at(const struct dump_part *part, size_t at);

/* The same of a line that names no GPU, where another line of the text does. */
bool unlisted_error_is_about(const char *text);
bool unlisted_error_may_be_in(const char *text);
bool unlisted_error_is_beside(const struct dump_part *part, size_t at);
