/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inherited_signals.h - signals as whoever started gpudiag left them, and as programs that it starts must have them. */
#pragma once

#include <signal.h>
#include <stddef.h>

/* First thing: a write that cannot be made is an error to tell, not our end. */
void inherited_signals_ignore(void);
/* In the child, before it becomes the other program. */
void inherited_signals_restore(void);

/* But those that whoever started us ignores (nohup, a script's background): they are not for us. */
void inherited_signals_catch(const int *signals, size_t nr, const struct sigaction *action);
/* The same of SIGINT, SIGTERM and SIGHUP. */
void inherited_signals_catch_ending(const struct sigaction *action);
