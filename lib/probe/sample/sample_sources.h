/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sample_sources.h - the sources of the node and of its processes, each at the end of its file; for the table. */
#pragma once

#include "probe/sample/sample.h"

extern const struct sample_source sample_host, sample_tasks;
