/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * article.h - an article of a vendor's knowledge base: it tells what logs look like on machines that have a trouble. No
 * machine under test printed them.
 */
#pragma once

#include "import/document/left_out.h"

/* The whole text. */
bool article_next(const struct dump_line *lines, size_t nr, size_t from, struct left_out *ret);
