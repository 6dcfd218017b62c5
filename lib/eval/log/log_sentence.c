// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/log/log_sentence.h"

#include "base/text_scan.h"

enum { MAX_LINES = 6 };	/* of an incident, as evidence */

const char *log_plugin_name(const struct klog_event *event)
{
	return event->is_relayed && event->has_code ? event->unit : "";
}

static const char *nameless_words(struct judgement *j, const struct klog_event *event)
{
	const char *name = log_plugin_name(event);

	if (log_minor(event))
		return arena_printf(j->arena, "The GPU of /dev/nvidia%s ", log_minor(event));
	if (is_digit(*name))
		return arena_printf(j->arena, "GPU %s ", name);
	return *name ? arena_printf(j->arena, "The GPU %s ", name) : "A GPU not named in the log ";
}

const char *log_device_words(struct judgement *j, const struct log_incident *incident)
{
	const char *device = incident->address;

	switch (incident->place) {
	case INCIDENT_OF_GPU:
		return incident->bridge ? arena_printf(j->arena, "is below port %s, which ", incident->bridge) : "";
	case INCIDENT_OF_PORT:
		return arena_printf(j->arena, "Port %s, above %s, ", device, incident->gpus);
	case INCIDENT_OF_GONE_GPU:
		/* A log by itself does not tell what is on the bus. */
		return arena_printf(j->arena,
				    is_known(j->snapshot->bus.gpus) ? "The GPU at %s, no longer on the bus, "
								    : "The GPU at %s ",
				    device);
	default:
		if (klog_rows[incident->worst->row].age == KLOG_AGE_HOST)
			return "";
		/* The device that the sentence is about, where what led to it is another's. */
		device = *incident->worst->device ? incident->worst->device : device;
		return *device ? arena_printf(j->arena, "%s ", device) : nameless_words(j, incident->worst);
	}
}

static const char *count_words(struct judgement *j, uint64_t count)
{
	if (count <= 2)
		return count == 2 ? ", twice" : "";
	return arena_printf(j->arena, ", %llu times", (unsigned long long)count);
}

/* "Xid 79" where its number is not what everybody calls it by. */
static const char *number_words(struct judgement *j, const struct klog_event *event)
{
	return event->has_code ? arena_printf(j->arena, ", %s", log_name(j->arena, event)) : "";
}

/* ", pid 31 python" where the row's own words do not say so. */
static const char *process_words(struct judgement *j, const struct klog_event *event)
{
	const struct klog_process *process = &event->processes[0];
	const char *title = klog_rows[event->row].title;

	if (!event->nr_processes || !process->has_pid || strstr(title, "{process}") || strstr(title, "{pid}"))
		return "";
	return arena_printf(j->arena, ", pid %llu%s%s", (unsigned long long)process->pid, *process->name ? " " : "",
			    process->name);
}

void log_say_when(struct judgement *j, const struct klog_event *event)
{
	const char *number = number_words(j, event), *when = event_time(j->arena, j->log, &event->last);
	uint64_t count = event_count(j->log, event);
	const char *text = arena_printf(j->arena, "%s%s%s%s%s", number, count_words(j, count),
					*when ? (count > 1 ? ", last " : ", ") : "", when, process_words(j, event));

	phrase(j, "when", *text ? arena_printf(j->arena, " (%s)", text + 2) : "");
	phrase(j, "when.many", *number ? arena_printf(j->arena, " (%s)", number + 2) : "");
}

void log_say_places(struct judgement *j, const struct klog_event *event)
{
	static const char *const places[] = { "process", "pid", "unit", "address", "status" };

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		STRBUF_AUTO text = STRBUF_INIT;

		log_fill_place(&text, event, places[i], strlen(places[i]));
		phrase(j, places[i], arena_strdup(j->arena, text.buf));
	}
}

void log_show_lines(struct judgement *j, const struct log_incident *incident)
{
	const char *source = str_or(j->snapshot->kernel_log.source, "the kernel's log");

	for (size_t i = 0; i < incident->incident->nr && i < MAX_LINES; i++) {
		const struct klog_event *event = incident->incident->events[i];
		const char *when = event_time(j->arena, j->log, &event->first);

		uint64_t count = event_count(j->log, event);
		const char *times = count > 1 ? arena_printf(j->arena, " (%s)", count_words(j, count) + 2) : "";

		derive_str(j, "line",
			   arena_printf(j->arena, "%s%s%s%s", when, *when ? ": " : "", event->text, times), source);
		cite(j, log_line_from(j->snapshot, event->first_line));
	}
}
