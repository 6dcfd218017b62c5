// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/program/slurm_later.h"

#include "base/hostlist.h"
#include "base/text.h"
#include "base/text_scan.h"
#include "import/program/slurm_reason.h"
#include "import/program/slurm_row.h"

enum {
	MOST_ABOVE = 40,	/* lines of a node's record above its reason */
	MOST_BELOW = 2048,	/* lines that are looked at */
	MOST_TOLD = 512,	/* nodes, each as often as it is told */
};

/* A place in a text whose parts follow one another. */
struct place {
	const struct dump_part *part;
	const struct dump_line *line;
};

struct slurm_later {
	struct arena *arena;
	struct told {
		const char *name;	/* NULL: nobody names it */
		struct place at;
		bool is_list;		/* the head of a whole sinfo -R, of which no row has the name */
		bool is_in_use;
	} *v;
	size_t nr;
	bool has_good;			/* any that is in use, or a list */
};

static bool is_below(const struct place *place, const struct place *than)
{
	return place->part != than->part ? place->part > than->part : place->line > than->line;
}

/* ---- scontrol show node */

/* "State=IDLE+DRAIN" in a line, and not "JobState="; or NULL. */
static const char *state_in(const char *text, size_t *ret_len)
{
	static const char key[] = "State=";

	for (const char *at = text; (at = strstr(at, key)); at++) {
		if (at != text && at[-1] != ' ')
			continue;
		at += strlen(key);
		*ret_len = strcspn(at, " ");
		return at;
	}
	return NULL;
}

/* "NodeName=gpu01 Arch=x86_64", or NULL. */
static const char *name_in(struct arena *arena, const char *text)
{
	const char *at = scan_behind(text, "NodeName=");
	size_t len = at ? strcspn(at, " ,\"'") : 0;

	return len ? arena_strndup(arena, at, len) : NULL;
}

/* "scontrol show node gpu01 | grep State" */
static const char *name_in_command(struct arena *arena, const char *command)
{
	static const char words[] = " show node";
	const char *at = strstr(command, "scontrol") ? strstr(command, words) : NULL;
	size_t len;

	at = at ? at + strlen(words) : "";
	at += strspn(at, "s= ");
	len = strcspn(at, " |;");
	return len && is_letter_or_digit(*at) ? arena_strndup(arena, at, len) : NULL;
}

/*
 * The line above, which may be the last of the part before: the lines of a record that no reader knows are a part of
 * their own.
 */
static bool go_up(const struct dump_parts *parts, struct place *place)
{
	if (place->line > place->part->lines) {
		place->line--;
		return true;
	}
	if (place->part->about || !parts || place->part == parts->v ||
	    strcmp(place->part[-1].file, place->part->file) != 0 || !place->part[-1].nr_lines)
		return false;
	place->part--;
	place->line = &place->part->lines[place->part->nr_lines - 1];
	return true;
}

/* Which node's record a line is in, and its state as a line of the record up to there has it. */
static const char *record_of(struct arena *arena, const struct dump_parts *parts, struct place place,
			     bool *ret_is_in_use)
{
	const char *state = NULL, *name = NULL;
	size_t len;

	*ret_is_in_use = false;
	for (int above = 0; above < MOST_ABOVE; above++) {
		if (!state) {
			state = state_in(place.line->text, &len);
			*ret_is_in_use = state && slurm_is_in_use(state, len);
		}
		name = name_in(arena, place.line->text);
		if (name || !go_up(parts, &place))
			break;
	}
	return name || !place.part->about ? name : name_in_command(arena, place.part->about);
}

const char *slurm_node_of_reason(const struct reading *reading, const struct dump_line *line, bool *ret_is_in_use)
{
	return record_of(reading->arena, reading->parts, (struct place){ reading->part, line }, ret_is_in_use);
}

/* ---- what is told below */

struct adding {
	struct slurm_later *to;
	struct told told;
};

static void add_told(void *to, const char *name)
{
	struct adding *adding = to;
	struct slurm_later *later = adding->to;

	if (later->nr == MOST_TOLD)
		return;
	later->has_good |= adding->told.is_in_use || adding->told.is_list;
	later->v = arena_grow(later->arena, later->v, later->nr, sizeof(*later->v));
	later->v[later->nr] = adding->told;
	later->v[later->nr++].name = name ? arena_strdup(later->arena, name) : NULL;
}

/* Where no node is told to be in use, it says nothing that one is not. */
static bool may_change(const struct adding *adding)
{
	return adding->told.is_in_use || adding->to->has_good;
}

static void add_row(void *to, const char *nodes, const char *state, size_t state_len)
{
	struct adding *adding = to;
	const char *why;

	adding->told.is_in_use = state && slurm_is_in_use(state, state_len);
	if (!may_change(adding))
		return;
	/* What cannot be expanded names nobody. */
	if (hostlist_expand(nodes, add_told, adding, &why))
		return;
}

/* What stands above, where a # may be a prompt or not. */
static const char *command_of(const struct dump_parts *parts, struct place place)
{
	if (place.part->about && place.line == place.part->lines)
		return place.part->about;
	return go_up(parts, &place) ? place.line->text : NULL;
}

/* "sinfo -R", of all nodes. */
static bool is_list_of_all(const char *command)
{
	static const char *const of_some[] = { "|", " -n", " -p", " -d", " -M", "--nodes", "--partition", "--dead",
					       " -t", "--states" };
	const char *at = command ? strstr(command, "sinfo -R") : NULL;

	return at && !text_has_any(at, of_some, ARRAY_SIZE(of_some));
}

/* Of thousands of lines few are asked for more. */
static bool has_head_word(const char *text)
{
	return strstr(text, "NODELIST") || strstr(text, "HOSTNAMES");
}

static size_t read_at(struct slurm_later *ret, const struct dump_parts *parts, const struct place *place)
{
	struct adding adding = { ret, { .at = *place } };
	size_t nr = place->part->nr_lines - (size_t)(place->line - place->part->lines), len;
	const char *state;

	if (has_head_word(place->line->text) && slurm_table_begins(place->line->text)) {
		if (is_list_of_all(command_of(parts, *place))) {
			adding.told.is_list = true;
			add_told(&adding, NULL);
			adding.told.is_list = false;
		}
		return slurm_table_rows(ret->arena, place->line, nr, add_row, &adding);
	}
	state = state_in(place->line->text, &len);
	adding.told.is_in_use = state && slurm_is_in_use(state, len);
	if (state && may_change(&adding))
		add_told(&adding, record_of(ret->arena, parts, *place, &adding.told.is_in_use));
	return 1;
}

static struct slurm_later *read_below(const struct reading *reading)
{
	struct slurm_later *ret = arena_alloc(reading->arena, sizeof(*ret));
	const struct dump_part *end = reading->parts ? reading->parts->v + reading->parts->nr : reading->part + 1;
	size_t nr_lines = 0;

	*ret = (struct slurm_later){ .arena = reading->arena };
	for (const struct dump_part *part = reading->part; part < end && !strcmp(part->file, reading->part->file);
	     part++) {
		if (part->kind != DUMP_PROGRAM_ERROR && part->kind != DUMP_NODE_CHECK && part->kind != DUMP_LOG)
			continue;
		for (size_t i = 0; i < part->nr_lines && nr_lines < MOST_BELOW; ) {
			const size_t nr = read_at(ret, reading->parts, &(struct place){ part, &part->lines[i] });

			i += nr;
			nr_lines += nr;
		}
	}
	return ret;
}

struct asking {
	const struct slurm_later *later;
	struct place at;
	bool are_all;
};

static bool is_of(const struct told *told, const char *name)
{
	return name && told->name ? !strcmp(told->name, name) : !name && !told->name && !told->is_list;
}

/* The last word counts. A list is one as long as no row of it has the name. */
static void ask(void *to, const char *name)
{
	struct asking *asking = to;
	bool is_back = false;

	for (size_t i = 0; asking->are_all && i < asking->later->nr; i++) {
		const struct told *told = &asking->later->v[i];

		if (!is_below(&told->at, &asking->at))
			continue;
		if (is_of(told, name))
			is_back = told->is_in_use;
		else if (told->is_list && name)
			is_back = true;
	}
	asking->are_all = asking->are_all && is_back;
}

bool slurm_are_in_use_later(const struct reading *reading, struct slurm_later **later, const char *nodes,
			    const struct dump_line *line)
{
	struct asking asking = { .at = { reading->part, line }, .are_all = true };
	const char *why;

	if (!*later)
		*later = read_below(reading);
	asking.later = *later;
	if (!asking.later->has_good)
		return false;
	if (!nodes)
		ask(&asking, NULL);
	else if (hostlist_expand(nodes, ask, &asking, &why))
		return false;
	return asking.are_all;
}
