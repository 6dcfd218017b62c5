/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watch_signals.h - signals during a watch. Those that end it set a flag, and a second one ends the program as by
 * default, with the terminal as it was; those for a command are passed on to it. Each also makes a descriptor readable.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* The signal that ended it, 0 none: for live_options.cancel. */
extern volatile int watch_ended_by;

/* has_command: none ends the watch; they are passed on once a child is named. */
void watch_signals_begin(bool has_command);
void watch_signals_pass_to(pid_t child);
/* It has ended: from now on they end the watch. */
void watch_signals_without_command(void);
/* With a screen: it is put away while the program is stopped, and drawn again after that and when its size changes. */
void watch_signals_with_screen(void);

/* Readable after a signal; watch_signals_take() empties it, and says whether the screen is to be drawn. */
int watch_signals_fd(void);
bool watch_signals_take(void);
