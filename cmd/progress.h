/* SPDX-License-Identifier: GPL-2.0-or-later */
/* progress.h - how far a look has come: a line of a terminal's standard error, and nothing elsewhere. */
#pragma once

#include <stdint.h>

void progress_show(const char *what);
/* "what … about 90 s left", which progress_tick() counts down. */
void progress_show_time(const char *what, uint64_t left_ms);
/* To be called about once a second. */
void progress_tick(void);
void progress_end(void);
