/* SPDX-License-Identifier: GPL-2.0-or-later */
/* message.h - error messages of container runtimes, CUDA and frameworks: what each means, and what to do. Pure. */
#pragma once

#include <stddef.h>

struct message_step {
	const char *text;
	const char *command;		/* or NULL */
};

struct message {
	const char *literal, *also;	/* both are in it; also may be NULL */
	const char *title, *why, *source;
};

extern const struct message messages[];
extern const size_t nr_messages;

/* What to do, from place 0 on; NULL: no more. */
const struct message_step *message_step(const struct message *message, size_t place);

/*
 * The rows that a pasted text holds, the special ones first: fills found, and returns how many. Case does not count,
 * nor how the text was wrapped: white space of any length is one blank.
 */
size_t messages_in(const char *text, const struct message *found[], size_t most);
