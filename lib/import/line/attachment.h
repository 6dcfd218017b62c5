/* SPDX-License-Identifier: GPL-2.0-or-later */
/* attachment.h - texts that a mail carries as base64 (RFC 2045): its text, or a file attached to it. */
#pragma once

#include "base/arena.h"

/*
 * The same mail with such texts in the place of their base64, in the arena; NULL: it carries none. What is no text, as
 * an archive, stays as it is. *ret_numbers: of each line of it, the number of the line that it stands in, from 1.
 */
char *attachment_unfold(struct arena *arena, const char *bytes, size_t len, size_t *ret_len,
			const unsigned **ret_numbers);
