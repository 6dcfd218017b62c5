// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "cmd/progress.h"

#include <unistd.h>

void progress_show(const char *what)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[K%s", what);
}

void progress_end(void)
{
	progress_show("");
}
