/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xpu_verdict.h - what xpu-smi itself says of a GPU: the health of its parts, and results of its diagnostic. */
#pragma once

#include "import/dump/dump.h"

/*
 * Takes "status" and "description" of a part ("gpu core temperature", "xe link port"), or "result" and "message" of a
 * test ("software library"): section is the part or test, as xpu_take() gets it. false: it is none of these.
 */
bool xpu_take_verdict(struct reading *reading, struct gpu *gpu, const char *section, const char *name,
		      const char *value, struct dump_line *line);
/* More words of the description or message that was last taken for this section. */
void xpu_add_words(struct reading *reading, struct gpu *gpu, const char *section, const char *words,
		   struct dump_line *line);
