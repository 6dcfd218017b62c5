/* SPDX-License-Identifier: GPL-2.0-or-later */
/* card.h - whether two GPUs of two snapshots are one card: the rule of diff, of baselines and of import. */
#pragma once

#include "snapshot/value.h"

enum card_match { CARDS_UNTOLD, CARDS_SAME, CARDS_OTHER };

/*
 * By serial number and UUID. Serial numbers that differ are of two cards; UUIDs that are equal are of one. GPUs of one
 * board share its serial number and not their UUIDs (A16, K80): then, as where nothing is known, the address has to
 * tell. NVIDIA's own UUID and the 32 digits of OpenCL have different lengths and cannot be compared.
 */
enum card_match cards_match(struct val_str serial_a, struct val_str uuid_a, struct val_str serial_b,
			    struct val_str uuid_b);
