// SPDX-License-Identifier: GPL-2.0-or-later
/* event_line.c - an event as it comes: when, how bad, what, which device, in the driver's own words. */
#include "base/compat.h"
#include "render/events.h"

#include "base/text.h"

enum { US_PER_S = 1000000 };

static void put_time(struct strbuf *out, const struct klog_time *time)
{
	char stamp[32];

	if (time->has_wall) {
		format_rfc3339(time->wall_us / US_PER_S, (unsigned)(time->wall_us % US_PER_S / 1000), stamp);
		/* Z is said of UTC alone. */
		if (time->wall_is_local)
			stamp[strlen(stamp) - 1] = '\0';
		strbuf_addf(out, "%s ", stamp);
	} else if (time->has_boot) {
		strbuf_addf(out, "[%5llu.%06llu] ", (unsigned long long)(time->boot_us / US_PER_S),
			    (unsigned long long)(time->boot_us % US_PER_S));
	}
}

static void put_outcome(struct strbuf *out, enum outcome outcome, bool colour)
{
	const char *begin = outcome == OUTCOME_FAIL ? "\033[1;31m" : outcome == OUTCOME_WARN ? "\033[1;33m" : "";

	if (colour && *begin)
		strbuf_addf(out, "%s%s\033[0m ", begin, outcome_name(outcome));
	else
		strbuf_addf(out, "%s ", outcome_name(outcome));
}

void render_event_line(struct strbuf *out, const struct klog_event *event, const struct render_options *options)
{
	const struct finding_def *def = &finding_defs[log_finding(event->row)];

	put_time(out, &event->first);
	put_outcome(out, def->outcome, options->colour);
	strbuf_addstr(out, klog_rows[event->row].name);
	if (event->device[0])
		strbuf_addf(out, " %s%s", event->is_gpu ? "GPU " : "", event->device);
	strbuf_addstr(out, ": ");
	render_clean(out, event->text, options->ascii);
	if (def->outcome >= OUTCOME_WARN)
		strbuf_addf(out, " [%s]", action_name(def->action));
	strbuf_addch(out, '\n');
}
