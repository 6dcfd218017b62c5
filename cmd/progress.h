/* SPDX-License-Identifier: GPL-2.0-or-later */
/* progress.h - how far a look has come: a line of a terminal's standard error, and nothing elsewhere. */
#pragma once

/* In place of what was said before. */
void progress_show(const char *what);
void progress_end(void);
