// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * split.c - which tool printed which lines of a text. A part ends where another begins, at a prompt, and where a line
 * of a kernel log stands in something that is none; what no kind wants is searched for a kernel log's lines. A JSON
 * document is one part if its keys are a kind's.
 */
#include "base/compat.h"
#include "import/cells.h"
#include "import/document/left_out.h"
#include "import/dump/json_text.h"
#include "import/dump/readers.h"
#include "import/host/sysfs.h"
#include "import/kind/cues.h"
#include "import/label.h"
#include "import/line/log_pieces.h"
#include "import/line/prompt.h"
#include "import/line/string_text.h"
#include "import/line_number.h"
#include "import/log/bug_report.h"
#include "import/log/log.h"
#include "import/log/tech_support.h"
#include "import/prefix.h"
#include "import/program/program_end.h"
#include "import/program/quoted_error.h"
#include "import/program/unlisted_error.h"
#include "import/prompt_host.h"
#include "import/words/fault_claim.h"
#include "import/words/xid_claim.h"
#include "import/wrapped.h"

#include "base/text.h"
#include "base/text_scan.h"

/* A tool of a tool gives out what a third one printed. */
enum { DEEPEST_STRING = 2 };

/* A split under way. */
struct split {
	struct arena *arena;
	const char *file;
	struct dump_parts *parts;
	struct dump_parts *texts;	/* of the whole file: takes all lines, also those in strings */
	struct dump_part *open;		/* NULL: none */
	const char *about;		/* of the part that begins next */
	struct bug_report report;
	size_t report_part;		/* its head's number in parts, from 1; 0: there is none */
	struct tech_support support;
	struct prompt_host host;
	struct labels labels;
	unsigned label;			/* of the lines at hand; 0: they have none */
	const char *launched;		/* the last command above all labels, which ran on all nodes; NULL: none */
	unsigned strings_deep;		/* it is of what stands in a string of another text, or of a string there */
	const struct dump_line *string;	/* the last that something was in: its lines */
	size_t nr_string;
	bool skips;			/* the lines at hand are of a section that is of no use */
	bool is_of_cat;			/* the open part is what cat printed, up to the next prompt or empty line */
	const struct dump_line *past_json;	/* where a document ends that is of no kind */
};

static void close_part(struct split *split)
{
	split->open = NULL;
}

struct dump_part *dump_part_add(struct arena *arena, struct dump_parts *parts, const struct dump_part *part)
{
	struct dump_part *ret;

	parts->v = arena_grow(arena, parts->v, parts->nr, sizeof(*parts->v));
	ret = &parts->v[parts->nr++];
	*ret = *part;
	ret->number = (unsigned)(parts->nr < MAX_SOURCES ? parts->nr : MAX_SOURCES);
	return ret;
}

static void open_part(struct split *split, enum dump_kind kind, struct dump_line *line)
{
	split->open = dump_part_add(split->arena, split->parts, &(struct dump_part){
		.kind = kind, .file = split->file, .about = split->about, .lines = line,
		.host = split->label ? split->labels.v[split->label - 1].name : split->host.output,
	});
	split->about = NULL;
}

static bool has_text_in_strings(const struct dump_line *lines, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (string_text_is_in(lines[i].text))
			return true;
	return false;
}

/*
 * How many lines are a document's that is of a kind; 0: none. Of a document of no kind each line is placed by itself,
 * and brackets in it begin no other one. Nor does it count as one line of people's words where it has many in a string.
 */
static size_t place_json(struct split *split, struct dump_line *lines, size_t nr, struct dump_kinds cues)
{
	bool is_cut;
	size_t nr_lines = lines < split->past_json ? 0 : json_text_lines(lines, nr, &is_cut);

	if (!nr_lines)
		return 0;
	for (enum dump_kind kind; dump_kinds_take(&cues, &kind); ) {
		if (dump_source(kind)->begins(lines, nr_lines) != BEGINS_NEW ||
		    (!dump_is_of_tool(kind) && has_text_in_strings(lines, nr_lines)))
			continue;
		open_part(split, kind, lines);
		split->open->nr_lines = nr_lines;
		split->open->is_cut = is_cut;
		close_part(split);
		return nr_lines;
	}
	split->past_json = lines + nr_lines;
	return 0;
}

static bool is_framed(const struct split *split)
{
	return split->report.is_open || split->support.is_open;
}

/* So few characters begin nothing; a text of nothing else has so many lines that to ask each kind takes long. */
static bool is_too_short(const char *text)
{
	return strnlen(text, 4) < 4 && !strpbrk(text, "[]{}<");
}

/* "Clean, but GPU 0 has:" below a command for "-i 1". */
static bool names_other_gpu(struct arena *arena, const char *text, const char *command)
{
	for (const char *at = text; (at = strcasestr(at, "GPU ")); at++) {
		const char *number = at + strlen("GPU ");
		size_t len = strspn(number, "0123456789");

		/* Not an address. */
		if (len && hex_digit(number[len]) < 0 && (number[len] != ':' || hex_digit(number[len + 1]) < 0) &&
		    !strstr(command, arena_printf(arena, "-i %.*s", (int)len, number)))
			return true;
	}
	return false;
}

/*
 * Between a command and its output people write a remark: what begins below it is the command's where it prints such,
 * unless they speak of another GPU. The remark's own part is a log's without a line of one.
 */
static void take_command_of_remark(struct split *split, enum dump_kind kind)
{
	const struct dump_part *remark = split->open;
	const char *prints = dump_source(kind)->command;
	size_t len = prints ? strcspn(prints, " ") : 0;

	if (!len || split->about || !remark || remark->kind != DUMP_LOG || !remark->about ||
	    dump_is_log_line(remark->lines->text) || !memmem(remark->about, strlen(remark->about), prints, len))
		return;
	for (size_t i = 0; i < remark->nr_lines; i++)
		if (names_other_gpu(split->arena, remark->lines[i].text, remark->about))
			return;
	split->about = remark->about;
}

/* cues: the kinds that may begin in the first line. */
static void place_line(struct split *split, struct dump_line *lines, size_t nr, struct dump_kinds cues)
{
	/* A file may look like anything, but like the vendor's tool that cannot reach its GPU. */
	if (dump_kinds_has(&cues, DUMP_SMI_FAILURE) && dump_source(DUMP_SMI_FAILURE)->begins(lines, nr) != BEGINS_NOT)
		split->is_of_cat = false;
	else if (split->open ? split->open->kind == DUMP_SYSFS && split->is_of_cat
			: split->about && sysfs_is_command(split->about)) {
		split->is_of_cat = true;
		if (!split->open)
			open_part(split, DUMP_SYSFS, lines);
		return;
	}
	split->is_of_cat = false;
	for (enum dump_kind kind; !is_too_short(lines->text) && dump_kinds_take(&cues, &kind); ) {
		enum dump_begins begins = dump_source(kind)->begins(lines, nr);

		/* People's words are of one line: of many in a string each is looked at by itself. */
		if (begins == BEGINS_NOT || (!dump_is_of_tool(kind) && string_text_is_in(lines->text)))
			continue;
		if (begins == BEGINS_NEW || !split->open || split->open->kind != kind) {
			take_command_of_remark(split, kind);
			open_part(split, kind, lines);
		}
		return;
	}
	/* Reports tell where logs are. */
	if (is_framed(split))
		return;
	if (!split->open && split->about && smi_csv_is_command(split->about))
		open_part(split, DUMP_SMI_CSV, lines);
	else if (!split->open && split->about && lspci_is_command_of_one(split->about))
		open_part(split, DUMP_LSPCI, lines);
	else if (!split->open || (split->open->kind != DUMP_LOG && dump_is_log_line(lines->text)))
		open_part(split, DUMP_LOG, lines);
}

static bool is_line_of_rule(const struct dump_line *line)
{
	return *line->text && !line->text[strspn(line->text, "_")];
}

/* A line of a section that is of no use; what separates sections is none. */
static void skip_line(struct split *split, const struct dump_line *line)
{
	struct dump_parts *parts = split->parts;
	struct dump_skipped *last = parts->nr_skipped ? &parts->skipped[parts->nr_skipped - 1] : NULL;

	if (!*line->text || is_line_of_rule(line))
		return;
	if (last && split->skips) {
		last->nr_lines = (size_t)(line - last->lines) + 1;
		return;
	}
	split->skips = true;
	parts->skipped = arena_grow(split->arena, parts->skipped, parts->nr_skipped, sizeof(*parts->skipped));
	parts->skipped[parts->nr_skipped++] = (struct dump_skipped){
		.file = split->file, .lines = line, .nr_lines = 1,
	};
}

/* false: the line is none of a report's frame. */
static bool take_frame(struct split *split, struct dump_line *line)
{
	struct dump_part part;
	enum bug_report_line is = bug_report_line(&split->report, line->text, &part);

	if (is == REPORT_NO_FRAME)
		is = tech_support_line(&split->support, line->text, &part);
	switch (is) {
	case REPORT_NO_FRAME:
		return false;
	case REPORT_GOES_ON:
		return true;
	case REPORT_ENDS_PART:
		close_part(split);
		if (is_framed(split))
			skip_line(split, line);
		split->skips = is_framed(split) && split->skips && !is_line_of_rule(line);
		return true;
	case REPORT_BEGINS_PART:
		break;
	}
	close_part(split);
	split->skips = false;
	split->about = part.about;
	line->is_taken = true;
	if (part.kind == NR_DUMP_KINDS)	/* what a tool prints says by itself what it is */
		return true;
	open_part(split, part.kind, line);
	split->open->boots_ago = part.boots_ago;
	split->open->is_picked = part.is_picked;
	if (part.kind == DUMP_BUG_REPORT)
		split->report_part = split->parts->nr;
	return true;
}

/* A report without its end was cut, or the script still ran: what it was about then. */
static void end_report(struct split *split)
{
	struct dump_part *head = &split->parts->v[split->report_part - 1];

	head->taken_at = bug_report_time(split->arena, &split->report);
	head->clock = (struct written_clock){
		.s = split->report.newest_us / 1000000, .has_zone = split->report.newest_us != 0,
	};
	head->is_cut = split->report.is_open;
	if (head->is_cut && split->open)
		split->open->is_cut = true;
	if (head->is_cut && split->report.banner)
		head->about = arena_printf(split->arena, "ends at \"%.120s\"", split->report.banner);
}

static void split_lines(struct split *split, struct dump_line *lines, size_t nr);

static bool has_tool(const struct dump_part *parts, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (dump_is_of_tool(parts[i].kind))
			return true;
	return false;
}

static bool may_be_of_log(const char *text)
{
	return dump_is_log_line(text) || log_quoted_line(text, text) || xid_claim_is_in(text) || fault_claim_in(text) ||
	       unlisted_error_is_in(text) || unlisted_error_may_be_in(text) || program_end_begins(text) ||
	       quoted_error_is_in(text);
}

/* Any part that is of more than a log, or has a line of one? */
static bool has_known(const struct dump_part *parts, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (parts[i].kind != DUMP_LOG)
			return true;
		for (size_t k = 0; k < parts[i].nr_lines; k++)
			if (may_be_of_log(parts[i].lines[k].text))
				return true;
	}
	return false;
}

/* May any of a text's lines be of use? Its line feeds are put back. */
static bool has_cue(struct strbuf *text)
{
	bool has = false;

	for (char *at = text->buf, *end; !has && (end = strchr(at, '\n')); at = end + 1) {
		*end = '\0';
		has = dump_has_cue(at) || may_be_of_log(at);
		*end = '\n';
	}
	return has;
}

/* Its lines, with the numbers of those that they stand on. */
static struct dump_line *lines_in_strings(struct arena *arena, const struct string_text *text, unsigned first,
					  size_t *ret_nr)
{
	struct dump_text inner = { .bytes = text->text.buf, .len = text->text.len };
	bool is_cut;
	struct dump_line *ret = dump_clean(arena, &inner, ret_nr, &is_cut);

	for (size_t i = 0; i < *ret_nr; i++)
		ret[i].number = text->numbers && ret[i].number <= text->nr ? text->numbers[ret[i].number - 1] : first;
	while (*ret_nr && !*ret[*ret_nr - 1].text)
		--*ret_nr;
	return ret;
}

/* "stdout_lines" of Ansible has the lines of "stdout" once more: a log would seem to begin again, as after a boot. */
static bool is_repeated(const struct split *split, const struct dump_line *lines, size_t nr)
{
	if (nr != split->nr_string)
		return false;
	for (size_t i = 0; i < nr; i++)
		if (strcmp(lines[i].text, split->string[i].text) != 0)
			return false;
	return true;
}

static void add_parts(struct split *split, const struct dump_parts *parts)
{
	for (size_t i = 0; i < parts->nr; i++)
		dump_part_add(split->arena, split->parts, &parts->v[i]);
}

/*
 * The same of a text that stands in strings: its lines are parts of their own, at the place of the strings. of_tool:
 * only where a tool's output is among them, which no object has in it by chance.
 */
static size_t place_strings(struct split *split, struct dump_line *lines, size_t nr, bool of_tool)
{
	struct dump_parts parts = { .v = NULL };
	struct split in_string = {
		.arena = split->arena, .file = split->file, .parts = &parts, .texts = split->texts,
		.about = split->about, .host = split->host, .strings_deep = split->strings_deep + 1,
	};
	struct string_text text;
	struct dump_line *inner = NULL;
	struct left_outs left_outs;
	size_t nr_inner = 0, nr_lines = 0;
	bool is_again = false;

	if (split->strings_deep == DEEPEST_STRING || !string_text_read(split->arena, lines, nr, &text))
		return 0;
	if (has_cue(&text.text)) {
		inner = lines_in_strings(split->arena, &text, lines->number, &nr_inner);
		is_again = text.numbers && is_repeated(split, inner, nr_inner);
		if (!is_again)
			split_lines(&in_string, inner, nr_inner);
	}
	if (is_again || (of_tool || text.is_of_log ? has_tool(parts.v, parts.nr) : has_known(parts.v, parts.nr))) {
		close_part(split);
		split->about = NULL;
		split->string = inner;
		split->nr_string = nr_inner;
		add_parts(split, &parts);
		nr_lines = text.nr_lines;
		for (size_t i = 0; i < nr_lines; i++)
			lines[i].is_taken = true;
	} else if (!of_tool && inner) {
		left_outs_begin(&left_outs, inner, nr_inner, 0);
		/* Nobody may find what was left out line by line. */
		if (left_outs_has_any(&left_outs)) {
			close_part(split);
			nr_lines = text.nr_lines;
			add_parts(split, &parts);
		}
	}
	strbuf_release(&text.text);
	return nr_lines;
}

/* How many lines it placed, at least one. */
static size_t place(struct split *split, struct dump_line *lines, size_t nr)
{
	struct dump_kinds cues;
	size_t nr_whole;

	nr_whole = is_framed(split) ? 0 : place_strings(split, lines, nr, true);
	if (nr_whole)
		return nr_whole;
	if (take_frame(split, lines))
		return 1;
	if (!*lines->text) {
		/* Whatever stands below has nothing to do with the file. */
		if (split->is_of_cat && split->open)
			close_part(split);
		return 1;
	}
	cues = dump_cues(lines->text);
	nr_whole = place_json(split, lines, nr, cues);
	nr_whole = nr_whole || is_framed(split) ? nr_whole : place_strings(split, lines, nr, false);
	if (nr_whole)
		return nr_whole;
	/* Within a document of no kind nobody need look ahead. */
	place_line(split, lines, lines < split->past_json ? 1 : nr, cues);
	return 1;
}

/* What another node or task says has nothing to do with what stood above it. */
static void take_label(struct split *split, unsigned label)
{
	if (label == split->label)
		return;
	if (!split->label)
		split->launched = split->about;
	close_part(split);
	split->about = split->launched && smi_csv_is_command(split->launched) ? split->launched : NULL;
	split->host = (struct prompt_host){ .outside = NULL };
	split->label = label;
}

/* Below the head of another node nothing goes on. */
static void name_host(struct split *split, struct dump_line *lines, size_t nr, const char *command)
{
	const struct machine_name *output = &split->host.output;

	prompt_host_next(split->arena, &split->host, lines, nr, command);
	if (output->is_node && output->line == lines->number)
		close_part(split);
}

static void leave_out(struct split *split, struct dump_line *lines, size_t nr)
{
	const char *about = split->about;

	close_part(split);
	open_part(split, DUMP_LEFT_OUT, lines);
	split->open->nr_lines = nr;
	close_part(split);
	split->about = about;
}

/* In a bug report stands what its script was told by this machine: nothing is left out, and nobody looks for it. */
static bool begins_report(const struct dump_line *lines, size_t nr)
{
	enum { FIRST_LINES = 16 };	/* a script's own words may stand before it */

	for (size_t i = 0; i < nr && i < FIRST_LINES; i++)
		if (text_begins(lines[i].text, BUG_REPORT_START))
			return true;
	return false;
}

static void add_text(struct split *split, const struct dump_line *lines, size_t nr)
{
	struct dump_parts *parts = split->texts;

	parts->texts = arena_grow(split->arena, parts->texts, parts->nr_texts, sizeof(*parts->texts));
	parts->texts[parts->nr_texts++] = (struct dump_lines){ .file = split->file, .v = lines, .nr = nr };
}

static void split_lines(struct split *split, struct dump_line *lines, size_t nr)
{
	struct left_outs left_outs = { .has = { false } };
	bool has_looked = !begins_report(lines, nr);

	add_text(split, lines, nr);
	if (has_looked) {
		dump_open_cells(split->arena, lines, nr);
		lines = dump_sort_by_label(split->arena, lines, nr, &split->labels);
	}
	dump_strip_numbers(split->arena, lines, nr);
	dump_strip_prefixes(split->arena, lines, nr);
	dump_join_wrapped(split->arena, lines, nr);
	lines = json_unfold(split->arena, lines, &nr);
	if (has_looked)
		left_outs_begin(&left_outs, lines, nr, 0);
	for (size_t i = 0, end = 0, nr_placed; i < nr; i += nr_placed) {
		const char *command = is_framed(split) ? NULL : prompt_command(lines[i].text);

		if (!has_looked && split->report_part && !is_framed(split)) {
			has_looked = true;
			left_outs_begin(&left_outs, lines, nr, i);
		}
		nr_placed = is_framed(split) ? 0 : left_outs_at(&left_outs, lines, nr, i);
		if (nr_placed) {
			leave_out(split, &lines[i], nr_placed);
			continue;
		}
		if (i >= end) {
			take_label(split, lines[i].label);
			for (end = i; end < nr && lines[end].label == lines[i].label; end++)
				continue;
		}
		if (!is_framed(split))
			name_host(split, &lines[i], end - i, command);
		if (command) {
			close_part(split);
			split->about = *command ? command : NULL;
			lines[i].is_taken = true;
			nr_placed = 1;
			continue;
		}
		nr_placed = place(split, &lines[i], end - i);
		if (split->open)
			split->open->nr_lines = (size_t)(&lines[i] - split->open->lines) + 1;
	}
	if (split->report_part)
		end_report(split);
}

void dump_split(struct arena *arena, const char *file, struct dump_line *lines, size_t nr, struct dump_parts *ret)
{
	struct split split = { .arena = arena, .file = file, .parts = ret, .texts = ret };

	split_lines(&split, lines, nr);
}
