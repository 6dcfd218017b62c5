/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_switch.h - the switch that some cards carry, which hides the slot's link.
 *
 * AMD cards since Navi1x and Vega20, and Intel Arc: the GPU's own link is
 * inside the card and tells nothing of the slot; the switch's upstream port
 * stands for the card. Shared by those who read that link and those who judge
 * it, so that they cannot disagree.
 */
#ifndef GPUDIAG_SNAPSHOT_CARD_SWITCH_H
#define GPUDIAG_SNAPSHOT_CARD_SWITCH_H

#include "snapshot/snapshot.h"

/* Type of the bridge at that place above the GPU; by counting where it could not be read. */
const char *gpu_port_type(const struct gpu *gpu, size_t place);

bool gpu_has_card_switch(const struct gpu *gpu);

#endif
