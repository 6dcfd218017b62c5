/* SPDX-License-Identifier: GPL-2.0-or-later */
/* launchers.h - programs that run others where these may see some of a machine's GPUs, or another machine's. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum launcher {
	LAUNCHER_NONE,
	LAUNCHER_CONTAINER,	/* with a verb: "docker run" */
	LAUNCHER_ROOT,		/* whatever follows runs in it: "nsenter -t 1 -m" */
	LAUNCHER_CLUSTER,	/* pods, on a node that is not told */
	LAUNCHER_GUEST,		/* virtual machines */
	LAUNCHER_JOB,		/* of a scheduler, with as many GPUs as were asked for */
};

/* What a word is as the name of a program, also with its path. */
enum launcher launcher_of(const char *word, size_t len);

/* Is one of a command's words such a program, or a variable that hides GPUs: "ssh node7 sudo docker exec …"? */
bool command_launches(const char *command);
