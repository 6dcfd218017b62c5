/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inherited_signals.h - signals that gpudiag ignores, and that a program which it starts must have as gpudiag had them. */
#pragma once

/* First thing: a write that cannot be made is an error to tell, not our end. */
void inherited_signals_ignore(void);
/* In the child, before it becomes the other program. */
void inherited_signals_restore(void);
