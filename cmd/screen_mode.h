/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * screen_mode.h - a terminal whose whole screen is ours: the alternate screen, keys as they are pressed, and everything
 * as it was at the end, however that comes. What signal handlers call is marked.
 */
#pragma once

#include "render/watch.h"

/* Is standard output a terminal that can do it? */
bool screen_mode_can(void);

/* Until screen_mode_leave(), which exit() calls, too. */
void screen_mode_enter(void);
void screen_mode_leave(void);		/* by a handler, too */
/* While the program is stopped; by handlers. */
void screen_mode_suspend(void);
void screen_mode_resume(void);

/* Where keys come from, also where standard input is a file; -1 nowhere. */
int screen_mode_keys(void);

struct watch_screen_size screen_mode_size(void);
