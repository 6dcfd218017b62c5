// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/bmc/bmc_status.h"

#include "base/text.h"

bool bmc_status_is_critical(const char *status, size_t len)
{
	static const char *const words[] = {
		"cr", "nr", "ucr", "unr", "lcr", "lnr", "Upper Critical", "Lower Critical", "Upper Non-Recoverable",
		"Lower Non-Recoverable",
	};

	return text_word_is_any(status, len, words, ARRAY_SIZE(words));
}

bool bmc_reading_is_dead(const char *reading)
{
	return *reading == '0' && text_begins(reading + strspn(reading, "0. |,"), "degrees");
}
