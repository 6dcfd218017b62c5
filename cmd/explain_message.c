// SPDX-License-Identifier: GPL-2.0-or-later
/* explain_message.c - explains a pasted error message of a container runtime, of CUDA or of a framework. */
#include "base/compat.h"
#include "cmd/explain.h"

#include "eval/message/message.h"

enum { MAX_MESSAGES = 3 };

static void explain_one(struct explanation *to, const struct message *message)
{
	const struct message_step *step;

	explain_head(to, "\"%s\": %s", message->literal, message->title);
	explain_fact(to, "means", "%s", message->why);
	for (size_t i = 0; (step = message_step(message, i)); i++) {
		explain_fact(to, "next", "%s", step->text);
		if (step->command)
			explain_below(to, EXPLAINED_COMMAND, step->command);
	}
	explain_fact(to, "source", "%s", message->source);
}

bool explain_message(struct explanation *to, const char *text)
{
	const struct message *found[MAX_MESSAGES];
	size_t nr = messages_in(text, found, MAX_MESSAGES);

	for (size_t i = 0; i < nr; i++) {
		if (i)
			explain_gap(to);
		explain_one(to, found[i]);
	}
	return nr;
}
