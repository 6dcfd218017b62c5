// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * github.c - annotations of a GitHub workflow: ::error, ::warning and ::notice
 * for a finding each, and the verdict on the last line.
 *
 * A workflow command is a line "::name title=…::message". In a message % and
 * the ends of lines are escaped, in a property ":" and "," too, as the toolkit
 * of GitHub's actions does it (actions/toolkit, core/src/command.ts). GitHub
 * shows 10 annotations of each type of a step (Actions limits): the worst come
 * first, and what does not fit is folded into the tenth.
 */
#include "base/compat.h"
#include "render/formats.h"
#include "render/phrases.h"

#include "eval/gate/gate.h"
#include "eval/summary/unknown_groups.h"

enum { MAX_ANNOTATIONS = 10 };

struct annotation {
	const char *title, *message;
};

enum type { TYPE_ERROR, TYPE_WARNING, TYPE_NOTICE, NR_TYPES };

struct annotations {
	size_t nr;
	struct annotation *items;
};

struct github {
	struct strbuf *out;
	const struct report *report;
	bool ascii;
	struct arena arena;
	struct annotations of[NR_TYPES];
};

/* Lines of a message are separated by '\n'. */
static void add_escaped(const struct github *github, const char *text, bool is_property)
{
	for (const char *line = text; *line;) {
		size_t len = strcspn(line, "\n");
		STRBUF_AUTO one = STRBUF_INIT;
		STRBUF_AUTO clean = STRBUF_INIT;

		strbuf_add(&one, line, len);
		render_clean(&clean, one.buf, github->ascii);
		for (const char *c = clean.buf; *c; c++) {
			if (*c == '%' || (is_property && (*c == ':' || *c == ',')))
				strbuf_addf(github->out, "%%%02X", (unsigned)*c);
			else
				strbuf_addch(github->out, *c);
		}
		line += len + (line[len] == '\n');
		if (*line)
			strbuf_addstr(github->out, "%0A");
	}
}

static void put_annotation(const struct github *github, enum type type, const char *title, const char *message)
{
	static const char *const commands[NR_TYPES] = { "error", "warning", "notice" };

	strbuf_addf(github->out, "::%s title=", commands[type]);
	add_escaped(github, title, true);
	strbuf_addstr(github->out, "::");
	add_escaped(github, message, false);
	strbuf_addch(github->out, '\n');
}

static void add(struct github *github, enum type type, const char *title, const char *message)
{
	struct annotations *list = &github->of[type];

	list->items = arena_grow(&github->arena, list->items, list->nr, sizeof(*list->items));
	list->items[list->nr++] = (struct annotation){ .title = title, .message = message };
}

/* ---- what there is to say */

static const char *one_line(struct arena *arena, const char *text)
{
	char *copy = arena_strdup(arena, text);

	for (char *c = copy; *c; c++)
		if (*c == '\n')
			*c = ' ';
	return copy;
}

static void add_steps(struct arena *arena, struct strbuf *out, const struct finding *finding)
{
	for (size_t i = 0; i < finding->nr_steps; i++) {
		const struct step *step = &finding->steps[i];

		strbuf_addf(out, "\nNext: %s", one_line(arena, phrase_step(arena, step)));
		if (step->command)
			strbuf_addf(out, "\n  %s", one_line(arena, step->command));
		if (step->expect)
			strbuf_addf(out, "\n  Expect: %s", one_line(arena, step->expect));
	}
}

static void add_group(struct github *github, const struct group *group)
{
	static const enum type types[NR_OUTCOMES] = {
		[OUTCOME_SKIP] = TYPE_NOTICE, [OUTCOME_PASS] = TYPE_NOTICE, [OUTCOME_NOTE] = TYPE_NOTICE,
		[OUTCOME_UNKNOWN] = TYPE_NOTICE, [OUTCOME_WARN] = TYPE_WARNING, [OUTCOME_FAIL] = TYPE_ERROR,
	};
	const struct finding *first = group->first;
	STRBUF_AUTO message = STRBUF_INIT;

	strbuf_addstr(&message, one_line(&github->arena, group->sentence));
	if (first->why && *first->why)
		strbuf_addf(&message, "\n%s", one_line(&github->arena, first->why));
	if (first->caused_by)
		strbuf_addf(&message, "\nExplained by %s.", first->caused_by->def->name);
	else
		add_steps(&github->arena, &message, first);
	add(github, types[first->outcome], arena_printf(&github->arena, "gpudiag: %s", first->def->name),
	    arena_strdup(&github->arena, message.buf));
}

/* Causes before what they explain. */
static void add_groups(struct github *github)
{
	for (int symptoms = 0; symptoms <= 1; symptoms++)
		for (size_t i = 0; i < github->report->nr_groups; i++)
			if (group_is_symptom(&github->report->groups[i]) == symptoms)
				add_group(github, &github->report->groups[i]);
}

/* What a gate could not decide, and what got worse since the baseline. */
static void add_gate(struct github *github, const struct gate_answer *gate)
{
	for (size_t i = 0; i < gate->nr_blockers; i++)
		if (!gate->blockers[i].finding)
			add(github, TYPE_ERROR, "gpudiag: no-go", one_line(&github->arena, gate->blockers[i].sentence));
	for (size_t i = 0; i < gate->nr_open; i++) {
		const char *sentence = one_line(&github->arena, gate->open[i].sentence);
		const char *mend = gate->open[i].mend;

		if (mend)
			sentence = arena_printf(&github->arena, "%s\nNext: %s", sentence,
						one_line(&github->arena, mend));
		add(github, TYPE_ERROR, "gpudiag: not judged", sentence);
	}
}

/* A required check that could not be judged changes the exit status; the others are listed. */
static void add_unjudged(struct github *github)
{
	for (size_t i = 0; i < github->report->nr_results; i++) {
		const struct result *result = &github->report->results[i];
		STRBUF_AUTO message = STRBUF_INIT;

		if (!unknown_group_begins(github->report, i) || (github->report->gate && result_is_open(result)))
			continue;
		unknown_group_add(&github->arena, &message, github->report, i);
		add(github, result_is_open(result) ? TYPE_ERROR : TYPE_NOTICE, "gpudiag: not judged",
		    arena_strdup(&github->arena, one_line(&github->arena, message.buf)));
	}
}

/* ---- telling it */

/* The first lines of those that have no annotation of their own. */
static void put_rest(struct github *github, enum type type, size_t from)
{
	const struct annotations *list = &github->of[type];
	STRBUF_AUTO message = STRBUF_INIT;

	for (size_t i = from; i < list->nr; i++)
		strbuf_addf(&message, "%s%.*s", i > from ? "\n" : "", (int)strcspn(list->items[i].message, "\n"),
			    list->items[i].message);
	put_annotation(github, type, arena_printf(&github->arena, "gpudiag: %zu more", list->nr - from), message.buf);
}

static void put_type(struct github *github, enum type type)
{
	const struct annotations *list = &github->of[type];
	size_t nr = list->nr > MAX_ANNOTATIONS ? MAX_ANNOTATIONS - 1 : list->nr;

	for (size_t i = 0; i < nr; i++)
		put_annotation(github, type, list->items[i].title, list->items[i].message);
	if (nr < list->nr)
		put_rest(github, type, nr);
}

/* A line of a log is a command too where it begins with "::", or has "##[" anywhere, as older runners' commands do. */
static void put_verdict(struct github *github)
{
	STRBUF_AUTO text = STRBUF_INIT;
	STRBUF_AUTO clean = STRBUF_INIT;

	strbuf_addstr(&text, "gpudiag: ");
	if (!github->report->gate)
		strbuf_addf(&text, "%s: ", verdict_name(github->report->verdict));
	phrase_verdict(&text, github->report);
	render_clean(&clean, text.buf, github->ascii);
	for (const char *c = clean.buf; *c; c++) {
		strbuf_addch(github->out, *c);
		if (!strncmp(c, "##[", strlen("##[")))
			strbuf_addch(github->out, ' ');
	}
	strbuf_addch(github->out, '\n');
}

void render_github(struct strbuf *out, const struct report *report, const struct render_options *options)
{
	struct github github = { .out = out, .report = report, .ascii = options->ascii };

	add_groups(&github);
	if (report->gate)
		add_gate(&github, report->gate);
	add_unjudged(&github);
	for (int type = 0; type < NR_TYPES; type++)
		put_type(&github, (enum type)type);
	put_verdict(&github);
	arena_release(&github.arena);
}
