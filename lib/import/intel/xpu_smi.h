/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xpu_smi.h - values of Intel's xpu-smi, as JSON of releases 1 and 2 or as tables, and the fields of a GPU that they
 * are.
 */
#pragma once

#include "import/dump/dump.h"

enum { NR_XPU_COUNTERS = 10 };

/* A GPU whose values are being read. */
struct xpu_gpu {
	struct gpu *gpu;	/* NULL: none */
	bool is_told[NR_XPU_COUNTERS];	/* of this sample: tiles add to it */
};

/* The GPU of that number, and a sample of it begins; address: NULL where it is not told. */
struct xpu_gpu xpu_gpu(struct reading *reading, struct dump_line *line, uint64_t index, const char *address);

/*
 * Takes a value by its name: the key of JSON or the words of a table, in small letters, with blanks for "_". section:
 * the object or row it is in, "" where there is none. false: no field holds it.
 */
bool xpu_take(struct reading *reading, struct xpu_gpu *gpu, const char *section, const char *name, const char *value,
	      struct dump_line *line);
/* Its values are over. */
void xpu_gpu_end(struct gpu *gpu);
