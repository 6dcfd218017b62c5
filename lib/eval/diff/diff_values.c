// SPDX-License-Identifier: GPL-2.0-or-later
/* diff_values.c - one value against another, and what that means. */
#include "base/compat.h"
#include "eval/diff/diff_internal.h"

#include <math.h>

/* False: a text. */
static bool number_of(const struct field *field, const void *value, double *ret)
{
	switch (field->kind) {
	case FIELD_U64:
		*ret = (double)u64_or(*(const struct val_u64 *)value, 0);
		return true;
	case FIELD_F64:
		*ret = f64_or(*(const struct val_f64 *)value, 0.0);
		return true;
	case FIELD_BOOL:
		*ret = bool_or(*(const struct val_bool *)value, false);
		return true;
	default:
		return false;
	}
}

const char *diff_text(struct differ *d, const struct field *field, const void *value)
{
	STRBUF_AUTO text = STRBUF_INIT;

	value_format(&text, field, value);
	return arena_strdup(d->arena, text.buf);
}

/* Values that differ and read the same, as 80 GiB and a little less do, are printed to the last digit. */
static void tell_exactly(struct differ *d, const struct field *field, const void *before, const void *after,
			 struct difference *item)
{
	if (field->kind != FIELD_U64 || strcmp(item->before, item->after) != 0)
		return;
	item->before = arena_printf(d->arena, "%llu %s", (unsigned long long)u64_or(*(const struct val_u64 *)before, 0),
				    unit_symbol(field->unit));
	item->after = arena_printf(d->arena, "%llu %s", (unsigned long long)u64_or(*(const struct val_u64 *)after, 0),
				   unit_symbol(field->unit));
}

static enum diff_group field_group(const struct record_rules *rules, const struct diff_rule *rule,
				   const struct field *field)
{
	if (rule->has_group)
		return rule->group;
	switch (field->class) {
	case CLASS_VERSION:
		return rules->version_group;
	case CLASS_SETTING:
		return DIFF_SETTINGS;
	case CLASS_COUNTER:
	case CLASS_GAUGE:
		return DIFF_HEALTH;
	default:
		return DIFF_HARDWARE;
	}
}

static enum diff_weight weight_of(const struct diff_rule *rule, const struct field *field, const void *before,
				  const void *after)
{
	double a = 0.0, b = 0.0;

	if (rule->best && field->kind == FIELD_STR) {
		if (str_is(*(const struct val_str *)after, rule->best))
			return DIFF_BETTER;
		return str_is(*(const struct val_str *)before, rule->best) ? DIFF_WORSE : DIFF_OTHER;
	}
	if (rule->side == NO_SIDE || !number_of(field, before, &a) || !number_of(field, after, &b))
		return DIFF_OTHER;
	return (b > a) == (rule->side == MORE_IS_BETTER) ? DIFF_BETTER : DIFF_WORSE;
}

static bool is_within(const struct diff_rule *rule, const struct field *field, const void *before, const void *after)
{
	double a = 0.0, b = 0.0;

	return rule->tolerance > 0.0 && number_of(field, before, &a) && number_of(field, after, &b) &&
	       fabs(a - b) <= rule->tolerance * fmax(fabs(a), fabs(b));
}

/* ---- counters */

static const char *in_between(struct differ *d)
{
	STRBUF_AUTO text = STRBUF_INIT;

	if (!d->between_s)
		return "";
	strbuf_addstr(&text, " in ");
	unit_format_u64(&text, UNIT_S, d->between_s);
	return arena_strdup(d->arena, text.buf);
}

static const char *amount(struct differ *d, const struct field *field, uint64_t value)
{
	STRBUF_AUTO text = STRBUF_INIT;

	unit_format_u64(&text, field->unit, value);
	return arena_strdup(d->arena, text.buf);
}

/* Why a counter is reported, or NULL if it need not be. *ret_grew: it grew, which is worse for an error counter. */
static const char *counter_story(struct differ *d, const struct diff_rule *rule, const struct field *field,
				 uint64_t before, uint64_t after, bool *ret_grew)
{
	bool restarted = rule->since != SINCE_EVER && (d->is_other_boot || (rule->since == SINCE_DRIVER &&
									    d->is_other_driver));

	*ret_grew = false;
	if (d->is_reversed)
		return before == after || restarted ? NULL : "the second was taken first: read it from right to left";
	if (!restarted && after == before)
		return NULL;
	*ret_grew = true;
	if (!restarted && after > before)
		return arena_printf(d->arena, "%s more%s", amount(d, field, after - before), in_between(d));
	if (rule->since == SINCE_EVER) {
		*ret_grew = false;
		return "it counts over the board's life and fell: another board, or it was cleared";
	}
	if (!after || (rule->side != LESS_IS_BETTER && after == before)) {
		*ret_grew = false;
		return NULL;
	}
	if (restarted)
		return arena_printf(d->arena, "set to 0 by a %s in between: counted since then",
				    d->is_other_boot ? "boot" : "load of the driver");
	return "it fell, so something set it to 0 in between: counted since then";
}

static void counter_difference(struct differ *d, const struct record_rules *rules, const struct diff_rule *rule,
			       const struct field *field, const void *a, const void *b)
{
	uint64_t before = u64_or(*(const struct val_u64 *)a, 0), after = u64_or(*(const struct val_u64 *)b, 0);
	bool grew;
	const char *why;

	if (field->kind != FIELD_U64 || d->is_other_card)
		return;		/* another card's errors are no growth of this one's */
	why = counter_story(d, rule, field, before, after, &grew);
	if (!why)
		return;
	diff_add(d, &(struct difference){
		.group = field_group(rules, rule, field),
		.weight = grew && rule->side == LESS_IS_BETTER ? DIFF_WORSE : DIFF_OTHER,
		.what = rule->what ? rule->what : field->name, .field = field, .why = why,
		.before = diff_text(d, field, a), .after = diff_text(d, field, b),
	});
}

/* ---- texts of many words, and lists of texts: what stands on one side only */

/* Names of the kernel's own files change with its version, which is reported. */
static bool is_noise(const char *word)
{
	return diff_is_search_variable(word) || !strncmp(word, "BOOT_IMAGE=", strlen("BOOT_IMAGE=")) ||
	       !strncmp(word, "initrd=", strlen("initrd="));
}

static void split(struct arena *arena, const char *text, struct strs *ret)
{
	static const char spaces[] = " \t\n";

	for (const char *at = text + strspn(text, spaces); *at; at += strspn(at, spaces)) {
		size_t len = strcspn(at, spaces);

		ret->v = arena_grow(arena, ret->v, ret->nr, sizeof(*ret->v));
		ret->v[ret->nr++] = arena_strndup(arena, at, len);
		at += len;
	}
}

static int order_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static const char **sorted(struct arena *arena, const struct strs *texts)
{
	const char **ret = arena_alloc(arena, (texts->nr + 1) * sizeof(*ret));

	if (texts->nr)
		memcpy(ret, texts->v, texts->nr * sizeof(*ret));
	qsort(ret, texts->nr, sizeof(*ret), order_texts);
	return ret;
}

static void add_word(struct strbuf *out, const char *word)
{
	if (!is_noise(word))
		strbuf_addf(out, "%s%s", out->len ? " " : "", word);
}

/* NULL where nothing is left. */
static const char *kept(struct arena *arena, const struct strbuf *text)
{
	return text->len ? arena_strdup(arena, text->buf) : NULL;
}

void diff_series(struct differ *d, const struct strs *before, const struct strs *after, struct difference *item)
{
	const char **a = sorted(d->arena, before), **b = sorted(d->arena, after);
	STRBUF_AUTO gone = STRBUF_INIT;
	STRBUF_AUTO come = STRBUF_INIT;
	size_t i = 0, k = 0;

	while (i < before->nr || k < after->nr) {
		int order = i == before->nr ? 1 : k == after->nr ? -1 : strcmp(a[i], b[k]);

		if (order < 0)
			add_word(&gone, a[i]);
		if (order > 0)
			add_word(&come, b[k]);
		i += order <= 0;
		k += order >= 0;
	}
	item->before = kept(d->arena, &gone);
	item->after = kept(d->arena, &come);
}

static void diff_words(struct differ *d, struct difference *item)
{
	struct strs before = { .nr = 0 }, after = { .nr = 0 };

	split(d->arena, item->before, &before);
	split(d->arena, item->after, &after);
	diff_series(d, &before, &after, item);
}

/* ---- one value */

static void known_difference(struct differ *d, const struct record_rules *rules, const struct diff_rule *rule,
			     const struct field *field, const void *before, const void *after)
{
	struct difference item;

	d->diff->nr_compared++;
	if (field->class == CLASS_COUNTER) {
		counter_difference(d, rules, rule, field, before, after);
		return;
	}
	if (value_equals(field, before, after) || is_within(rule, field, before, after))
		return;
	item = (struct difference){
		.group = field_group(rules, rule, field), .weight = weight_of(rule, field, before, after),
		.what = rule->what ? rule->what : field->name, .field = field,
		.before = diff_text(d, field, before), .after = diff_text(d, field, after),
	};
	if (rule->how == HOW_WORDS)
		diff_words(d, &item);
	else
		tell_exactly(d, field, before, after, &item);
	if (item.before || item.after)
		diff_add(d, &item);
}

static bool is_failure(enum val_state state)
{
	return state == VAL_LOST || state == VAL_TIMEOUT || state == VAL_ERROR;
}

static void note(struct diff_gap *gap, const struct field *field, const void *before, const void *after)
{
	if (!gap->nr++)
		*gap = (struct diff_gap){ .nr = 1, .field = field, .before = before, .after = after };
}

void diff_value(struct differ *d, const struct record_rules *rules, const struct field *field, const void *before,
		const void *after, struct diff_gaps *gaps)
{
	static const struct diff_rule by_class = { .how = HOW_CLASS };
	const struct val_head *a = before, *b = after;
	const struct diff_rule *rule = &by_class;

	if (rules->rules)
		rule = &rules->rules[field - rules->record->fields];
	if (rule->how == HOW_IGNORE || (field->class == CLASS_GAUGE && rule->how == HOW_CLASS) ||
	    (field->privacy != PRIVACY_PUBLIC && !d->keeps_private) || (rule->is_place && d->is_other_search))
		return;
	if (is_known(*a) && is_known(*b)) {
		known_difference(d, rules, rule, field, before, after);
	} else if (rule->absence_counts && (a->state == VAL_ABSENT) + (b->state == VAL_ABSENT) == 1 &&
		   (is_known(*a) || is_known(*b))) {
		diff_add(d, &(struct difference){
			.group = field_group(rules, rule, field), .what = rule->what ? rule->what : field->name,
			.field = field, .before = diff_text(d, field, before), .after = diff_text(d, field, after),
		});
	} else if (is_known(*a)) {
		if (is_failure(b->state))
			note(&gaps->lost, field, before, after);
		else if (b->state == VAL_UNSUPPORTED)
			note(&gaps->unsupported, field, before, after);
		else if (b->state == VAL_DENIED || b->state == VAL_ASLEEP)
			d->nr_denied++;
	} else if (is_known(*b) && is_failure(a->state)) {
		note(&gaps->found, field, before, after);
	}
}

static void tell_gap(struct differ *d, const struct diff_gap *gap, enum diff_weight weight, enum diff_group group)
{
	const char *name;

	if (!gap->nr)
		return;
	name = gap->field->name;
	diff_add(d, &(struct difference){
		.group = group, .weight = weight, .field = gap->field,
		.what = gap->nr > 1 ? arena_printf(d->arena, "%s and %zu more", name, gap->nr - 1) : name,
		.before = diff_text(d, gap->field, gap->before), .after = diff_text(d, gap->field, gap->after),
		.why = weight == DIFF_BETTER ? "could not be read before" : "cannot be read any more",
	});
}

void diff_tell_gaps(struct differ *d, const struct diff_gaps *gaps)
{
	tell_gap(d, &gaps->lost, DIFF_WORSE, DIFF_HEALTH);
	tell_gap(d, &gaps->found, DIFF_BETTER, DIFF_HEALTH);
	tell_gap(d, &gaps->unsupported, DIFF_OTHER, DIFF_DRIVER);
}
