/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mention_place.h - of what mention.c asks its other files: where the words of an error stand in their line. */
#pragma once

#include <stdbool.h>

#include "klog/span.h"

/* Of a line that are looked at, on either side of the words. */
enum { MENTION_MOST_CHARACTERS = 400 };

/* Where the words stand. */
struct mention_place {
	const char *text, *at, *end;
	const char *quote;		/* the mark that opens what they are quoted in; NULL: they are not */
	const char *from, *behind;	/* with what they are quoted in */
	struct span before, after;	/* the rest of the sentence */
};

/* Does the line hold one of these before the words? */
bool mention_has_before(const struct mention_place *place, const char *const *marks, size_t nr);

/* mention_source.c: a line of a program's source, of a list or a rule; a quotation that is a value there. */
bool mention_is_source(const struct mention_place *place);
bool mention_is_literal(const struct mention_place *place);

/* mention_sentence.c: a sentence that supposes, denies, explains, asks or advises. */
bool mention_is_of_prose(const struct mention_place *place);
