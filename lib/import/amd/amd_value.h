/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * amd_value.h - values of amd-smi and rocm-smi, and the fields of a GPU that they are (amd_keys.def).
 *
 *	struct amd_gpu at;
 *
 *	amd_gpu_begin(reading, &at, line, index, address or NULL);
 *	amd_take(reading, &at, AMD_SMI, "temperature/edge", "41 C", line);	as often as there are values
 *	amd_gpu_end(reading, &at);
 */
#pragma once

#include "import/amd/amd_counter.h"
#include "import/amd/amd_word.h"

enum amd_tool { AMD_SMI, ROCM_SMI };

/*
 * The GPU of that number in the tool's lists; address: NULL where it is not told. A GPU of the part that has the number
 * goes on.
 */
void amd_gpu_begin(struct reading *reading, struct amd_gpu *at, struct dump_line *line, uint64_t index,
		   const char *address);
/* Takes a value, "41 C"; path: in small letters. false: no field holds it. */
bool amd_take(struct reading *reading, struct amd_gpu *at, enum amd_tool tool, const char *path, const char *value,
	      struct dump_line *line);
/*
 * Its line of a table has nothing that was measured; which table. That its twins' lines have is for the checks to see.
 */
void amd_mute(struct reading *reading, struct amd_gpu *at, const char *why, struct dump_line *line);
/* Its values are over. */
void amd_gpu_end(struct reading *reading, struct amd_gpu *at);

/*
 * amd_topo.c: what joins a GPU to another one, by whose address or "GPU1" the path is keyed. Other words say nothing of
 * it.
 */
void amd_take_path_link(struct reading *reading, struct dump_line *line, struct gpu *gpu, const char *to,
			const char *word);
void amd_take_path_hops(struct reading *reading, struct dump_line *line, struct gpu *gpu, const char *to,
			uint64_t hops);
