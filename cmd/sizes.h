/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sizes.h - sizes as people write them: 4K,1M or 4K..256M. */
#ifndef GPUDIAG_CMD_SIZES_H
#define GPUDIAG_CMD_SIZES_H

#include "cmd/opts.h"
#include "snapshot/snapshot.h"

/*
 * Adds the option's sizes to those there are, rising, each once: numbers with
 * K, M or G for 2^10, 2^20 and 2^30, parted by commas; FROM..TO is FROM and
 * each double of it up to TO. Dies with status 64 where they are none.
 */
void option_sizes(const struct option_parser *parser, struct arena *arena, struct f64s *ret);

#endif
