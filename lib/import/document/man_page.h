/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * man_page.h - a page of a manual, by the line above it ("DF(1)  User Commands  DF(1)"), by the head of its source
 * (".TH DF 1"), by its section of the name or by that of its examples, if a part of it was copied: what a tool printed on some machine stands there as an example.
 */
#pragma once

#include "import/document/left_out.h"

/* The page up to where somebody types a command, or the section. */
bool man_page_next(const struct dump_line *lines, size_t nr, size_t from, struct left_out *ret);
