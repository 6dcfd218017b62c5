/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nvbandwidth.h - what the text and the JSON of nvbandwidth have in common: a line that says what a matrix holds. */
#pragma once

#include "import/dump/tool_figure.h"

struct nvbandwidth_form {
	enum tool_way way;
	enum tool_unit unit;
	double scale;		/* of a figure to that unit */
};

/* "memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)"; false: it is none. */
bool nvbandwidth_form(const char *description, struct nvbandwidth_form *ret);
/* "2.5" of a version as it is printed, "v2.5", and any other as it stands. NULL: there is none. */
const char *nvbandwidth_version(struct arena *arena, const char *text);
