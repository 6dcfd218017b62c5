/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sentence.h - a line as the sentences that people write. */
#pragma once

#include "klog/span.h"

/* The one of the line that `at` stands in, with the blanks before it and without what ends it. */
struct span sentence_of(struct span line, const char *at);

/* Is one of these in the span, in any case of letters, at the beginning of a word where they begin with a letter? */
bool sentence_has_any(struct span span, const char *const *words, size_t nr);

/* "I get …", "nvidia-smi says …": whose words follow had what they tell. */
bool sentence_tells_of_own(struct span span);
