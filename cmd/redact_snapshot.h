/* SPDX-License-Identifier: GPL-2.0-or-later */
/* redact_snapshot.h - a snapshot that may be given away, with pseudonyms that stay the same on this machine. */
#pragma once

#include "snapshot/snapshot.h"

void redact_snapshot(struct snapshot *snapshot);
