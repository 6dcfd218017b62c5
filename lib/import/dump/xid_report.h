/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xid_report.h - what a monitor tells of a GPU: an Xid, or an error by a name. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

struct xid_report {
	uint64_t xid;
	const char *address;	/* of its GPU; NULL: not told, */
	uint64_t index;		/* or NVIDIA's number of it; UINT64_MAX: not told */
	const char *uuid;	/* NULL: not told */
	const char *error;	/* DCGM's name of an error that is no Xid; NULL: it is none, */
	const char *words;	/* and what was said of it; */
	bool is_mild;		/* it is no failure */
};

/* Does a code of NVSentinel's begin there: an Xid, one of DCGM's names, DCGM_FR_…, or one of its own, GPU_…? */
bool xid_report_is_code(const char *text);

/* A code of an event, "79", "XID_79", "DCGM_FR_…", with what was said of it. */
void xid_report_code(struct arena *arena, const char *code, const char *words, bool is_mild, struct xid_report *ret);

/* "Detected XID 31 for GPU 4": what is told of the GPU is the kernel's event; 0: it is none. */
uint64_t xid_report_words(const char *words);
