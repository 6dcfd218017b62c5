// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "klog/line.h"

void klog_line_context_release(struct klog_line_context *context)
{
	strbuf_release(&context->scratch);
}

/* "[12345.678901] " */
static bool take_boot_stamp(struct span *text, struct klog_time *ret)
{
	struct span at = *text;
	uint64_t seconds, fraction;
	const char *point;

	if (!span_take(&at, "["))
		return false;
	span_trim(&at);
	if (!span_take_u64(&at, &seconds) || !span_take(&at, "."))
		return false;
	point = at.at;
	if (!span_take_u64(&at, &fraction) || at.at - point != 6 || !span_take(&at, "]"))
		return false;
	ret->has_boot = true;
	ret->boot_us = seconds * 1000000 + fraction;
	span_trim(&at);
	*text = at;
	return true;
}

void klog_line_parse(struct klog_line_context *context, struct span raw, struct klog_line *ret)
{
	(void)context;
	*ret = (struct klog_line){ .text = raw, .level = -1 };
	if (take_boot_stamp(&ret->text, &ret->time))
		ret->origin = KLOG_ORIGIN_KERNEL;
}
