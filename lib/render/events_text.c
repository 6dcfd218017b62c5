// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * events_text.c - the stories of a log for a person: what is wrong now, GPUs
 * first, newest first, with what to do and the lines that say so; then what is
 * worth a line; then what is past.
 */
#include "base/compat.h"
#include "render/events.h"
#include "render/page.h"

#include "base/text.h"

#define DOT " · "

enum {
	HANG = 6,		/* below "FAIL  " */
	STEP_HANG = 12,		/* below "      Next: " */
	MAX_TOLD = 8,		/* events of one story told */
	MAX_NOTES = 12,
	MAX_PAST = 12,
	LEAST_ALIKE = 5,	/* so many GPUs with the same are told at once */
	LEAST_STORM = 10,	/* so many repeats have a rate */
	SHOWN_DEVICES = 8,
	MOMENT_US = 100000,	/* nearer is at once */
};

/* ---- messages */

static const char *plural(uint64_t nr)
{
	return nr == 1 ? "" : "s";
}

/* "48 213": as people read it. */
static void add_count(struct strbuf *out, uint64_t nr)
{
	char digits[32];
	size_t len = (size_t)snprintf(digits, sizeof(digits), "%llu", (unsigned long long)nr);

	for (size_t i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0 && len > 4)
			strbuf_addstr(out, "\u202f");
		strbuf_addch(out, digits[i]);
	}
}

/* one: what it says of one alone */
static void add_message(struct arena *arena, struct strs *messages, uint64_t nr, const char *one, const char *many)
{
	if (nr)
		strs_add(arena, messages, arena_printf(arena, "%llu %s", (unsigned long long)nr, nr == 1 ? one : many));
}

static bool has_stamps(const struct klog_log *log)
{
	for (size_t i = 0; i < log->nr_events; i++)
		if (log->events[i].last.has_wall || log->events[i].last.has_boot)
			return true;
	return false;
}

void events_messages(struct arena *arena, const struct klog_log *log, struct strs *ret)
{
	add_message(arena, ret, log->coverage.lost_records,
		    "record was overwritten before it was read: what it said is not known",
		    "records were overwritten before they were read: what they said is not known");
	add_message(arena, ret, log->coverage.cut_lines, "overlong line was looked at up to 64 KiB only",
		    "overlong lines were looked at up to 64 KiB only");
	add_message(arena, ret, log->dropped,
		    "line of the mildest and oldest events is not told: there are too many different ones",
		    "lines of the mildest and oldest events are not told: there are too many different ones");
	add_message(arena, ret, log->suspends, "time asleep: stamps since boot leave that time out",
		    "times asleep: stamps since boot leave that time out");
	if (log->nr_events && !has_stamps(log))
		strs_add(arena, ret,
			 "the lines have no stamps: nothing says when this was, and what is of the last boot counts");
}

/* ---- when */

static void add_day(struct strbuf *out, struct klog_time time)
{
	char stamp[32];

	format_rfc3339(time.wall_us / 1000000, 0, stamp);
	strbuf_addf(out, "%.10s", stamp);
}

/* "15:02:07", or without its seconds. */
static void add_clock(struct strbuf *out, struct klog_time time, bool seconds)
{
	char stamp[32];

	format_rfc3339(time.wall_us / 1000000, 0, stamp);
	strbuf_addf(out, "%.*s", seconds ? 8 : 5, stamp + 11);
}

static bool same_day(struct klog_time a, struct klog_time b)
{
	return a.wall_us / 86400000000 == b.wall_us / 86400000000;
}

static void add_zone(struct strbuf *out, struct klog_time time)
{
	strbuf_addstr(out, time.wall_is_local ? " local time" : " UTC");
}

static void add_boot_stamp(struct strbuf *out, struct klog_time time)
{
	strbuf_addf(out, "%llu.%06u", (unsigned long long)(time.boot_us / 1000000), (unsigned)(time.boot_us % 1000000));
}

/* Do both look alike? */
static bool shows_same(struct klog_time a, struct klog_time b, bool seconds)
{
	int64_t step_us = seconds ? 1000000 : 60000000;

	return a.wall_us / step_us == b.wall_us / step_us;
}

/* "2026-11-20 03:12:05 to 15:02:07 UTC", "[431.500000] to [955.000000] s since boot"; false: no stamps. */
static bool add_span(struct strbuf *out, struct klog_time first, struct klog_time last, bool seconds)
{
	if (first.has_wall && last.has_wall) {
		add_day(out, first);
		strbuf_addch(out, ' ');
		add_clock(out, first, seconds);
		if (!shows_same(first, last, seconds)) {
			strbuf_addstr(out, " to ");
			if (!same_day(first, last)) {
				add_day(out, last);
				strbuf_addch(out, ' ');
			}
			add_clock(out, last, seconds);
		}
		add_zone(out, last);
	} else if (first.has_boot && last.has_boot) {
		add_boot_stamp(out, first);
		if (first.boot_us != last.boot_us) {
			strbuf_addstr(out, " to ");
			add_boot_stamp(out, last);
		}
		strbuf_addstr(out, " s after boot");
	} else {
		return false;
	}
	return true;
}

/* "120 times, 12/s": how often, and how fast where that is a storm. */
static void add_rate(struct strbuf *out, const struct klog_event *event)
{
	int64_t us;
	double rate;

	if (event->count < 2)
		return;
	strbuf_addstr(out, out->len ? ", " : "");
	add_count(out, event->count);
	strbuf_addstr(out, " times");
	if (event->count < LEAST_STORM || !klog_time_between(event->first, event->last, true, &us) || us <= 0)
		return;
	rate = (double)(event->count - 1) * 1e6 / (double)us;
	if (rate * 60 < 1)
		return;
	strbuf_addstr(out, ", ");
	if (rate >= 1)
		unit_format(out, UNIT_PER_S, rate);
	else
		strbuf_addf(out, "%.0f a minute", rate * 60);
}

static void add_when(struct strbuf *out, const struct klog_event *event)
{
	add_span(out, event->first, event->last, true);
	add_rate(out, event);
}

/* ---- parts of a story */

/* A story as it counts now. */
struct telling {
	const struct klog_story *story;
	const struct klog_event *worst;
	enum outcome outcome;
	size_t nr_alike;		/* so many GPUs have the same, this one too, */
	const struct telling *teller;	/* and are told where this one is: the newest of them */
};

struct sheet {
	struct page page;
	const struct told_log *told;
	struct arena arena;
	size_t nr;
	struct telling *tellings;	/* of each story, in their order */
};

static void put_line(struct page *page, size_t hang, const char *text)
{
	page_move(page, hang);
	page_flow(page, hang, text);
	page_end_line(page);
}

/* "line 123: NVRM: …", and what went on with it. */
static void put_quote(struct page *page, size_t indent, const struct klog_event *event)
{
	STRBUF_AUTO text = STRBUF_INIT;

	strbuf_addf(&text, "line %llu: ", (unsigned long long)event->first_line);
	page_move(page, indent);
	page_put(page, INK_DIM, text.buf);
	page_flow(page, indent + 2, event->text);
	page_end_line(page);
	for (const char *at = event->details; *at;) {
		size_t len = strcspn(at, "\n");

		strbuf_reset(&text);
		strbuf_add(&text, at, len);
		put_line(page, indent + 2, text.buf);
		at += len + (at[len] == '\n');
	}
}

static void put_steps(struct sheet *sheet, const struct klog_event *event)
{
	struct page *page = &sheet->page;
	const struct step *steps;
	size_t nr;

	log_steps(&sheet->arena, event, &steps, &nr);
	for (size_t i = 0; i < nr; i++) {
		page_move(page, HANG);
		page_put(page, INK_PLAIN, "Next: ");
		page_flow(page, STEP_HANG, steps[i].disruptive ?
			  arena_printf(&sheet->arena, "%s (disruptive)", steps[i].text) : steps[i].text);
		page_end_line(page);
		if (steps[i].command)
			page_command(page, STEP_HANG, steps[i].command);
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
	add_when(&when, event);
	if (when.len)
		strbuf_addf(&text, DOT "%s", when.buf);
	if (blame != BLAME_NONE)
		strbuf_addf(&text, DOT "blame: %s", blame_name(blame));
	if (event->nr_processes) {
		strbuf_addstr(&text, DOT);
		add_processes(&text, event);
	}
	put_line(&sheet->page, HANG, text.buf);
}

/* ---- the other events of a story */

static void add_code(struct strbuf *out, const struct klog_event *event)
{
	if (!event->has_code)
		return;
	strbuf_addf(out, "%s %llu", klog_rows[event->row].kind == KLOG_NVIDIA_SXID ? "SXid" : "Xid",
		    (unsigned long long)event->code);
}

/* How long before or after the worst. */
static void add_distance(struct strbuf *out, const struct klog_event *event, const struct klog_event *worst)
{
	bool before = event->first_line < worst->first_line;
	int64_t us;

	if (!klog_time_between(worst->first, event->first, true, &us))
		return;
	us = us < 0 ? -us : us;
	if (us < MOMENT_US) {
		strbuf_addstr(out, before ? "just before" : "at once");
		return;
	}
	unit_format(out, UNIT_MS, (double)(us >= 1000000 ? us / 1000000 * 1000 : us / 1000));
	strbuf_addstr(out, before ? " before" : " later");
}

/* The story's own GPU is the one it is about, where the line names none. */
static bool is_of_same_device(const struct klog_story *story, const struct klog_event *event)
{
	if (klog_rows[event->row].age == KLOG_AGE_HOST)
		return false;
	return !event->device[0] || !strcmp(event->device, story->device);
}

static void put_other(struct sheet *sheet, const struct klog_story *story, const struct klog_event *event,
		      const struct klog_event *worst)
{
	STRBUF_AUTO text = STRBUF_INIT;
	STRBUF_AUTO sentence = STRBUF_INIT;
	STRBUF_AUTO times = STRBUF_INIT;

	strbuf_addstr(&text, event == story->events[0] ? "First" : "Then");
	if (event->has_code) {
		strbuf_addch(&text, ' ');
		add_code(&text, event);
	}
	strbuf_addstr(&text, ", ");
	add_distance(&text, event, worst);
	if (text.buf[text.len - 2] == ',')
		strbuf_setlen(&text, text.len - 2);
	if (is_of_same_device(story, event))
		log_fill(&sentence, event, klog_rows[event->row].title);
	else
		log_sentence(&sentence, event);
	strbuf_addf(&text, ": %s", sentence.buf);
	add_rate(&times, event);
	if (times.len)
		strbuf_addf(&text, ", %s", times.buf);
	put_line(&sheet->page, HANG, text.buf);
	put_quote(&sheet->page, HANG + 2, event);
}

static void put_others(struct sheet *sheet, const struct klog_story *story, const struct klog_event *worst, bool before)
{
	size_t nr = 0;

	for (size_t i = 0; i < story->nr; i++) {
		const struct klog_event *event = story->events[i];

		if (event == worst || (event->first_line < worst->first_line) != before)
			continue;
		if (nr++ < MAX_TOLD)
			put_other(sheet, story, event, worst);
	}
	if (nr > MAX_TOLD)
		put_line(&sheet->page, HANG,
			 arena_printf(&sheet->arena, "and %zu more: --format json has them all", nr - MAX_TOLD));
}

/* ---- faults */

static int compare_kinds(const struct telling *a, const struct telling *b)
{
	if (a->story->is_gpu != b->story->is_gpu)
		return a->story->is_gpu ? -1 : 1;
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

/* Stories of several GPUs with the same are told once. */
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
			bool joined = sorted[i]->story->is_gpu && end - i >= LEAST_ALIKE;

			sorted[at]->nr_alike = end - i;
			sorted[at]->teller = joined ? sorted[i] : sorted[at];
		}
	}
}

static void judge_stories(struct sheet *sheet)
{
	const struct klog_stories *stories = sheet->told->stories;

	sheet->nr = stories->nr;
	sheet->tellings = arena_alloc(&sheet->arena, stories->nr * sizeof(*sheet->tellings));
	for (size_t i = 0; i < stories->nr; i++) {
		struct telling *telling = &sheet->tellings[i];

		telling->story = &stories->items[i];
		telling->worst = log_story_worst(sheet->told->log, telling->story, sheet->told->now, LOG_CURRENT_S);
		telling->outcome =
			log_event_outcome(sheet->told->log, telling->worst, sheet->told->now, LOG_CURRENT_S);
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

static void put_fault(struct sheet *sheet, const struct telling *telling, const char *sentence)
{
	const struct klog_event *worst = telling->worst;
	STRBUF_AUTO why = STRBUF_INIT;
	struct page *page = &sheet->page;

	page_end_line(page);
	page_put(page, ink_of(telling->outcome), telling->outcome == OUTCOME_FAIL ? "FAIL" : "WARN");
	page_move(page, HANG);
	page_flow(page, HANG, sentence);
	page_right(page, INK_DIM, finding_defs[log_finding(worst->row)].name);
	page_end_line(page);
	put_facts(sheet, worst);
	log_fill(&why, worst, klog_rows[worst->row].why);
	put_line(page, HANG, why.buf);
	if (log_points_to_gpu(sheet->told->log, worst, sheet->told->now))
		put_line(page, HANG, "Different jobs had it within a day, on this GPU alone: it points to the GPU.");
	put_steps(sheet, worst);
	put_others(sheet, telling->story, worst, true);
	put_quote(page, HANG, worst);
	put_others(sheet, telling->story, worst, false);
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
			devices[nr++] = sheet->tellings[i].story->device;
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

		if (telling->story->is_gpu != of_gpus || !is_fault(telling) || telling->teller != telling)
			continue;
		if (of_gpus && telling->nr_alike >= LEAST_ALIKE)
			add_alike_sentence(sheet, &sentence, telling);
		else
			add_story_sentence(&sentence, telling->worst);
		put_fault(sheet, telling, sentence.buf);
	}
}

/* ---- what is worth a line */

static const char *past_words(const struct klog_story *story)
{
	static const char *const words[] = {
		[KLOG_CURRENT] = "",
		[KLOG_BEFORE_RESET] = "before the last reset",
		[KLOG_BEFORE_DRIVER_LOAD] = "before the driver was loaded anew",
		[KLOG_BEFORE_BOOT] = "before the last boot",
	};

	return words[story->currency];
}

static bool is_past(const struct klog_story *story)
{
	return story->currency != KLOG_CURRENT;
}

static void put_short(struct sheet *sheet, const struct telling *telling)
{
	const struct klog_story *story = telling->story;
	struct page *page = &sheet->page;
	STRBUF_AUTO text = STRBUF_INIT;
	STRBUF_AUTO when = STRBUF_INIT;

	log_sentence(&text, telling->worst);
	capitalise(&text);
	add_when(&when, telling->worst);
	if (when.len)
		strbuf_addf(&text, DOT "%s", when.buf);
	if (story->nr > 1)
		strbuf_addf(&text, DOT "%zu more event%s with it", story->nr - 1, plural(story->nr - 1));
	if (story->recovery)
		strbuf_addstr(&text, DOT "reset with success");
	page_put(page, is_past(story) ? INK_DIM : INK_NOTE, is_past(story) ? "past" : "note");
	page_move(page, HANG);
	page_flow(page, HANG, text.buf);
	page_right(page, INK_DIM, finding_defs[log_finding(telling->worst->row)].name);
	page_end_line(page);
	if (!is_past(story))
		put_quote(page, HANG, telling->worst);
}

static void put_shorts(struct sheet *sheet, bool past, size_t max)
{
	enum klog_currency told = KLOG_CURRENT;
	size_t nr = 0;

	for (size_t i = 0; i < sheet->nr; i++) {
		const struct telling *telling = &sheet->tellings[i];

		if (is_fault(telling) || is_past(telling->story) != past || nr++ >= max)
			continue;
		if (nr == 1)
			page_end_line(&sheet->page);
		if (past && telling->story->currency != told) {
			page_put(&sheet->page, INK_PLAIN, past_words(telling->story));
			page_end_line(&sheet->page);
		}
		told = telling->story->currency;
		put_short(sheet, telling);
	}
	if (nr > max)
		put_line(&sheet->page, HANG,
			 arena_printf(&sheet->arena, "and %zu more: --format json has them all", nr - max));
}

/* ---- the whole */

static void put_head(struct sheet *sheet)
{
	const struct klog_log *log = sheet->told->log;
	struct page *page = &sheet->page;
	STRBUF_AUTO text = STRBUF_INIT;

	page_fact(page, 2, sheet->told->source);
	if (add_span(&text, log->coverage.first, log->coverage.last, false))
		page_fact(page, 2, text.buf);
	strbuf_reset(&text);
	add_count(&text, log->coverage.lines);
	strbuf_addf(&text, " line%s", plural(log->coverage.lines));
	page_fact(page, 2, text.buf);
	if (log->boots > 1)
		page_fact(page, 2, arena_printf(&sheet->arena, "%u boots", log->boots));
	page_end_line(page);
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
	STRBUF_AUTO text = STRBUF_INIT;
	STRBUF_AUTO span = STRBUF_INIT;

	strbuf_addstr(&text, sheet->told->log->nr_events ? "No fault that still counts in " : "No GPU fault in ");
	add_count(&text, coverage->lines);
	strbuf_addf(&text, " line%s", plural(coverage->lines));
	if (add_span(&span, coverage->first, coverage->last, false))
		strbuf_addf(&text, ", %s", span.buf);
	strbuf_addch(&text, '.');
	page_end_line(&sheet->page);
	put_line(&sheet->page, 0, text.buf);
}

static void put_messages(struct sheet *sheet)
{
	struct strs messages = { .nr = 0 };

	events_messages(&sheet->arena, sheet->told->log, &messages);
	if (messages.nr)
		page_end_line(&sheet->page);
	for (size_t i = 0; i < messages.nr; i++) {
		page_put(&sheet->page, INK_DIM, "log");
		page_move(&sheet->page, HANG);
		page_flow(&sheet->page, HANG, messages.v[i]);
		page_end_line(&sheet->page);
	}
}

void render_events_text(struct strbuf *out, const struct told_log *told, const struct render_options *options)
{
	struct sheet sheet = { .told = told };

	page_open(&sheet.page, out, options);
	judge_stories(&sheet);
	put_head(&sheet);
	put_faults(&sheet, true);
	put_faults(&sheet, false);
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
	struct page page;

	page_open(&page, out, options);
	page.columns = SIZE_MAX;
	page_put(&page, ink_of(outcome), outcome == OUTCOME_FAIL ? "FAIL" : outcome == OUTCOME_WARN ? "WARN" : "note");
	page_move(&page, HANG);
	if (add_span(&when, event->first, event->last, true)) {
		page_put(&page, INK_PLAIN, when.buf);
		page_move(&page, page.at + 2);
	}
	strbuf_addf(&sentence, "%s: ", klog_rows[event->row].name);
	log_sentence(&sentence, event);
	strbuf_addf(&sentence, DOT "%s", event->text);
	page_put(&page, INK_PLAIN, sentence.buf);
	page_end_line(&page);
}
