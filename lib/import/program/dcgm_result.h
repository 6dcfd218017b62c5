/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dcgm_result.h - a result of DCGM's diagnostic, however it was printed, into the snapshot. */
#pragma once

#include "import/dump/dump.h"

enum { DCGM_NO_GPU = -1, DCGM_SEVERITY_CONFIG = 5, DCGM_MAX_GPUS = 64 };

struct dcgm_result {
	const char *test;	/* in DCGM's words: "memory" */
	int gpu;		/* DCGM's number of it, or DCGM_NO_GPU */
	const char *status;	/* "Pass", "FAIL", "Skip - All" … */
	const char *words;	/* NULL: none */
	int error, category, severity;	/* of DCGM 4's JSON; 0: not told */
};

/* "pass", "fail", "warn", "skip" by how a text begins; NULL: none of these. */
const char *dcgm_status(const char *text);

/* The same of the words of its health watches, "Healthy", "Warning", "Failure". */
const char *dcgm_health_status(const char *text);

/*
 * Puts it. Of several of one test of one GPU the worst counts. NULL where the status is none, or there are too many;
 * what it returns moves when others are put.
 */
struct diagnostic_result *dcgm_put_result(struct reading *reading, struct dump_line *line,
					  const struct dcgm_result *result);

/* The same of a GPU that is known otherwise; NULL: of the node. */
struct diagnostic_result *dcgm_put_result_of(struct reading *reading, struct dump_line *line,
					     const struct dcgm_result *result, struct gpu *gpu);

/* Puts what it says of a result; is it of a fabric that is not ready, an error of the programs' too. */
#define DCGM_NOT_READY "system not yet initialized"
void dcgm_put_words(struct reading *reading, struct dump_line *line, struct diagnostic_result *to, const char *words);

/* The number behind "GPU " in its words, or DCGM_NO_GPU. */
int dcgm_gpu_of_words(const char *words);
/* DCGM numbers its GPUs as NVIDIA's library does. */
struct gpu *dcgm_gpu(struct reading *reading, struct dump_line *line, int number);

void dcgm_put_driver(struct reading *reading, struct dump_line *line, const char *version);
