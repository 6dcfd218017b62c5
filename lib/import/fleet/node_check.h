/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * node_check.h - programs that look after nodes: is a line one of theirs, and what the lines of a part say. Whose test
 * it is stands before its name: "NHC's check_gpu_count".
 */
#pragma once

#include "import/dump/dump.h"

bool nhc_is_in(const char *text);
void nhc_read(struct reading *reading);

bool rvs_is_in(const char *text);
void rvs_read(struct reading *reading);

bool amd_metrics_is_in(const char *text);
void amd_metrics_read(struct reading *reading);
