// SPDX-License-Identifier: GPL-2.0-or-later
/* events_fault.c - an incident that is a fault, in full: what it is, why, what to do, and its log lines. */
#include "base/compat.h"
#include "render/events_sheet.h"

#include "render/events_words.h"

enum {
	STEP_HANG = 12,		/* below "      Next: " */
	MAX_TOLD = 8,		/* events shown of one incident */
};

void sheet_line(struct term_writer *term, size_t hang, const char *text)
{
	term_move(term, hang);
	term_flow(term, hang, text);
	term_end_line(term);
}

/* "line 123: NVRM: …", and what went on with it. */
void sheet_quote(struct term_writer *term, size_t indent, const struct klog_event *event)
{
	STRBUF_AUTO text = STRBUF_INIT;

	strbuf_addf(&text, "line %llu: ", (unsigned long long)event->first_line);
	term_move(term, indent);
	term_put(term, STYLE_DIM, text.buf);
	term_flow(term, indent + 2, event->text);
	term_end_line(term);
	for (const char *at = event->details; *at;) {
		size_t len = strcspn(at, "\n");

		strbuf_reset(&text);
		strbuf_add(&text, at, len);
		sheet_line(term, indent + 2, text.buf);
		at += len + (at[len] == '\n');
	}
}

void sheet_steps(struct sheet *sheet, const struct klog_event *event)
{
	struct term_writer *term = &sheet->term;
	const struct step *steps;
	size_t nr;

	log_steps(&sheet->arena, event, &steps, &nr);
	for (size_t i = 0; i < nr; i++) {
		term_move(term, SHEET_HANG);
		term_put(term, STYLE_PLAIN, "Next: ");
		term_flow(term, STEP_HANG, steps[i].disruptive ?
			  arena_printf(&sheet->arena, "%s (disruptive)", steps[i].text) : steps[i].text);
		term_end_line(term);
		if (steps[i].command)
			term_command(term, STEP_HANG, steps[i].command);
	}
}

/* "python (pid 1234), train (pid 99) and 7 more" */
static void add_processes(struct strbuf *out, const struct klog_event *event)
{
	for (size_t i = 0; i < event->nr_processes; i++) {
		const struct klog_process *process = &event->processes[i];

		strbuf_addf(out, "%s%s", i ? ", " : "", process->name[0] ? process->name : "a process");
		if (process->has_pid)
			strbuf_addf(out, " (pid %llu)", (unsigned long long)process->pid);
	}
	if (event->processes_seen > event->nr_processes)
		strbuf_addf(out, " and %llu more", (unsigned long long)(event->processes_seen - event->nr_processes));
}

static void put_facts(struct sheet *sheet, const struct klog_event *event)
{
	STRBUF_AUTO text = STRBUF_INIT;
	STRBUF_AUTO when = STRBUF_INIT;
	enum blame blame = finding_defs[log_finding(event->row)].blame;

	strbuf_addstr(&text, klog_severity_name(klog_rows[event->row].severity));
	events_add_when(&when, event);
	if (when.len)
		strbuf_addf(&text, DOT "%s", when.buf);
	if (blame != BLAME_NONE)
		strbuf_addf(&text, DOT "blame: %s", blame_name(blame));
	if (event->nr_processes) {
		strbuf_addstr(&text, DOT);
		add_processes(&text, event);
	}
	sheet_line(&sheet->term, SHEET_HANG, text.buf);
}

/* The headline names the device, where the line names none or the same. */
static bool is_of_same_device(const struct klog_event *worst, const struct klog_event *event)
{
	if (klog_rows[event->row].age == KLOG_AGE_HOST || klog_rows[worst->row].age == KLOG_AGE_HOST)
		return false;
	return !event->device[0] || !strcmp(event->device, worst->device);
}

static void put_other(struct sheet *sheet, const struct klog_incident *incident, const struct klog_event *event,
		      const struct klog_event *worst)
{
	STRBUF_AUTO text = STRBUF_INIT;
	STRBUF_AUTO sentence = STRBUF_INIT;
	STRBUF_AUTO times = STRBUF_INIT;

	strbuf_addstr(&text, event == incident->events[0] ? "First" : "Then");
	if (event->has_code)
		strbuf_addf(&text, " %s", log_name(&sheet->arena, event));
	strbuf_addstr(&text, ", ");
	events_add_distance(&text, event, worst);
	if (text.buf[text.len - 2] == ',')
		strbuf_setlen(&text, text.len - 2);
	if (is_of_same_device(worst, event))
		log_fill(&sentence, event, klog_rows[event->row].title);
	else
		log_sentence(&sentence, event);
	strbuf_addf(&text, ": %s", sentence.buf);
	events_add_rate(&times, event);
	if (times.len)
		strbuf_addf(&text, ", %s", times.buf);
	sheet_line(&sheet->term, SHEET_HANG, text.buf);
	sheet_quote(&sheet->term, SHEET_HANG + 2, event);
}

static void put_others(struct sheet *sheet, const struct klog_incident *incident, const struct klog_event *worst, bool before)
{
	size_t nr = 0;

	for (size_t i = 0; i < incident->nr; i++) {
		const struct klog_event *event = incident->events[i];

		if (event == worst || (event->first_line < worst->first_line) != before)
			continue;
		if (nr++ < MAX_TOLD)
			put_other(sheet, incident, event, worst);
	}
	if (nr > MAX_TOLD)
		sheet_line(&sheet->term, SHEET_HANG,
			   arena_printf(&sheet->arena, "and %zu more: --format json has them all", nr - MAX_TOLD));
}

void sheet_fault(struct sheet *sheet, const struct telling *telling, const char *sentence)
{
	const struct klog_event *worst = telling->worst;
	STRBUF_AUTO why = STRBUF_INIT;
	struct term_writer *term = &sheet->term;

	term_end_line(term);
	term_put(term, style_of(telling->outcome), telling->outcome == OUTCOME_FAIL ? "FAIL" : "WARN");
	term_move(term, SHEET_HANG);
	term_flow(term, SHEET_HANG, sentence);
	term_right(term, STYLE_DIM, finding_defs[log_finding(worst->row)].name);
	term_end_line(term);
	put_facts(sheet, worst);
	log_fill(&why, worst, klog_rows[worst->row].why);
	sheet_line(term, SHEET_HANG, why.buf);
	if (log_points_to_gpu(sheet->told->log, worst, sheet->told->now))
		sheet_line(term, SHEET_HANG, "Different jobs had it within a day, on this GPU alone: it points to the GPU.");
	sheet_steps(sheet, worst);
	put_others(sheet, telling->incident, worst, true);
	sheet_quote(term, SHEET_HANG, worst);
	put_others(sheet, telling->incident, worst, false);
}
