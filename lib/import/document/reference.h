/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reference.h - what a program's reference and its notes of changes list: messages with what they mean, and those that
 * a release treats otherwise than the one before. No machine under test printed them.
 */
#pragma once

#include "import/document/left_out.h"

bool reference_next(const struct dump_line *lines, size_t nr, size_t from, struct left_out *ret);
