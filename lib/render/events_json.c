// SPDX-License-Identifier: GPL-2.0-or-later
/* events_json.c - the events of a log as data: schema gpudiag.events/1. */
#include "base/compat.h"
#include "render/events.h"

#include "base/json_writer.h"

static void put_device(struct json_writer *w, const struct klog_event *event)
{
	const char *device = event->device[0] ? event->device : NULL;

	json_str(w, "gpu", event->is_gpu ? device : NULL);
	json_str(w, "device", device);
}

static void put_event(struct json_writer *w, const struct klog_event *event)
{
	const struct klog_row *row = &klog_rows[event->row];
	const struct finding_def *def = &finding_defs[log_finding(event->row)];

	json_object_begin(w);
	json_u64_member(w, "line", event->first_line);
	json_str(w, "id", def->name);
	json_str(w, "kind", klog_kind_name(row->kind));
	if (event->has_code)
		json_u64_member(w, "code", event->code);
	else
		json_null_member(w, "code");
	put_device(w, event);
	json_str(w, "severity", klog_severity_name(row->severity));
	json_str(w, "blame", blame_name(def->blame));
	json_str(w, "action", action_name(def->action));
	json_str(w, "title", row->title);
	json_str(w, "text", event->text);
	json_u64_member(w, "count", event->count);
	json_u64_member(w, "last_line", event->last_line);
	json_object_end(w);
}

void render_event_json_line(struct strbuf *out, const struct klog_event *event)
{
	struct json_writer w = { .out = out };

	put_event(&w, event);
	strbuf_addch(out, '\n');
}

void render_events_json(struct strbuf *out, const struct told_log *told, const struct render_options *options)
{
	struct json_writer w = { .out = out, .indent = 2 };

	(void)options;
	json_object_begin(&w);
	json_str(&w, "schema", EVENTS_SCHEMA);
	json_str(&w, "source", told->source);
	json_key(&w, "events");
	json_array_begin(&w);
	for (size_t i = 0; i < told->log->nr_events; i++)
		put_event(&w, &told->log->events[i]);
	json_array_end(&w);
	json_object_end(&w);
	strbuf_addch(out, '\n');
}
