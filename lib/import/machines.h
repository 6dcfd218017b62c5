/* SPDX-License-Identifier: GPL-2.0-or-later */
/* machines.h - are two parts of one machine? */
#pragma once

#include "import/dump/dump.h"
#include "snapshot/card.h"

/*
 * NULL unless both tell who they are and it is not the same: then a sentence that names both places, in the arena. A
 * machine is known by its host name and by what stands at a PCI address: serial number or UUID of the GPU there.
 */
const char *machines_differ(struct arena *arena, const struct dump_parts *parts, const struct snapshot *base,
			    const struct snapshot *part);

/*
 * The same by the prompts above the parts, where names of guests and of people's own machines stand, too: two count as
 * two machines where both tell of a GPU of one key, and nothing makes it one card. base: what earlier parts told.
 */
struct machine_hosts {
	struct machine_host *v;	/* GPUs so far, in the arena; zeroed to begin with */
	size_t nr;
};
const char *machines_of_prompts_differ(struct arena *arena, struct machine_hosts *hosts, const struct snapshot *base,
				       const struct dump_part *part, const struct snapshot *told,
				       const struct dump_parts *parts);

/*
 * The same of names that can hardly be anything else, of which all that they tell of counts. Once all parts were read.
 */
const char *machines_of_names_differ(struct arena *arena, const struct dump_parts *parts);

/*
 * The same of the hosts that stand in the lines of a log, and of the prompts above logs, disks, memory, services and
 * ports. A machine may be renamed while it starts: two names count where they differ in their number only, or where the
 * first one comes again.
 */
const char *machines_of_logs_differ(struct arena *arena, const struct dump_parts *parts);

/* Are two GPUs of NVIDIA's one card? Serial numbers and UUIDs that somebody blotted out do not count. */
enum card_match dump_cards_match(const struct gpu *a, const struct gpu *b);
