/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * link_modes.h - the modes of a network link, as the kernel numbers them (include/uapi/linux/ethtool.h, enum
 * ethtool_link_mode_bit_indices), and their speeds. Pure.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * The fastest mode that is in both masks of nr_words words each, mode 0 the lowest bit of the first: its speed in Mb/s.
 * 0: they have none in common, or only modes that are newer than Linux 6.16.
 */
uint64_t link_modes_fastest_mbps(const uint32_t *own, const uint32_t *other, size_t nr_words);
