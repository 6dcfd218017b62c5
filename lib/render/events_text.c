// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * events_text.c - the incidents of a log for a person: what is wrong now, GPUs
 * first, newest first, with what to do and the lines that say so; then what is
 * worth a line; then what is past.
 */
#include "base/compat.h"
#include "render/events.h"

#include "base/text.h"
#include "render/events_words.h"
#include "render/term_writer.h"

#define DOT " · "

enum {
	SHEET_HANG = 6,		/* below "FAIL  " */
	STEP_HANG = 12,		/* below "      Next: " */
	MAX_TOLD = 8,		/* events shown of one incident */
	MAX_NOTES = 12,
	MAX_PAST = 12,
	LEAST_ALIKE = 5,	/* so many GPUs with the same incident share an entry */
	SHOWN_DEVICES = 8,
};

/* A incident as it counts now. */
struct telling {
	const struct klog_incident *incident;
	const struct klog_event *worst;
	enum outcome outcome;
	size_t nr_alike;		/* so many GPUs have the same, this one too, */
	const struct telling *teller;	/* and are told where this one is: the newest of them */
};

struct sheet {
	struct term_writer term;
	const struct told_log *told;
	struct arena arena;
	size_t nr;
	struct telling *tellings;	/* of each incident, in their order */
};

/* ---- one that is a fault, in full: what it is, why, what to do, and its log lines */

/* A line of its own, what goes on below it as far in. */
static void sheet_line(struct term_writer *term, size_t hang, const char *text)
{
	term_move(term, hang);
	term_flow(term, hang, text);
	term_end_line(term);
}

/* "line 123: NVRM: …", and what went on with it. */
static void sheet_quote(struct sheet *sheet, size_t indent, const struct klog_event *event)
{
	struct told_place place = told_place(sheet->told, event->first_line);
	struct term_writer *term = &sheet->term;
	STRBUF_AUTO text = STRBUF_INIT;

	if (sheet->told->is_of_files && place.file)
		strbuf_addf(&text, "%s:%llu: ", place.file, (unsigned long long)place.line);
	else
		strbuf_addf(&text, "line %llu: ", (unsigned long long)place.line);
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

/* What to do about an event. */
static void sheet_steps(struct sheet *sheet, const struct klog_event *event)
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
	sheet_quote(sheet, SHEET_HANG + 2, event);
}

static void put_others(struct sheet *sheet, const struct klog_incident *incident, const struct klog_event *worst,
		       bool before)
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

/* A fault in full, below that sentence. */
static void sheet_fault(struct sheet *sheet, const struct telling *telling, const char *sentence)
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
		sheet_line(term, SHEET_HANG,
			   "Different jobs had it within a day, on this GPU alone: it points to the GPU.");
	if (log_hangs_again(sheet->told->log, worst, &log_limits_built_in))
		sheet_line(term, SHEET_HANG, "It comes again and again: more than one program's bug, as a rule.");
	sheet_steps(sheet, worst);
	put_others(sheet, telling->incident, worst, true);
	sheet_quote(sheet, SHEET_HANG, worst);
	put_others(sheet, telling->incident, worst, false);
}

/* ---- which are faults */

static int compare_kinds(const struct telling *a, const struct telling *b)
{
	if (a->incident->is_gpu != b->incident->is_gpu)
		return a->incident->is_gpu ? -1 : 1;
	if (a->outcome != b->outcome)
		return a->outcome > b->outcome ? -1 : 1;
	if (a->worst->row != b->worst->row)
		return a->worst->row < b->worst->row ? -1 : 1;
	return a->worst->code < b->worst->code ? -1 : a->worst->code > b->worst->code;
}

static int by_kind(const void *a, const void *b)
{
	struct telling *const *left = a, *const *right = b;
	int order = compare_kinds(*left, *right);

	return order ? order : *left < *right ? -1 : 1;
}

/* The same incident on several GPUs is printed once. */
static void join_alike(struct sheet *sheet)
{
	struct telling **sorted = arena_alloc(&sheet->arena, sheet->nr * sizeof(struct telling *));

	for (size_t i = 0; i < sheet->nr; i++)
		sorted[i] = &sheet->tellings[i];
	qsort(sorted, sheet->nr, sizeof(struct telling *), by_kind);
	for (size_t i = 0, end; i < sheet->nr; i = end) {
		for (end = i + 1; end < sheet->nr && !compare_kinds(sorted[i], sorted[end]); end++)
			;
		for (size_t at = i; at < end; at++) {
			bool joined = sorted[i]->incident->is_gpu && end - i >= LEAST_ALIKE;

			sorted[at]->nr_alike = end - i;
			sorted[at]->teller = joined ? sorted[i] : sorted[at];
		}
	}
}

static void judge_stories(struct sheet *sheet)
{
	const struct klog_incidents *incidents = sheet->told->incidents;

	sheet->nr = incidents->nr;
	sheet->tellings = arena_alloc(&sheet->arena, incidents->nr * sizeof(*sheet->tellings));
	for (size_t i = 0; i < incidents->nr; i++) {
		struct telling *telling = &sheet->tellings[i];

		telling->incident = &incidents->items[i];
		telling->worst =
			log_incident_worst(sheet->told->log, telling->incident, sheet->told->now, &log_limits_built_in);
		telling->outcome = log_told_outcome(sheet->told->log, telling->incident, telling->worst,
						    sheet->told->now, &log_limits_built_in);
	}
	join_alike(sheet);
}

/* A sentence begins with a capital letter. */
static void capitalise(struct strbuf *text)
{
	if (text->len && text->buf[0] >= 'a' && text->buf[0] <= 'z')
		text->buf[0] = (char)(text->buf[0] - 'a' + 'A');
}

static void add_end(struct strbuf *sentence)
{
	if (sentence->len && !strchr(".!?", sentence->buf[sentence->len - 1]))
		strbuf_addch(sentence, '.');
}

static void add_story_sentence(struct strbuf *out, const struct klog_event *worst)
{
	log_sentence(out, worst);
	capitalise(out);
	add_end(out);
}

static bool is_fault(const struct telling *telling)
{
	return telling->outcome >= OUTCOME_WARN;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* "8 GPUs (0000:17:00.0, …) have fallen off the bus." */
static void add_alike_sentence(struct sheet *sheet, struct strbuf *out, const struct telling *telling)
{
	const char **devices = arena_alloc(&sheet->arena, telling->nr_alike * sizeof(*devices));
	size_t nr = 0;

	for (size_t i = 0; i < sheet->nr; i++)
		if (sheet->tellings[i].teller == telling)
			devices[nr++] = sheet->tellings[i].incident->device;
	qsort(devices, nr, sizeof(*devices), by_name);
	strbuf_addf(out, "%zu GPUs (", nr);
	for (size_t i = 0; i < nr && i < SHOWN_DEVICES; i++)
		strbuf_addf(out, "%s%s", i ? ", " : "", devices[i]);
	strbuf_addstr(out, nr > SHOWN_DEVICES ? ", …) " : ") ");
	log_fill_many(out, telling->worst, klog_rows[telling->worst->row].title);
	add_end(out);
}

static void put_faults(struct sheet *sheet, bool of_gpus)
{
	for (size_t i = 0; i < sheet->nr; i++) {
		const struct telling *telling = &sheet->tellings[i];
		STRBUF_AUTO sentence = STRBUF_INIT;

		if (telling->incident->is_gpu != of_gpus || !is_fault(telling) || telling->teller != telling)
			continue;
		if (of_gpus && telling->nr_alike >= LEAST_ALIKE)
			add_alike_sentence(sheet, &sentence, telling);
		else
			add_story_sentence(&sentence, telling->worst);
		sheet_fault(sheet, telling, sentence.buf);
	}
}

/* ---- what is worth a line */

static const char *past_words(const struct klog_incident *incident)
{
	static const char *const words[] = {
		[KLOG_CURRENT] = "",
		[KLOG_BEFORE_RESET] = "before the last reset",
		[KLOG_BEFORE_DRIVER_LOAD] = "before the driver was reloaded",
		[KLOG_BEFORE_BOOT] = "before the last boot",
	};

	return words[incident->currency];
}

static bool is_past(const struct klog_incident *incident)
{
	return incident->currency != KLOG_CURRENT;
}

static void put_short(struct sheet *sheet, const struct telling *telling)
{
	const struct klog_incident *incident = telling->incident;
	struct term_writer *term = &sheet->term;
	STRBUF_AUTO text = STRBUF_INIT;
	STRBUF_AUTO when = STRBUF_INIT;

	log_sentence(&text, telling->worst);
	capitalise(&text);
	events_add_when(&when, telling->worst);
	if (when.len)
		strbuf_addf(&text, DOT "%s", when.buf);
	if (incident->nr > 1)
		strbuf_addf(&text, DOT "%zu more event%s with it", incident->nr - 1, plural(incident->nr - 1, "", "s"));
	if (incident->recovery)
		strbuf_addstr(&text, DOT "reset with success");
	term_put(term, is_past(incident) ? STYLE_DIM : STYLE_NOTE, is_past(incident) ? "past" : "note");
	term_move(term, SHEET_HANG);
	term_flow(term, SHEET_HANG, text.buf);
	term_right(term, STYLE_DIM, finding_defs[log_finding(telling->worst->row)].name);
	term_end_line(term);
	if (is_past(incident))
		return;
	sheet_quote(sheet, SHEET_HANG, telling->worst);
	/* A program that does not start for a wrong setting is a note, and still needs a fix. */
	if (finding_defs[log_finding(telling->worst->row)].action == ACTION_FIX_CONFIG)
		sheet_steps(sheet, telling->worst);
}

static void put_shorts(struct sheet *sheet, bool past, size_t max)
{
	enum klog_currency told = KLOG_CURRENT;
	size_t nr = 0;

	for (size_t i = 0; i < sheet->nr; i++) {
		const struct telling *telling = &sheet->tellings[i];

		if (is_fault(telling) || is_past(telling->incident) != past || nr++ >= max)
			continue;
		if (nr == 1)
			term_end_line(&sheet->term);
		if (past && telling->incident->currency != told) {
			term_put(&sheet->term, STYLE_PLAIN, past_words(telling->incident));
			term_end_line(&sheet->term);
		}
		told = telling->incident->currency;
		put_short(sheet, telling);
	}
	if (nr > max)
		sheet_line(&sheet->term, SHEET_HANG,
			   arena_printf(&sheet->arena, "and %zu more: --format json has them all", nr - max));
}

/* ---- the whole */

static void put_head(struct sheet *sheet)
{
	const struct klog_log *log = sheet->told->log;
	struct term_writer *term = &sheet->term;
	STRBUF_AUTO text = STRBUF_INIT;

	term_fact(term, 2, sheet->told->source);
	if (events_add_span(&text, log->coverage.first, log->coverage.last, false))
		term_fact(term, 2, text.buf);
	strbuf_reset(&text);
	events_add_count(&text, log->coverage.lines);
	strbuf_addf(&text, " line%s", plural(log->coverage.lines, "", "s"));
	term_fact(term, 2, text.buf);
	if (log->boots > 1)
		term_fact(term, 2, arena_printf(&sheet->arena, "%u boots", log->boots));
	term_end_line(term);
}

static bool has_fault(const struct sheet *sheet)
{
	for (size_t i = 0; i < sheet->nr; i++)
		if (is_fault(&sheet->tellings[i]))
			return true;
	return false;
}

/* What was looked through without finding a fault: not more than was read. */
static void put_nothing(struct sheet *sheet)
{
	const struct klog_coverage *coverage = &sheet->told->log->coverage;
	uint64_t lines = coverage->lines, unjudged = sheet->told->log->unjudged;
	STRBUF_AUTO text = STRBUF_INIT;
	STRBUF_AUTO span = STRBUF_INIT;

	if (lines > unjudged)
		lines -= unjudged;
	else if (unjudged)
		return;
	strbuf_addstr(&text, sheet->told->log->nr_events ? "No fault that still counts in " : "No GPU fault in ");
	if (unjudged)
		strbuf_addstr(&text, "the other ");
	if (sheet->told->is_part)
		strbuf_addstr(&text, "the requested part of ");
	events_add_count(&text, lines);
	strbuf_addf(&text, " line%s", plural(lines, "", "s"));
	if (events_add_span(&span, coverage->first, coverage->last, false))
		strbuf_addf(&text, ", %s", span.buf);
	strbuf_addch(&text, '.');
	term_end_line(&sheet->term);
	sheet_line(&sheet->term, 0, text.buf);
}

/* Lines that nothing is known of, before what is worth a line only. */
static void put_unjudged(struct sheet *sheet)
{
	const struct klog_log *log = sheet->told->log;
	struct term_writer *term = &sheet->term;

	if (!log->unjudged)
		return;
	term_end_line(term);
	term_put(term, style_of(OUTCOME_UNKNOWN), "????");
	sheet_line(term, SHEET_HANG, events_unjudged(&sheet->arena, log));
	term_move(term, SHEET_HANG);
	term_put(term, STYLE_DIM, arena_printf(&sheet->arena, "line %llu: ", (unsigned long long)log->unjudged_line));
	term_flow(term, SHEET_HANG + 2, log->unjudged_text);
	term_end_line(term);
	sheet_line(term, SHEET_HANG, "Next: Read the node's own log, as the kernel printed it:");
	term_command(term, SHEET_HANG + 6, "dmesg | gpudiag logs -");
}

static void put_messages(struct sheet *sheet)
{
	struct strs messages = { .nr = 0 };

	events_messages(&sheet->arena, sheet->told->log, &messages);
	if (messages.nr)
		term_end_line(&sheet->term);
	for (size_t i = 0; i < messages.nr; i++) {
		term_put(&sheet->term, STYLE_DIM, "log");
		term_move(&sheet->term, SHEET_HANG);
		term_flow(&sheet->term, SHEET_HANG, messages.v[i]);
		term_end_line(&sheet->term);
	}
}

void render_events_text(struct strbuf *out, const struct told_log *told, const struct render_options *options)
{
	struct sheet sheet = { .told = told };

	term_open(&sheet.term, out, options);
	judge_stories(&sheet);
	put_head(&sheet);
	put_faults(&sheet, true);
	put_faults(&sheet, false);
	put_unjudged(&sheet);
	put_shorts(&sheet, false, MAX_NOTES);
	put_shorts(&sheet, true, MAX_PAST);
	if (!has_fault(&sheet))
		put_nothing(&sheet);
	put_messages(&sheet);
	arena_release(&sheet.arena);
}

void render_event_line(struct strbuf *out, const struct klog_event *event, const struct render_options *options)
{
	enum outcome outcome = log_row_outcome(event);
	STRBUF_AUTO sentence = STRBUF_INIT;
	STRBUF_AUTO when = STRBUF_INIT;
	struct term_writer term;

	term_open(&term, out, options);
	term.columns = SIZE_MAX;
	term_put(&term, style_of(outcome),
		 outcome == OUTCOME_FAIL   ? "FAIL"
		 : outcome == OUTCOME_WARN ? "WARN"
					   : "note");
	term_move(&term, SHEET_HANG);
	if (events_add_span(&when, event->first, event->last, true)) {
		term_put(&term, STYLE_PLAIN, when.buf);
		term_move(&term, term.at + 2);
	}
	strbuf_addf(&sentence, "%s: ", klog_rows[event->row].name);
	log_sentence(&sentence, event);
	strbuf_addf(&sentence, DOT "%s", event->text);
	term_put(&term, STYLE_PLAIN, sentence.buf);
	term_end_line(&term);
}
