/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sample_gpu_sources.h - the sources of GPUs, each at the end of its file; for the table (collect/sample_table.c). */
#pragma once

#include "probe/sample/sample.h"

extern const struct sample_source sample_nvml, sample_files;
