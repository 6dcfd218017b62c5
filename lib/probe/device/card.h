/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card.h - what whoever reads the files of one GPU's driver shares: the
 * card as it has to know it, and how its files are read.
 *
 * Every file is announced before it is read, so that one that hangs is named,
 * and none is read of a card that sleeps.
 */
#pragma once

#include "probe/probe.h"

struct card {
	struct probe_env *env;		/* its target is the card's PCI address */
	struct sink *sink;		/* list elements are made in sink->facts.arena */
	struct arena arena;		/* for texts; outlives the sink's flush */
	enum val_state untouched;	/* VAL_UNSET: its files may be read; else what its values are instead */
	const char *why;
	/* What an errno of this driver's files means; NULL: what it means everywhere. */
	struct val_head (*reason)(struct card *card, enum val_state state, const char *why);
};

/*
 * Sets untouched and why where the card sleeps: drivers wake it before they
 * answer (amdgpu up to Linux 6.x, NVIDIA's, xe). Call it first. Under --wake
 * it wakes the card instead, as far as the bus can: newer amdgpu still says
 * EPERM of one that sleeps in D3hot.
 */
void card_check_power_state(struct card *card);

/* A file below the card's folder of /sys/bus/pci/devices: "hwmon/hwmon3/temp1_input". */
struct val_str card_text(struct card *card, const char *file);
struct val_u64 card_number(struct card *card, const char *file);
/* All of it, of several lines or none. */
struct val_head card_whole(struct card *card, const char *file, struct strbuf *ret);
/* Its bytes as they are; a file that is longer is cut. */
struct val_head card_bytes(struct card *card, const char *file, void *buf, size_t len, size_t *ret_len);

/* The readers, one for each driver; gpu_files.c chooses among them. */
void nvidia_files_read(struct card *card, struct gpu *gpu);
void amdgpu_files_read(struct card *card, struct gpu *gpu);
void intel_files_read(struct card *card, struct gpu *gpu);
