// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "klog/hangs.h"

enum { XID_RECOVERY_ACTION = 154 };

/* "GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)"; 2 is a reboot. The words vary. */
static bool asks_for_reset(const char *text)
{
	const char *to = strstr(text, " to 0x");

	return to && (to[6] == '1' || to[6] == '2') && hex_digit(to[7]) < 0;
}

bool klog_event_hangs(const struct klog_event *event)
{
	static const uint64_t xids[] = {
#define HANG_XID(number) number,
#define HANG_ROW(id)
#include "klog/hangs.def"
#undef HANG_XID
#undef HANG_ROW
	};
	static const enum klog_row_id rows[] = {
#define HANG_XID(number)
#define HANG_ROW(id) KLOG_ROW_##id,
#include "klog/hangs.def"
#undef HANG_XID
#undef HANG_ROW
	};

	if (klog_rows[event->row].kind == KLOG_NVIDIA_XID && event->has_code) {
		for (size_t i = 0; i < ARRAY_SIZE(xids); i++)
			if (event->code == xids[i])
				return true;
		return event->code == XID_RECOVERY_ACTION && asks_for_reset(event->text);
	}
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (event->row == rows[i])
			return true;
	return false;
}
