// SPDX-License-Identifier: GPL-2.0-or-later
/* signal_name.c - names of signals. */
#include "base/compat.h"
#include "sys/signal_name.h"

#include <signal.h>

#define NAME(name) [SIG##name] = #name

const char *name_of_signal(int signal_number)
{
	static const char *const names[] = {
		NAME(HUP), NAME(INT), NAME(QUIT), NAME(ILL), NAME(TRAP), NAME(ABRT), NAME(BUS), NAME(FPE), NAME(KILL),
		NAME(USR1), NAME(SEGV), NAME(USR2), NAME(PIPE), NAME(ALRM), NAME(TERM), NAME(STKFLT), NAME(CHLD),
		NAME(CONT), NAME(STOP), NAME(TSTP), NAME(TTIN), NAME(TTOU), NAME(URG), NAME(XCPU), NAME(XFSZ),
		NAME(VTALRM), NAME(PROF), NAME(WINCH), NAME(POLL), NAME(PWR), NAME(SYS),
	};

	return signal_number >= 0 && (size_t)signal_number < ARRAY_SIZE(names) ? names[signal_number] : NULL;
}
