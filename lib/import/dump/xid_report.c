// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/dump/xid_report.h"

#include "base/text.h"
#include "base/text_scan.h"

static const char dcgm_code[] = "DCGM_FR_", own_code[] = "GPU_";

bool xid_report_is_code(const char *text)
{
	return is_digit(*text) || text_begins(text, dcgm_code) || text_begins(text, own_code);
}

uint64_t xid_report_words(const char *words)
{
	const char *at = words ? strstr(words, "Detected XID ") : NULL;
	uint64_t xid;
	bool fits = true;

	at = at ? at + strlen("Detected XID ") : "";
	return scan_u64(&at, 10, &xid, &fits) && fits ? xid : 0;
}

void xid_report_code(struct arena *arena, const char *code, const char *words, bool is_mild, struct xid_report *ret)
{
	code += text_begins(code, "XID_") ? strlen("XID_") : 0;
	if (!parse_u64(code, &ret->xid))
		return;
	ret->words = words && *words ? words : NULL;
	ret->xid = xid_report_words(ret->words);
	ret->error =
		ret->xid ? NULL : arena_strdup(arena, code + (text_begins(code, dcgm_code) ? strlen(dcgm_code) : 0));
	/* Cards without a bridge have links that are down. */
	ret->is_mild = is_mild || strstr(code, "NVLINK_DOWN");
}
