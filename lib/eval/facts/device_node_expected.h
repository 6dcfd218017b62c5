/* SPDX-License-Identifier: GPL-2.0-or-later */
/* device_node_expected.h - whether a GPU's device node should have been made. */
#pragma once

#include "snapshot/snapshot.h"

/* Other GPUs of its driver have theirs, in a way that this one should have its own: check gpu-access tells. */
bool device_node_is_expected(const struct snapshot *snapshot, const struct gpu *gpu);
