/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * quoted_error.h - errors in lines that no reader takes, as they have the form of a manual, a source, a test or a
 * table, or stand in a sentence about them. A ticket may quote its log in such a form: nobody is to believe that there
 * was none.
 */
#pragma once

#include "import/dump/dump.h"

bool quoted_error_is_in(const char *text);
bool quoted_error_is_at(const struct dump_part *part, size_t at);
