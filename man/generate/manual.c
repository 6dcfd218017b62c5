// SPDX-License-Identifier: GPL-2.0-or-later
/* manual.c - the parts of the manual that tables know: checks, findings, records, thresholds. */
#include "base/compat.h"
#include "man/generate/manual.h"

#include "base/alloc.h"
#include "eval/gate/gate.h"
#include "eval/judge/regrade.h"
#include "render/fields.h"
#include "man/generate/mdoc.h"

void mdoc_text(struct strbuf *out, const char *text)
{
	if (*text == '.' || *text == '\'')
		strbuf_addstr(out, "\\&");
	for (; *text; text++) {
		/* A new sentence begins a new line, as manuals are written. */
		bool is_end = text[0] == '.' && text[1] == ' ' && text[2] >= 'A' && text[2] <= 'Z';

		if (*text == '\\')
			strbuf_addstr(out, "\\e");
		else
			strbuf_addch(out, *text == '\n' ? ' ' : *text);
		if (is_end) {
			strbuf_addch(out, '\n');
			text++;
		}
	}
}

void mdoc_line(struct strbuf *out, const char *text)
{
	mdoc_text(out, text);
	strbuf_addch(out, '\n');
}

/* ---- checks */

static bool put_steps(struct strbuf *out, enum finding_id id, bool own)
{
	bool any = false;

	for (size_t i = 0; i < nr_step_defs; i++) {
		const struct step_def *step = &step_defs[i];

		if (!step_is_for(step, id, own))
			continue;
		strbuf_addstr(out, any ? ".It\n" : ".Bl -dash -compact\n.It\n");
		mdoc_text(out, step->text);
		strbuf_addstr(out, step->disruptive ? " (disruptive)\n" : "\n");
		if (step->command) {
			strbuf_addstr(out, ".Bd -literal -compact\n");
			mdoc_line(out, step->command);
			strbuf_addstr(out, ".Ed\n");
		}
		if (step->expect) {
			strbuf_addstr(out, "To expect: ");
			mdoc_text(out, step->expect);
			strbuf_addstr(out, "\n");
		}
		any = true;
	}
	if (any)
		strbuf_addstr(out, ".El\n");
	return any;
}

void mdoc_counts(struct strbuf *out, const struct finding_def *def)
{
	const struct gate_regrading *in_gate = gate_regrading_of((enum finding_id)(def - finding_defs));

	strbuf_addf(out, "(%s%s%s; action: %s; blame: %s)\n", outcome_name(def->outcome),
		    in_gate ? ", in a gate " : "", in_gate ? outcome_name(in_gate->outcome) : "",
		    action_name(def->action), blame_name(def->blame));
}

static void put_finding(struct strbuf *out, enum finding_id id)
{
	const struct finding_def *def = &finding_defs[id];

	strbuf_addf(out, ".It Cm %s\n", def->name);
	mdoc_counts(out, def);
	strbuf_addstr(out, ".br\n");
	mdoc_line(out, def->title);
	strbuf_addstr(out, ".br\n");
	mdoc_line(out, def->why);
	if (!put_steps(out, id, true))
		put_steps(out, id, false);
}

static void put_check(struct strbuf *out, const struct playbook_row *row)
{
	const struct check *check = row->check;
	size_t rows = 0;

	strbuf_addf(out, ".Ss %s%s\n", check->name, playbook_row_words(row));
	mdoc_line(out, check->doc);
	if (*check->may_emit == NO_FINDING)
		return;
	strbuf_addstr(out, ".Bl -tag -width Ds\n");
	for (const enum finding_id *id = check->may_emit; *id != NO_FINDING; id++) {
		if (log_row(*id) == KLOG_NO_ROW)
			put_finding(out, *id);
		else if (!rows++)
			strbuf_addf(out, ".It Cm %s.*\nThe events of\n.Sx THE CATALOGUE OF THE KERNEL LOG .\n",
				    check->name);
	}
	strbuf_addstr(out, ".El\n");
}

void manual_checks(struct strbuf *out, const struct playbook *playbook)
{
	int stage = -1;

	for (size_t i = 0; i < playbook->nr; i++) {
		const struct playbook_row *row = &playbook->rows[i];

		if ((int)row->stage != stage) {
			stage = (int)row->stage;
			strbuf_addf(out, ".Sh STAGE %d: ", stage + 1);
			for (const char *at = stage_name(row->stage); *at; at++)
				strbuf_addch(out, *at >= 'a' && *at <= 'z' ? (char)(*at - 'a' + 'A') : *at);
			strbuf_addch(out, '\n');
		}
		put_check(out, row);
	}
}

/* ---- records */

static const char *kind_words(enum field_kind kind)
{
	static const char *const words[] = {
		[FIELD_U64] = "whole number", [FIELD_F64] = "number", [FIELD_STR] = "text",
		[FIELD_BOOL] = "true or false", [FIELD_F64S] = "numbers", [FIELD_STRS] = "texts",
		[FIELD_RECORD] = "object", [FIELD_LIST] = "list",
	};

	return words[kind];
}

static void put_field(struct strbuf *out, const struct field *field)
{
	strbuf_addf(out, ".It Va %s\n", field->name);
	mdoc_text(out, field->doc);
	strbuf_addf(out, "\n.br\n(%s", kind_words(field->kind));
	if (field->record)
		strbuf_addf(out, field->kind == FIELD_LIST ? " of %s" : ": %s", field->record->name);
	if (*unit_symbol(field->unit) && field_is_measured(field))
		strbuf_addf(out, ", in %s", unit_symbol(field->unit));
	if (field_is_measured(field))
		strbuf_addf(out, "; %s", field_class_name(field->class));
	if (field->twin)
		strbuf_addstr(out, "; GPUs of a kind must agree");
	if (field_is_measured(field) && field->privacy != PRIVACY_PUBLIC)
		strbuf_addstr(out, field->privacy == PRIVACY_IDENTITY ? "; identifies the machine" : "; personal");
	if (*field->source) {
		strbuf_addstr(out, "; from ");
		mdoc_text(out, field->source);
	}
	strbuf_addstr(out, ")\n");
}

static void put_records(struct strbuf *out, const struct record *root)
{
	struct records records = { 0 };

	records_collect(&records, root);
	/* Outermost first: a reader begins with the whole. */
	for (size_t i = records.nr; i-- > 0;) {
		const struct record *record = records.items[i];

		strbuf_addf(out, ".Ss %s\n", record->name);
		mdoc_text(out, record->doc);
		strbuf_addstr(out, ".\n.Bl -tag -width Ds\n");
		for (size_t f = 0; f < record->nr; f++)
			put_field(out, &record->fields[f]);
		strbuf_addstr(out, ".El\n");
	}
	free(records.items);
}

void manual_records(struct strbuf *out)
{
	put_records(out, &record_snapshot);
}

void manual_ticks(struct strbuf *out)
{
	put_records(out, &record_tick);
}

/* ---- policy */

static void put_built_in(struct strbuf *out, const struct policy_row *row)
{
	if (row->kind == POLICY_IS_NUMBER)
		unit_format(out, row->unit, row->value);
	else if (row->kind == POLICY_IS_BOOL)
		strbuf_addstr(out, row->value > 0 ? "true" : "false");
	else
		strbuf_addstr(out, "none");
}

void manual_policy(struct strbuf *out)
{
	static const char *const kinds[] = {
		[POLICY_IS_NUMBER] = "number", [POLICY_IS_BOOL] = "true or false",
		[POLICY_IS_PATTERNS] = "patterns with * and ? or ranges, one of which must match",
		[POLICY_IS_CHECKS] = "names of checks", [POLICY_IS_VERSION] = "a version in quotes, as in \"3.0\"",
		[POLICY_IS_PATHS] = "absolute paths",
		[POLICY_IS_WISH] = "whole number or null",
	};

	for (unsigned i = 0; i < NR_POLICY_ROWS; i++) {
		const struct policy_row *row = &policy_rows[i];

		strbuf_addf(out, ".It Va %s\n", row->key);
		mdoc_text(out, row->doc);
		strbuf_addf(out, "\n.br\n(%s", kinds[row->kind]);
		if (*unit_symbol(row->unit))
			strbuf_addf(out, ", in %s", unit_symbol(row->unit));
		strbuf_addstr(out, "; built in: ");
		put_built_in(out, row);
		strbuf_addstr(out, "; from ");
		mdoc_text(out, row->source);
		strbuf_addstr(out, policy_row_is_of_node(i) ? "; of the whole machine)\n" : ")\n");
	}
}

void manual_policy_parts(struct strbuf *out)
{
	for (size_t i = 0; i < NR_POLICY_PARTS; i++) {
		strbuf_addf(out, ".It Va %s\n", policy_parts[i].key);
		mdoc_text(out, policy_parts[i].form);
		strbuf_addstr(out, "\n.br\n");
		mdoc_text(out, policy_parts[i].doc);
		strbuf_addstr(out, ".\n");
	}
}

void manual_fatal(struct strbuf *out)
{
	for (int id = NO_FINDING + 1; id < NR_FINDINGS; id++) {
		const char *reason = finding_is_fatal((enum finding_id)id);

		if (!reason)
			continue;
		strbuf_addf(out, ".It Cm %s\n", finding_defs[id].name);
		mdoc_line(out, reason);
	}
}
