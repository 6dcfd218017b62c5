/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * window_engines.h - how busy a GPU's engines are, from the fdinfo of its
 * clients (K7.2 Documentation/gpu/drm-usage-stats.rst). Pure.
 */
#ifndef GPUDIAG_PROBE_WINDOW_ENGINES_H
#define GPUDIAG_PROBE_WINDOW_ENGINES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compat.h"

enum { MAX_ENGINES = 16, ENGINE_NAME_BYTES = 32 };

/* An engine as one client used it, or as all did over an interval. */
struct engine {
	char name[ENGINE_NAME_BYTES];
	uint64_t busy;			/* nanoseconds, or cycles where total is in use */
	uint64_t total;			/* cycles the engine had, the same for every client */
	uint64_t capacity;		/* alike engines behind the name; 0 where it is not said: 1 */
	bool in_cycles;
};

struct engines {
	struct engine engine[MAX_ENGINES];
	size_t nr;
};

/* What fdinfo says of one client. */
struct drm_client {
	char address[32];		/* drm-pdev; "" where the driver names none */
	uint64_t id;			/* drm-client-id */
	bool has_id;
	struct engines engines;
};

/* False: not the fdinfo of a DRM node. */
bool drm_client_parse(const char *text, struct drm_client *ret);

/* Adds to sum what a client used between two readings of it; what fell counts as unchanged. */
void engines_add_growth(struct engines *sum, const struct engines *start, const struct engines *end);
/* Brings a reading up to date; a number that fell for a moment keeps its larger one. */
void engines_update(struct engines *kept, const struct engines *now);
/* Use of the busiest of them, per cent; 0 where there is none. */
double engines_busiest(const struct engines *grown, uint64_t elapsed_ns);

#endif
