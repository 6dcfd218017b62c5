// SPDX-License-Identifier: GPL-2.0-or-later
/* judgement.c - what a check calls: values in, findings out. */
#include "base/compat.h"
#include "eval/judge/field_words.h"
#include "eval/judge/judging.h"
#include "eval/judge/regrade.h"
#include "eval/judge/template.h"

static struct evidence *note(struct judging *judging, const struct field *field)
{
	struct evidence *evidence;

	judging->evidence = arena_grow(judging->arena, judging->evidence, judging->nr_evidence, sizeof(*evidence));
	evidence = &judging->evidence[judging->nr_evidence++];
	memset(evidence, 0, sizeof(*evidence));
	evidence->field = field;
	evidence->of = judging->about;
	return evidence;
}

/* What probes keep as the name of an errno, in the words that people know it by; other reasons are words already. */
static const char *words_of_reason(const char *why)
{
	static const struct {
		const char *name, *words;
	} errnos[] = {
		{ "EACCES", "permission denied" }, { "EBUSY", "busy" },
		{ "EINVAL", "invalid argument" },  { "EIO", "input/output error" },
		{ "ENODATA", "no data" },	   { "ENODEV", "no such device" },
		{ "ENOENT", "no such file" },	   { "ENOTDIR", "no such file" },
		{ "ENXIO", "no such device" },	   { "EOPNOTSUPP", "not supported" },
		{ "EPERM", "not permitted" },	   { "ETIMEDOUT", "timed out" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(errnos); i++)
		if (!strcmp(errnos[i].name, why))
			return errnos[i].words;
	return why;
}

/* "no such file", "unsupported: reads 0": a reason says by itself that a value is absent, denied or wrong. */
static const char *words_of_missing(struct judgement *j, const struct evidence *evidence)
{
	const struct val_head *head = &evidence->observed.head;

	if (head->state == VAL_UNSET && !head->why)
		return unset_words(j->arena, j->snapshot, j->judging->subject, evidence->field);
	if (!head->why)
		return val_state_name(head->state);
	if (head->state == VAL_ABSENT || head->state == VAL_DENIED || head->state == VAL_ERROR)
		return words_of_reason(head->why);
	if (head->state == VAL_SKIPPED)
		return arena_printf(j->arena, "not collected: %s", head->why);
	return arena_printf(j->arena, "%s: %s", val_state_name(head->state), words_of_reason(head->why));
}

/*
 * "link width able (the port above), link width: no such file": values with the same reason are reported together, and
 * one of several things once: "socket of NUMA node (0, 1)".
 */
static void note_open(struct judgement *j, const struct evidence *evidence)
{
	struct judging *judging = j->judging;
	struct strbuf *reasons = &judging->open_reasons;
	const char *words = words_of_missing(j, evidence), *last = judging->last_words;
	bool is_alike = last && !strcmp(last, words);
	bool is_another = is_alike && evidence->of && evidence->field == judging->last_field;

	judging->question_open = judging->any_open = true;
	if (is_alike)
		strbuf_setlen(reasons, reasons->len - strlen(": ") - strlen(last));
	if (is_another)
		strbuf_setlen(reasons, reasons->len - strlen(")"));
	else if (last)
		strbuf_addstr(reasons, is_alike ? ", " : "; ");
	if (!is_another)
		strbuf_addstr(reasons, field_words(judging->arena, evidence->field));
	if (evidence->of)
		strbuf_addf(reasons, is_another ? ", %s)" : " (%s)", evidence->of);
	strbuf_addf(reasons, ": %s", words);
	judging->last_words = words;
	judging->last_field = evidence->of ? evidence->field : NULL;
}

/* The value at a field's place in a record, or one that says there is not collected. */
static union any_value value_at(const void *record, const struct field *field)
{
	union any_value value = { .head = { .state = VAL_UNSET, .why = "not collected" } };

	if (record)
		memcpy(&value, (const char *)record + field->offset, value_size(field));
	return value;
}

static union any_value read_needed(struct judgement *j, const void *record, const struct field *field)
{
	struct judging *judging = j->judging;
	struct evidence *evidence = note(judging, field);

	evidence->observed = value_at(record, field);
	if (evidence->observed.head.state == VAL_OK)
		judging->nr_known++;
	else
		note_open(j, evidence);
	return evidence->observed;
}

static union any_value read_optional(struct judgement *j, const void *record, const struct field *field)
{
	union any_value value = value_at(record, field);

	if (value.head.state == VAL_OK) {
		note(j->judging, field)->observed = value;
		j->judging->nr_known++;
	}
	return value;
}

uint64_t need_u64(struct judgement *j, const void *record, const struct field *field)
{
	return u64_or(read_needed(j, record, field).u64, 0);
}

double need_f64(struct judgement *j, const void *record, const struct field *field)
{
	return f64_or(read_needed(j, record, field).f64, 0.0);
}

const char *need_str(struct judgement *j, const void *record, const struct field *field)
{
	return str_or(read_needed(j, record, field).str, "");
}

bool need_bool(struct judgement *j, const void *record, const struct field *field)
{
	return bool_or(read_needed(j, record, field).boolean, false);
}

uint64_t want_u64(struct judgement *j, const void *record, const struct field *field)
{
	return u64_or(read_optional(j, record, field).u64, 0);
}

double want_f64(struct judgement *j, const void *record, const struct field *field)
{
	return f64_or(read_optional(j, record, field).f64, 0.0);
}

const char *want_str(struct judgement *j, const void *record, const struct field *field)
{
	return str_or(read_optional(j, record, field).str, "");
}

bool want_bool(struct judgement *j, const void *record, const struct field *field)
{
	return bool_or(read_optional(j, record, field).boolean, false);
}

bool is_lost_(struct judgement *j, const void *record, const struct field *field)
{
	union any_value value = value_at(record, field);

	if (value.head.state != VAL_LOST)
		return false;
	note(j->judging, field)->observed = value;
	return true;
}

void about(struct judgement *j, const char *thing)
{
	j->judging->about = thing;
}

/* A row for evidence that no record holds. */
static const struct field *derived_field(struct judging *judging, const char *name, enum field_kind kind,
					 enum unit unit, const char *how)
{
	struct field *field = arena_alloc(judging->arena, sizeof(*field));

	*field = (struct field){
		.name = name, .kind = kind, .unit = unit, .source = how, .class = CLASS_GAUGE, .doc = how,
	};
	return field;
}

double derive(struct judgement *j, const char *name, enum unit unit, double value, const char *how)
{
	const struct field *field = derived_field(j->judging, name, FIELD_F64, unit, how);

	note(j->judging, field)->observed.f64 = val_f64(value);
	return value;
}

const char *derive_str(struct judgement *j, const char *name, const char *text, const char *how)
{
	const struct field *field = derived_field(j->judging, name, FIELD_STR, UNIT_NONE, how);

	note(j->judging, field)->observed.str = val_str(text);
	return text;
}

void cite(struct judgement *j, uint32_t from)
{
	j->judging->evidence[j->judging->nr_evidence - 1].observed.head.from = from;
}

void phrase(struct judgement *j, const char *name, const char *words)
{
	derive_str(j, name, words, "");
	j->judging->evidence[j->judging->nr_evidence - 1].is_phrase = true;
}

static union any_value *expected_of(struct judgement *j, const char *name)
{
	struct judging *judging = j->judging;

	for (size_t i = judging->nr_evidence; i-- > judging->question_start;)
		if (!strcmp(judging->evidence[i].field->name, name))
			return &judging->evidence[i].expected;
	return NULL;
}

void expect_u64(struct judgement *j, const char *name, uint64_t expected)
{
	union any_value *value = expected_of(j, name);

	if (value)
		value->u64 = val_u64(expected);
}

void expect_f64(struct judgement *j, const char *name, double expected)
{
	union any_value *value = expected_of(j, name);

	if (value)
		value->f64 = val_f64(expected);
}

void expect_str(struct judgement *j, const char *name, const char *expected)
{
	union any_value *value = expected_of(j, name);

	if (value)
		value->str = val_str(expected);
}

void question(struct judgement *j)
{
	j->judging->question_start = j->judging->nr_evidence;
	j->judging->question_open = false;
	j->judging->about = NULL;
	j->judging->blame = BLAME_NONE;
	j->judging->adds = NULL;
}

void question_adds(struct judgement *j, const char *sentence)
{
	j->judging->adds = sentence;
}

void question_blames(struct judgement *j, enum blame blame, const char *why)
{
	j->judging->blame = blame;
	j->judging->blame_why = why;
}

bool all_known(const struct judgement *j)
{
	return !j->judging->question_open;
}

void finding_add(struct judgement *j, enum finding_id id)
{
	finding_add_of(j, id, NULL);
}

void finding_add_of(struct judgement *j, enum finding_id id, const char *which)
{
	finding_add_at(j, id, which, NULL);
}

void finding_add_at(struct judgement *j, enum finding_id id, const char *which, const char *address)
{
	struct judging *judging = j->judging;
	struct template_context context;
	size_t nr = judging->nr_evidence - judging->question_start;
	struct evidence *evidence;
	struct finding *finding;

	if (judging->question_open)
		return;
	evidence = arena_alloc(judging->arena, (nr ? nr : 1) * sizeof(*evidence));
	if (nr)
		memcpy(evidence, judging->evidence + judging->question_start, nr * sizeof(*evidence));
	finding = arena_alloc(judging->arena, sizeof(*finding));
	finding->id = id;
	finding->def = &finding_defs[id];
	finding->outcome = finding->def->outcome;
	finding->blame = judging->blame != BLAME_NONE ? judging->blame : finding->def->blame;
	finding->stage = judging->stage;
	finding->check = judging->check;
	finding->subject = *judging->subject;
	finding_fill_key(j->snapshot, finding, which);
	if (address)
		finding->subject.address = address;
	finding->evidence = (struct evidence_list){ .nr = nr, .items = evidence };
	context = (struct template_context){ .subject = &finding->subject, .evidence = finding->evidence };
	finding->title = template_text(judging->arena, finding->def->title, &context, &finding->unfilled);
	finding->why = template_text(judging->arena, finding->def->why, &context, &finding->unfilled);
	if (judging->blame != BLAME_NONE)
		finding->why = arena_printf(judging->arena, "%s %s", finding->why, judging->blame_why);
	if (judging->adds)
		finding->why = arena_printf(judging->arena, "%s %s", finding->why, judging->adds);
	finding_grade(j->snapshot, j->policy, finding);
	finding_fill_steps(judging->arena, finding);
	judging->findings = arena_grow(judging->arena, judging->findings, judging->nr_findings, sizeof(finding));
	judging->findings[judging->nr_findings++] = finding;
}

/* A reason may quote the evidence noted so far. */
static const char *fill_reason(struct judging *judging, const char *reason)
{
	struct template_context context = {
		.subject = judging->subject,
		.evidence = { .nr = judging->nr_evidence, .items = judging->evidence },
	};
	unsigned unfilled = 0;

	return template_text(judging->arena, reason, &context, &unfilled);
}

void skip_check(struct judgement *j, const char *reason)
{
	if (!j->judging->skip_reason)
		j->judging->skip_reason = fill_reason(j->judging, reason);
}

void unknown(struct judgement *j, const char *reason)
{
	if (!j->judging->unknown_reason)
		j->judging->unknown_reason = fill_reason(j->judging, reason);
}

void unknown_by_failure(struct judgement *j, const char *reason)
{
	unknown(j, reason);
	if (!j->judging->failure)
		j->judging->failure = j->judging->unknown_reason;
}

static enum outcome worst_outcome(const struct judging *judging)
{
	enum outcome worst = OUTCOME_SKIP;

	for (size_t i = 0; i < judging->nr_findings; i++)
		if (judging->findings[i]->outcome > worst)
			worst = judging->findings[i]->outcome;
	return worst;
}

/*
 * Findings first; then what could not be judged; then a skip; a pass must
 * have looked at something. A note does not hide an open question.
 */
static void conclude(struct judging *judging, struct result *ret)
{
	enum outcome worst = worst_outcome(judging);

	ret->failure = judging->failure;
	if (worst >= OUTCOME_WARN) {
		ret->outcome = worst;
	} else if (judging->any_open || judging->unknown_reason) {
		ret->outcome = OUTCOME_UNKNOWN;
		ret->reason = judging->unknown_reason ? judging->unknown_reason :
			      arena_strdup(judging->arena, judging->open_reasons.buf);
	} else if (worst == OUTCOME_NOTE) {
		ret->outcome = OUTCOME_NOTE;
	} else if (judging->skip_reason) {
		ret->outcome = OUTCOME_SKIP;
		ret->reason = judging->skip_reason;
	} else if (judging->nr_known) {
		ret->outcome = OUTCOME_PASS;
		ret->reason = judging->check->says ? fill_reason(judging, judging->check->says) : NULL;
	} else {
		ret->outcome = OUTCOME_UNKNOWN;
		ret->reason = "not collected";
	}
}

void judging_run(struct judging *judging, struct judgement *j, struct result *ret)
{
	judging->open_reasons = (struct strbuf)STRBUF_INIT;
	j->judging = judging;
	judging->check->eval(j);
	*ret = (struct result){
		.check = judging->check, .stage = judging->stage, .subject = *judging->subject,
		.evidence = { .nr = judging->nr_evidence, .items = judging->evidence },
	};
	conclude(judging, ret);
	strbuf_release(&judging->open_reasons);
}
