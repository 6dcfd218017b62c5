/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bench_storage.h - storage in a bench (gpudiag bench storage PATH). Private to bench_*.c. */
#pragma once

#include "base/json_writer.h"
#include "render/term_writer.h"
#include "snapshot/snapshot.h"

/* A table for each path. */
void bench_storage_put(struct term_writer *term, struct arena *arena, const struct snapshot *snapshot);
/* "storage": the records as a snapshot has them. */
void bench_storage_json(struct json_writer *w, const struct snapshot *snapshot);
