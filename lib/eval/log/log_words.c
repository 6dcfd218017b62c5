// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/judge/template.h"
#include "eval/log/log_outcome.h"

#include <inttypes.h>

static bool is_place(const char *place, size_t len, const char *name)
{
	return strlen(name) == len && !memcmp(place, name, len);
}

static const char *process_name(const struct klog_event *event)
{
	for (size_t i = 0; i < event->nr_processes; i++)
		if (event->processes[i].name[0])
			return event->processes[i].name;
	return NULL;
}

/* The value from the lines; false: they have none. */
static bool fill_told(struct strbuf *out, const struct klog_event *event, const char *place, size_t len)
{
	const char *text = NULL;

	if (is_place(place, len, "process"))
		text = process_name(event);
	else if (is_place(place, len, "unit"))
		text = event->unit[0] ? event->unit : event->device[0] ? event->device : NULL;
	else if (is_place(place, len, "status"))
		text = event->status[0] ? event->status : NULL;
	else if (is_place(place, len, "pid") && event->nr_processes && event->processes[0].has_pid)
		strbuf_addf(out, "%" PRIu64, event->processes[0].pid);
	else if (is_place(place, len, "address") && event->has_address)
		strbuf_addf(out, "0x%" PRIx64, event->address);
	else
		return false;
	if (text)
		strbuf_addstr(out, text);
	return text || is_place(place, len, "pid") || is_place(place, len, "address");
}

bool log_fill_place(struct strbuf *out, const struct klog_event *event, const char *place, size_t len)
{
	static const struct {
		const char *place, *words;
	} general[] = {
		{ "process", "a process" },
		{ "pid", "not told" },
		{ "unit", "an unnamed unit" },
		{ "address", "an unknown address" },
		{ "status", "no reason logged" },
	};

	if (fill_told(out, event, place, len))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(general); i++) {
		if (!is_place(place, len, general[i].place))
			continue;
		strbuf_addstr(out, general[i].words);
		return true;
	}
	return false;
}

static void fill(struct strbuf *out, const struct klog_event *event, const char *template, bool many)
{
	const char *place;
	size_t len;

	while ((place = strbuf_add_to_place(out, &template, &len))) {
		const char *bar = memchr(place, '|', len);

		if (bar && many)
			strbuf_add(out, bar + 1, len - (size_t)(bar + 1 - place));
		else if (bar)
			strbuf_add(out, place, (size_t)(bar - place));
		else
			log_fill_place(out, event, place, len);
	}
}

void log_fill(struct strbuf *out, const struct klog_event *event, const char *template)
{
	fill(out, event, template, false);
}

void log_fill_many(struct strbuf *out, const struct klog_event *event, const char *template)
{
	fill(out, event, template, true);
}

/* ---- who */

const char *log_name(struct arena *arena, const struct klog_event *event)
{
	const struct klog_row *row = &klog_rows[event->row];

	if (!event->has_code)
		return row->name;
	return arena_printf(arena, "%s %" PRIu64, row->kind == KLOG_NVIDIA_SXID ? "SXid" : "Xid", event->code);
}

static bool is_of_gpu(enum klog_kind kind)
{
	return kind == KLOG_NVIDIA_XID || kind == KLOG_NVIDIA_DRIVER ||
	       (kind >= KLOG_AMDGPU_RING_TIMEOUT && kind <= KLOG_GPU_LOST) || kind == KLOG_NOUVEAU_FAULT ||
	       kind == KLOG_RADEON_LOCKUP || kind == KLOG_DISPLAY_STUCK;
}

void log_subject(struct strbuf *out, const struct klog_event *event)
{
	const struct klog_row *row = &klog_rows[event->row];

	if (row->age == KLOG_AGE_HOST)
		return;
	if (event->device[0])
		strbuf_addf(out, "%s %s", event->is_gpu ? "GPU" : row->kind == KLOG_NVIDIA_SXID ? "NVSwitch" : "device",
			    event->device);
	else
		strbuf_addstr(out, is_of_gpu(row->kind) ? "a GPU not named in the log" :
							  "a device not named in the log");
}

void log_sentence(struct strbuf *out, const struct klog_event *event)
{
	size_t before = out->len;

	log_subject(out, event);
	if (out->len > before)
		strbuf_addch(out, ' ');
	log_fill(out, event, klog_rows[event->row].title);
}

/* ---- what to do */

static bool fill_step_place(struct strbuf *out, const struct klog_event *event, const char *place, size_t len)
{
	if (is_place(place, len, "gpu") && event->device[0])
		log_subject(out, event);
	else if (is_place(place, len, "address") && event->device[0])
		strbuf_addstr(out, event->device);
	else if (is_place(place, len, "gpu") || is_place(place, len, "address"))
		return false;
	else
		return fill_told(out, event, place, len);
	return true;
}

/* NULL where a place stays open, or what a command would get is no plain word: such a step is none. */
static const char *fill_step(struct arena *arena, const struct klog_event *event, const char *template, bool is_command)
{
	STRBUF_AUTO text = STRBUF_INIT;
	const char *place;
	size_t len;

	while ((place = strbuf_add_to_place(&text, &template, &len))) {
		size_t before = text.len;

		if (!fill_step_place(&text, event, place, len) || (is_command && !template_is_plain(text.buf + before)))
			return NULL;
	}
	return arena_strdup(arena, text.buf);
}

void log_steps(struct arena *arena, const struct klog_event *event, const struct step **ret, size_t *nr)
{
	enum finding_id finding = log_finding(event->row);
	struct step *steps = NULL;

	*nr = 0;
	/* The finding's own first; those of its action only where it has none. */
	for (int own = 1; own >= 0 && !*nr; own--) {
		for (size_t i = 0; i < nr_step_defs; i++) {
			const struct step_def *def = &step_defs[i];
			struct step step = { .disruptive = def->disruptive };

			if (!step_is_for(def, finding, own))
				continue;
			step.text = fill_step(arena, event, def->text, false);
			step.command = def->command ? fill_step(arena, event, def->command, true) : NULL;
			step.expect = def->expect ? fill_step(arena, event, def->expect, false) : NULL;
			if (!step.text || (def->command && !step.command) || (def->expect && !step.expect))
				continue;
			steps = arena_grow(arena, steps, *nr, sizeof(*steps));
			steps[(*nr)++] = step;
		}
	}
	*ret = steps;
}
