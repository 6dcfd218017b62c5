/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prompt_host.h - on which machine that was printed which stands below a line: prompts of shells tell it, and the heads
 * of what runs a command on many nodes.
 */
#pragma once

#include "import/dump/dump.h"

/* The machine at hand as lines go by; zeroed to begin with. */
struct prompt_host {
	struct machine_name output;	/* what stands below is from it */
	struct machine_name shell;	/* the prompt names it */
	/* in a container: the machine that it was entered from, "" for one without a name */
	const char *outside;
	const char *inside;		/* the container's name; NULL: no prompt told it yet */
	bool is_in_job;			/* a scheduler has opened a shell in one; where it ends nothing tells */
};

/* Takes what the first line tells, whose prompt_command() that is. lines[nr] does not exist. */
void prompt_host_next(struct arena *arena, struct prompt_host *host, const struct dump_line *lines, size_t nr,
		      const char *command);
