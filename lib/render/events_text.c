// SPDX-License-Identifier: GPL-2.0-or-later
/* events_text.c - the stories of a log for a person. */
#include "base/compat.h"
#include "render/events.h"

void render_event_line(struct strbuf *out, const struct klog_event *event, const struct render_options *options)
{
	STRBUF_AUTO text = STRBUF_INIT;

	strbuf_addf(&text, "%s %s ", klog_severity_name(klog_rows[event->row].severity), event->device);
	log_fill(&text, event, klog_rows[event->row].title);
	strbuf_addf(&text, ": %s", event->text);
	render_clean(out, text.buf, options->ascii);
	strbuf_addch(out, '\n');
}

void render_events_text(struct strbuf *out, const struct told_log *told, const struct render_options *options)
{
	for (size_t i = 0; i < told->stories->nr; i++) {
		const struct klog_event *event = told->stories->items[i].worst;

		strbuf_addf(out, "%s %llu: ", event->device, (unsigned long long)event->first_line);
		render_clean(out, event->text, options->ascii);
		strbuf_addch(out, '\n');
	}
}
