// SPDX-License-Identifier: GPL-2.0-or-later
/* events_json.c - the events of a log as data: schema gpudiag.events/1 (man/events.schema.json). */
#include "base/compat.h"
#include "render/events.h"
#include "render/events_words.h"

#include "base/json_writer.h"
#include "base/text.h"

#define NO_INCIDENT SIZE_MAX

/* ---- times */

/* RFC 3339; of a zone that the log does not tell without one. */
static void put_wall(struct json_writer *w, const char *key, struct klog_time time)
{
	int64_t seconds = time.wall_us / 1000000, rest = time.wall_us % 1000000;
	char stamp[32];

	if (!time.has_wall) {
		json_null_member(w, key);
		return;
	}
	format_rfc3339(seconds - (rest < 0), (unsigned)((rest + (rest < 0 ? 1000000 : 0)) / 1000), stamp);
	if (time.wall_is_local)
		stamp[strcspn(stamp, "Z")] = '\0';
	json_str(w, key, stamp);
}

static void put_boot(struct json_writer *w, const char *key, struct klog_time time)
{
	if (time.has_boot)
		json_f64_member(w, key, (double)time.boot_us / 1e6);
	else
		json_null_member(w, key);
}

static void put_zone(struct json_writer *w, struct klog_time time)
{
	json_str(w, "time_zone", !time.has_wall ? NULL : time.wall_is_local ? "unknown" : "UTC");
}

/* ---- events */

static void put_text_or_null(struct json_writer *w, const char *key, const char *text)
{
	json_str(w, key, text[0] ? text : NULL);
}

static void put_number_or_null(struct json_writer *w, const char *key, bool has, uint64_t number)
{
	if (has)
		json_u64_member(w, key, number);
	else
		json_null_member(w, key);
}

static void put_device(struct json_writer *w, const char *device, bool is_gpu)
{
	json_str(w, "gpu", is_gpu && device[0] ? device : NULL);
	json_str(w, "device", device[0] ? device : NULL);
}

/* Its texts from the log, one each. */
static void put_details(struct json_writer *w, const struct klog_event *event)
{
	STRBUF_AUTO line = STRBUF_INIT;

	json_array_member(w, "details");
	for (const char *at = event->details; *at;) {
		size_t len = strcspn(at, "\n");

		strbuf_reset(&line);
		strbuf_add(&line, at, len);
		json_put_str(w, line.buf);
		at += len + (at[len] == '\n');
	}
	json_array_end(w);
}

static void put_processes(struct json_writer *w, const struct klog_event *event)
{
	const struct klog_process *first = event->nr_processes ? &event->processes[0] : NULL;

	put_number_or_null(w, "pid", first && first->has_pid, first ? first->pid : 0);
	put_text_or_null(w, "process", first ? first->name : "");
	json_array_member(w, "processes");
	for (size_t i = 0; i < event->nr_processes; i++) {
		const struct klog_process *process = &event->processes[i];

		json_object_begin(w);
		put_number_or_null(w, "pid", process->has_pid, process->pid);
		put_text_or_null(w, "name", process->name);
		put_wall(w, "time", process->time);
		put_boot(w, "boot_s", process->time);
		json_object_end(w);
	}
	json_array_end(w);
	json_u64_member(w, "processes_seen", event->processes_seen);
}

static void put_address(struct json_writer *w, const struct klog_event *event)
{
	STRBUF_AUTO address = STRBUF_INIT;

	if (event->has_address)
		strbuf_addf(&address, "0x%llx", (unsigned long long)event->address);
	put_text_or_null(w, "address", address.buf);
}

static void put_words(struct json_writer *w, const struct klog_event *event, enum outcome outcome)
{
	const struct klog_row *row = &klog_rows[event->row];
	const struct finding_def *def = &finding_defs[log_finding(event->row)];
	STRBUF_AUTO title = STRBUF_INIT;

	json_str(w, "severity", klog_severity_name(row->severity));
	json_str(w, "outcome", outcome_name(outcome));
	json_str(w, "blame", blame_name(def->blame));
	json_str(w, "action", action_name(def->action));
	log_fill(&title, event, row->title);
	json_str(w, "title", title.buf);
	json_str(w, "text", event->text);
	put_details(w, event);
}

static const char *currency_name(enum klog_currency currency)
{
	static const char *const names[] = {
		[KLOG_CURRENT] = "current",
		[KLOG_BEFORE_RESET] = "before-reset",
		[KLOG_BEFORE_DRIVER_LOAD] = "before-driver-load",
		[KLOG_BEFORE_BOOT] = "before-boot",
	};

	return names[currency];
}

static void put_event(struct json_writer *w, const struct told_log *told, const struct klog_event *event,
		      enum outcome outcome, size_t incident)
{
	const struct klog_row *row = &klog_rows[event->row];

	json_object_begin(w);
	json_u64_member(w, "line", told_place(told, event->first_line).line);
	json_str(w, "id", finding_defs[log_finding(event->row)].name);
	json_str(w, "kind", klog_kind_name(row->kind));
	put_number_or_null(w, "code", event->has_code, event->code);
	put_text_or_null(w, "mnemonic", row->mnemonic);
	put_device(w, event->device, event->is_gpu);
	put_wall(w, "time", event->first);
	put_zone(w, event->first);
	put_boot(w, "boot_s", event->first);
	put_wall(w, "last_time", event->last);
	put_boot(w, "last_boot_s", event->last);
	put_words(w, event, outcome);
	json_u64_member(w, "count", event->count);
	json_u64_member(w, "last_line", told_place(told, event->last_line).line);
	put_processes(w, event);
	put_text_or_null(w, "unit", event->unit);
	put_address(w, event);
	put_number_or_null(w, "link", event->has_link, event->link);
	put_text_or_null(w, "status", event->status);
	put_number_or_null(w, "told", event->has_told, event->told);
	json_u64_member(w, "boot", event->boot);
	json_str(w, "currency", currency_name(event->currency));
	put_number_or_null(w, "story", incident != NO_INCIDENT, incident);
	json_object_end(w);
}

void render_event_json_line(struct strbuf *out, const struct klog_event *event)
{
	struct json_writer w = { .out = out };

	put_event(&w, NULL, event, log_row_outcome(event), NO_INCIDENT);
	strbuf_addch(out, '\n');
}

/* Which incident each event is in. */
static size_t *incident_numbers(struct arena *arena, const struct told_log *told)
{
	size_t *numbers = arena_alloc(arena, told->log->nr_events * sizeof(*numbers));

	for (size_t i = 0; i < told->incidents->nr; i++)
		for (size_t at = 0; at < told->incidents->items[i].nr; at++)
			numbers[told->incidents->items[i].events[at] - told->log->events] = i;
	return numbers;
}

static void put_events(struct json_writer *w, const struct told_log *told)
{
	struct arena arena = { .blocks = NULL };
	const size_t *numbers = incident_numbers(&arena, told);

	json_array_member(w, "events");
	for (size_t i = 0; i < told->log->nr_events; i++) {
		const struct klog_event *event = &told->log->events[i];

		const struct klog_incident *incident = &told->incidents->items[numbers[i]];

		put_event(w, told, event, log_told_outcome(told->log, incident, event, told->now, &log_limits_built_in),
			  numbers[i]);
	}
	json_array_end(w);
	arena_release(&arena);
}

/* ---- incidents */

static void put_index(struct json_writer *w, const char *key, const struct told_log *told,
		      const struct klog_event *event)
{
	put_number_or_null(w, key, event, event ? (uint64_t)(event - told->log->events) : 0);
}

static void put_incident(struct json_writer *w, const struct told_log *told, const struct klog_incident *incident)
{
	const struct klog_event *worst = log_incident_worst(told->log, incident, told->now, &log_limits_built_in);
	const struct finding_def *def = &finding_defs[log_finding(worst->row)];
	STRBUF_AUTO headline = STRBUF_INIT;

	log_sentence(&headline, worst);
	json_object_begin(w);
	put_device(w, incident->device, incident->is_gpu);
	json_array_member(w, "events");
	for (size_t i = 0; i < incident->nr; i++)
		json_put_u64(w, (uint64_t)(incident->events[i] - told->log->events));
	json_array_end(w);
	put_index(w, "cause", told, incident->events[0]);
	put_index(w, "worst", told, worst);
	put_index(w, "recovery", told, incident->recovery);
	json_str(w, "outcome",
		 outcome_name(log_told_outcome(told->log, incident, worst, told->now, &log_limits_built_in)));
	json_str(w, "blame", blame_name(def->blame));
	json_str(w, "action", action_name(def->action));
	json_str(w, "headline", headline.buf);
	json_str(w, "currency", currency_name(incident->currency));
	put_wall(w, "first_time", incident->first);
	put_boot(w, "first_boot_s", incident->first);
	put_wall(w, "last_time", incident->last);
	put_boot(w, "last_boot_s", incident->last);
	json_object_end(w);
}

/* ---- the whole */

static void put_coverage(struct json_writer *w, const struct klog_log *log)
{
	const struct klog_coverage *coverage = &log->coverage;

	json_object_member(w, "coverage");
	json_u64_member(w, "lines", coverage->lines);
	json_u64_member(w, "bytes", coverage->bytes);
	json_u64_member(w, "cut_lines", coverage->cut_lines);
	json_u64_member(w, "lost_records", coverage->lost_records);
	json_u64_member(w, "dropped_lines", log->dropped);
	json_u64_member(w, "unjudged_lines", log->unjudged);
	json_u64_member(w, "boots", log->boots);
	json_u64_member(w, "suspends", log->suspends);
	put_wall(w, "first_time", coverage->first);
	put_boot(w, "first_boot_s", coverage->first);
	put_wall(w, "last_time", coverage->last);
	put_boot(w, "last_boot_s", coverage->last);
	put_zone(w, coverage->last);
	json_object_end(w);
}

static void put_messages(struct json_writer *w, const struct told_log *told)
{
	struct arena arena = { .blocks = NULL };
	struct strs messages = { .nr = 0 };

	if (told->log->unjudged)
		strs_add(&arena, &messages, arena_printf(&arena, "%s; the first is line %llu: %s",
							 events_unjudged(&arena, told->log),
							 (unsigned long long)told->log->unjudged_line,
							 told->log->unjudged_text));
	events_messages(&arena, told->log, &messages);
	json_array_member(w, "messages");
	for (size_t i = 0; i < messages.nr; i++)
		json_put_str(w, messages.v[i]);
	json_array_end(w);
	arena_release(&arena);
}

void render_events_json(struct strbuf *out, const struct told_log *told, const struct render_options *options)
{
	struct json_writer w = { .out = out, .indent = 2 };

	(void)options;
	json_object_begin(&w);
	json_str(&w, "schema", EVENTS_SCHEMA);
	json_str(&w, "tool", "gpudiag " GPUDIAG_VERSION);
	json_str(&w, "source", told->source);
	json_str(&w, "outcome", outcome_name(log_verdict(told->log, told->incidents, told->now, &log_limits_built_in)));
	put_coverage(&w, told->log);
	put_events(&w, told);
	json_array_member(&w, "stories");
	for (size_t i = 0; i < told->incidents->nr; i++)
		put_incident(&w, told, &told->incidents->items[i]);
	json_array_end(&w);
	put_messages(&w, told);
	json_object_end(&w);
	strbuf_addch(out, '\n');
}
