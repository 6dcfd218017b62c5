/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * domain.h - texts of a snapshot that cannot be just any text: addresses,
 * times, words of a request. Readers rely on their form, and a snapshot may
 * come from anywhere.
 */
#pragma once

#include "snapshot/snapshot.h"

/* NULL where the text may stand in that field, else what is expected there: "a PCI address as 0000:5d:00.0". */
const char *domain_refuses(const struct field *field, const char *text);
