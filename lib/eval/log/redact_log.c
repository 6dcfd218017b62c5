// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/log/redact_log.h"

#include "eval/log/kernel_log.h"
#include "klog/redact.h"

enum { MAX_EVENT_LINES = 128 };		/* from the first line of an event to the last that goes on with it */

struct log_redaction {
	struct snapshot *snapshot;
	const struct redact_options *options;
	struct klog_redactor redactor;
	struct klog_scan *scan;
	struct log_line *line;		/* the one that is scanned */
	bool is_used;
	uint64_t last_boot_ns;
	unsigned event_lines;		/* so many of the next may go on with an event */
};

static const char *pseudonym(void *to, const char *text)
{
	const struct log_redaction *r = to;

	return redact_pseudonym(&r->snapshot->arena, r->options, text);
}

static void set_text(struct log_redaction *r, const char *text)
{
	r->line->text = val_str(text);
	r->is_used = true;
}

static void take_line(void *to, const struct klog_line *line, const struct klog_match *match)
{
	struct log_redaction *r = to;
	const char *source;

	if (match) {
		set_text(r, klog_redact_match(&r->redactor, line->text, match));
		r->event_lines = klog_follow(match) ? MAX_EVENT_LINES + 1 : r->event_lines;
		return;
	}
	/* A device is a GPU if a GPU driver logs about it. */
	source = klog_redact_source(&r->snapshot->arena, line->text);
	if (source)
		set_text(r, source);
}

static void take_unjudged(void *to, const struct klog_line *line)
{
	struct log_redaction *r = to;
	struct klog_named_error error;

	if (klog_names_error(line->text, &error))
		set_text(r, klog_redact_unjudged(&r->snapshot->arena, line->text, &error));
}

static void take_unlisted(void *to, const struct klog_line *line)
{
	struct log_redaction *r = to;

	set_text(r, klog_redact_unlisted(&r->snapshot->arena, line->text));
}

/* Nothing is left of its text: does it count where it stands, or that its clock went back? */
static bool keeps_place(const struct log_redaction *r)
{
	return r->event_lines || u64_or(r->line->boot_ns, r->last_boot_ns) < r->last_boot_ns;
}

static bool redact_line(struct log_redaction *r, struct log_line *fact)
{
	struct klog_line line;

	r->line = fact;
	r->is_used = false;
	r->event_lines -= r->event_lines > 0;
	log_line_read(fact, &line);
	klog_scan_line(r->scan, &line);
	if (!r->is_used) {
		fact->text = (struct val_str){ .state = VAL_UNSET };
		fact->process = (struct val_str){ .state = VAL_UNSET };
	}
	if (!r->is_used && !keeps_place(r))
		return false;
	r->last_boot_ns = u64_or(fact->boot_ns, r->last_boot_ns);
	return true;
}

void redact_log(struct snapshot *snapshot, const struct redact_options *options)
{
	struct arena *arena = &snapshot->arena;
	struct log_redaction r = { .snapshot = snapshot, .options = options, .scan = klog_scan_new() };
	size_t nr = 0;

	r.redactor = (struct klog_redactor){
		.arena = arena, .vocabulary = klog_vocabulary(arena), .pseudonym = pseudonym, .to = &r,
	};
	klog_scan_watch_lines(r.scan, take_line, &r);
	klog_scan_watch_unjudged(r.scan, take_unjudged, &r);
	klog_scan_watch_unlisted(r.scan, take_unlisted, &r);
	for (size_t i = 0; i < snapshot->nr_log_lines; i++)
		if (redact_line(&r, &snapshot->log_lines[i]))
			snapshot->log_lines[nr++] = snapshot->log_lines[i];
	snapshot->nr_log_lines = nr;
	klog_scan_free(r.scan);
}
