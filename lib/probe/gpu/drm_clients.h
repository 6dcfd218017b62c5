/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drm_clients.h - how busy a GPU's engines are, from the fdinfo of its
 * clients (K7.2 Documentation/gpu/drm-usage-stats.rst).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "snapshot/value.h"
#include "sys/cached_fd.h"

/* ---- pure */

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

/* ---- the clients of one GPU, read again and again */

struct watched_client;

/* Zeroed is none. */
struct drm_clients {
	struct watched_client *list;
	size_t nr;			/* each keeps a file open */
	bool engines_told;		/* one of them has named an engine */
	uint64_t start_ns, last_ns;	/* the first and the last reading of them all */
};

/*
 * Watches the client of /proc/PID/fdinfo/FD, in that arena. 1; 0: not a client of that GPU, or one that is watched
 * already; -EMFILE: too many files are open.
 */
int drm_clients_add(struct drm_clients *clients, struct arena *arena, const struct root *root, const char *address,
		    const char *pid, const char *fd);
/* All are known: what they do counts from now on. */
void drm_clients_start(struct drm_clients *clients);
/* Use of the busiest engine since the last call; VAL_UNSET where there is no client, or too little time passed. */
struct val_f64 drm_clients_use(struct drm_clients *clients, const char *address);
/* The same since the start. */
double drm_clients_use_since_start(const struct drm_clients *clients);
void drm_clients_close(struct drm_clients *clients);
