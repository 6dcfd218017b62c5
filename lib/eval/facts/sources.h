/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sources.h - the dumps that a snapshot was made of. */
#pragma once

#include "snapshot/snapshot.h"

/* A section of a bug report, which is named in its place. */
bool source_is_section(const struct snapshot *snapshot, const struct import_source *source);
