// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "cmd/inherited_signals.h"

static const int ignored[] = { SIGPIPE, SIGXFSZ };
static struct sigaction inherited[ARRAY_SIZE(ignored)];

void inherited_signals_ignore(void)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };

	for (size_t i = 0; i < ARRAY_SIZE(ignored); i++)
		sigaction(ignored[i], &ignore, &inherited[i]);
}

void inherited_signals_restore(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(ignored); i++)
		sigaction(ignored[i], &inherited[i], NULL);
}

void inherited_signals_catch(const int *signals, size_t nr, const struct sigaction *action)
{
	struct sigaction old;

	for (size_t i = 0; i < nr; i++)
		if (!sigaction(signals[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(signals[i], action, NULL);
}

void inherited_signals_catch_ending(const struct sigaction *action)
{
	static const int ending[] = { SIGINT, SIGTERM, SIGHUP };

	inherited_signals_catch(ending, ARRAY_SIZE(ending), action);
}
