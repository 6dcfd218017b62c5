/* SPDX-License-Identifier: GPL-2.0-or-later */
/* models.h - what GPUs can at most, by their makers' data sheets (models.def). */
#pragma once

#include "snapshot/snapshot.h"

struct gpu_model {
	const char *vendor_id, *device_id;
	const char *name;
	double memory_gbps, fp32_gflops;
	size_t nvlinks;			/* to NVSwitches, of a module that is made for a board with them; else 0 */
	const char *source;		/* "NVIDIA H100 data sheet" */
};

/* NULL: the table has no such model. */
const struct gpu_model *gpu_model_of(const struct gpu *gpu);

/*
 * Of a GPU of which no more than its name may be known: is it a module on a board that joins it to others? Cards are
 * not.
 */
bool gpu_is_module_by_name(const struct gpu *gpu);
/* Of a board that uses all links of each GPU; boards of the first modules may join fewer. */
bool gpu_is_on_full_board_by_name(const struct gpu *gpu);
