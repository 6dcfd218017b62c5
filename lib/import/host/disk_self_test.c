// SPDX-License-Identifier: GPL-2.0-or-later
/* disk_self_test.c - rows of smartctl's log of self-tests: a number, the kind of test, how it ended, and where. */
#include "base/compat.h"
#include "import/host/disk_self_test.h"

#include "base/text.h"
#include "base/text_scan.h"

/* As smartctl words them; of an error that it cannot tell from its own nothing is made. */
static const struct { const char *status, *result; } results[] = {
	{ "Completed without error", "passed" },
	{ "Completed: read failure", "failed: read failure" },
	{ "Completed: electrical failure", "failed: electrical failure" },
	{ "Completed: servo/seek failure", "failed: servo or seek failure" },
	{ "Completed: unknown failure", "failed: unknown failure" },
	{ "Completed: handling damage", "failed: handling damage" },
	{ "Aborted by host", NULL }, { "Interrupted (host reset)", NULL }, { "Fatal or unknown error", NULL },
	{ "Self-test routine in progress", NULL },
};

const char *disk_self_test_result(const char *status)
{
	for (size_t i = 0; i < ARRAY_SIZE(results); i++)
		if (text_begins(status, results[i].status))
			return results[i].result;
	return NULL;
}

unsigned disk_self_test_row(const char *text, const char **ret_result)
{
	enum { MOST_ROWS = 64 };
	static const char *const kinds[] = { "Short ", "Extended ", "Conveyance ", "Selective ", "Offline ", "Vendor " };
	const char *at = past_blanks(text);
	uint64_t number;
	bool fits = true;

	if (!scan_char(&at, '#'))
		return 0;
	at = past_blanks(at);
	if (!scan_u64(&at, 10, &number, &fits) || !fits || number > MOST_ROWS || *at != ' ')
		return 0;
	at = past_blanks(at);
	if (!text_begins_any(at, kinds, ARRAY_SIZE(kinds)))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(results); i++) {
		const char *status = strstr(at, results[i].status);

		if (!status || status[-1] != ' ' || !strchr(status, '%'))
			continue;
		*ret_result = results[i].result;
		return (unsigned)number;
	}
	return 0;
}
