/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sample_sources.h - the sources of ticks there are; each stands at the end of its file. */
#pragma once

#include "probe/sample/sample.h"

extern const struct sample_source sample_host, sample_tasks, sample_nvml, sample_files;
