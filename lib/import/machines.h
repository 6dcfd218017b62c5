/* SPDX-License-Identifier: GPL-2.0-or-later */
/* machines.h - are two parts of one machine? */
#pragma once

#include "import/dump.h"
#include "snapshot/card.h"

/*
 * NULL unless both tell who they are and it is not the same: then a sentence that names both places, in the arena. A
 * machine is known by its host name and by what stands at a PCI address: serial number or UUID of the GPU there.
 */
const char *machines_differ(struct arena *arena, const struct dump_parts *parts, const struct snapshot *base,
			    const struct snapshot *part);

/* Are two GPUs of NVIDIA's one card? Serial numbers and UUIDs that somebody blotted out do not count. */
enum card_match dump_cards_match(const struct gpu *a, const struct gpu *b);
