/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sources.h - the dumps that a snapshot was made of. */
#pragma once

#include "snapshot/snapshot.h"

/* Whose line it was, `from` of a value: NULL where no dump told it, or a part that is not in the snapshot. */
const struct import_source *source_of(const struct snapshot *snapshot, uint32_t from);

/* A section of a bug report, which is named in its place. */
bool source_is_section(const struct snapshot *snapshot, const struct import_source *source);

/* "ticket.txt:12 (nvidia-smi -q)", in the arena; of a line that no source has "?". */
const char *source_place(struct arena *arena, const struct snapshot *snapshot, uint32_t from);
/* What people call it: of a file from the node its path there. */
const char *source_words(const struct import_source *source);
