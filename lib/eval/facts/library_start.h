/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * library_start.h - by dumps: NVIDIA's management library did not start, and another output of the same ticket lists
 * GPUs through it. Which of them is the newer decides whether there is a fault now.
 */
#pragma once

#include "snapshot/snapshot.h"

/* A GPU as the library opened it, by a dump of Linux; NULL: none, or no dump. */
const struct gpu *library_opened_gpu(const struct snapshot *snapshot);

enum library_start {
	START_FAILED,		/* no other output lists a GPU, or the failure stands below it in the same text */
	START_FAILED_EARLIER,	/* the list stands below the failure in the same text */
	START_UNORDERED,	/* they are of two files, of which nothing tells the newer */
};

/* Of a snapshot of dumps whose nvml.init is an error. */
enum library_start library_start(const struct snapshot *snapshot);

/*
 * The driver refused its library, and lists GPUs further down with a library of that version: it was reloaded between.
 * Another version there is that of a host, whose container has the old library.
 */
bool library_mismatch_is_over(const struct snapshot *snapshot);
