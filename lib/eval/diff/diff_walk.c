// SPDX-License-Identifier: GPL-2.0-or-later
/* diff_walk.c - two records of a kind, field by field, and two lists of them, element by element. */
#include "base/compat.h"
#include "base/text.h"
#include "eval/diff/diff_internal.h"

/* ---- records */

static void diff_series_field(struct differ *d, const struct record_rules *rules, const struct field *field,
			      const void *before, const void *after)
{
	const struct diff_rule *rule = rules->rules ? &rules->rules[field - rules->record->fields] : NULL;
	struct difference item = { .what = field->name, .field = field, .group = DIFF_SETTINGS };

	/* An empty series may be one that was not filled. */
	if (field->kind != FIELD_STRS || (rule && rule->how == HOW_IGNORE) ||
	    (field->privacy != PRIVACY_PUBLIC && !d->keeps_private))
		return;
	diff_series(d, before, after, &item);
	if (item.before || item.after)
		diff_add(d, &item);
}

void diff_records(struct differ *d, const struct record *record, const void *before, const void *after)
{
	const struct record_rules *rules = rules_of_record(record);
	struct diff_gaps gaps = { .lost = { .nr = 0 } };

	if (rules->ignored)
		return;
	/* A key is what made them the same. */
	for (size_t i = !strcmp(record->fields[0].name, "key"); i < record->nr; i++) {
		const struct field *field = &record->fields[i];
		const char *a = (const char *)before + field->offset, *b = (const char *)after + field->offset;

		if (field_is_value(field))
			diff_value(d, rules, field, a, b, &gaps);
		else if (field->kind == FIELD_RECORD)
			diff_records(d, field->record, a, b);
		else if (field->kind == FIELD_LIST)
			diff_list(d, field, before, after);
		else
			diff_series_field(d, rules, field, a, b);
	}
	diff_tell_gaps(d, &gaps);
}

/* ---- lists */

struct elements {
	const struct record *record;
	const char *base;
	size_t nr;
};

struct leftover {
	const void *element;
	const char *alias;
	size_t place;
};

struct leftovers {
	struct leftover *items;
	size_t nr;
};

static struct elements elements_of(const struct field *field, const void *owner)
{
	const char *base = owner;

	return (struct elements){
		.record = field->record, .base = *(const char *const *)(const void *)(base + field->offset),
		.nr = *(const size_t *)(const void *)(base + field->offset_nr),
	};
}

static const void *element_at(const struct elements *elements, size_t i)
{
	return elements->base + i * elements->record->size;
}

static const char *key_of(const void *element)
{
	return str_or(*(const struct val_str *)element, "");
}

static const char *element_name(struct differ *d, const struct record_rules *rules, const void *element)
{
	const char *name = rules->alias ? rules->alias(d->arena, element) : key_of(element);

	if (rules->record == &record_hop)
		name = str_or(((const struct hop *)element)->address, name);
	return arena_printf(d->arena, "%s %s", rules->word ? rules->word : "", name);
}

/* Begins an element's thing below what is compared now, which is returned. */
static const char *enter(struct differ *d, const struct record_rules *rules, const void *element)
{
	const char *owner = d->thing, *name = element_name(d, rules, element);

	d->thing = owner ? arena_printf(d->arena, "%s, %s", owner, name) : name;
	d->first_of_thing = d->diff->nr;
	return owner;
}

static void leave(struct differ *d, const char *owner)
{
	d->thing = owner;
	d->first_of_thing = d->diff->nr;
}

static void diff_elements(struct differ *d, const struct record_rules *rules, const void *before, const void *after)
{
	const char *owner = enter(d, rules, after);

	diff_records(d, rules->record, before, after);
	leave(d, owner);
}

/* Its version, where it has one: "550.54.14". */
static const char *presence_text(struct differ *d, const struct record *record, const void *element)
{
	for (size_t i = 0; i < record->nr; i++) {
		const struct field *field = &record->fields[i];
		const void *value = (const char *)element + field->offset;

		if (field->kind == FIELD_STR && !strcmp(field->name, "version") &&
		    is_known(*(const struct val_head *)value))
			return diff_text(d, field, value);
	}
	return "present";
}

static void tell_presence(struct differ *d, const struct record_rules *rules, const void *before, const void *after)
{
	enum diff_weight opposite = rules->gone == DIFF_WORSE ? DIFF_BETTER : DIFF_OTHER;
	const char *owner;

	if (rules->is_of_search && rules->is_of_search(d, before ? before : after, before))
		return;
	owner = enter(d, rules, before ? before : after);
	diff_add(d, &(struct difference){
		.group = rules->presence_group, .weight = before ? rules->gone : opposite, .what = "presence",
		.before = before ? presence_text(d, rules->record, before) : NULL,
		.after = after ? presence_text(d, rules->record, after) : NULL,
	});
	leave(d, owner);
}

static void put_by(struct differ *d, const struct record_rules *rules, struct leftovers *leftovers, const void *element)
{
	leftovers->items = arena_grow(d->arena, leftovers->items, leftovers->nr, sizeof(*leftovers->items));
	leftovers->items[leftovers->nr] = (struct leftover){
		.element = element, .alias = rules->alias ? rules->alias(d->arena, element) : key_of(element),
		.place = leftovers->nr,
	};
	leftovers->nr++;
}

/* Those of one key are compared at once; the others wait. */
static void merge_by_key(struct differ *d, const struct record_rules *rules, const struct elements *a,
			 const struct elements *b, struct leftovers *ret_before, struct leftovers *ret_after)
{
	size_t i = 0, k = 0;

	while (i < a->nr || k < b->nr) {
		int order;

		if (i == a->nr || k == b->nr)
			order = i == a->nr ? 1 : -1;
		else
			order = key_compare(key_of(element_at(a, i)), key_of(element_at(b, k)));
		if (!order && !rules->alias_only) {
			diff_elements(d, rules, element_at(a, i++), element_at(b, k++));
			continue;
		}
		if (order <= 0)
			put_by(d, rules, ret_before, element_at(a, i++));
		if (order >= 0)
			put_by(d, rules, ret_after, element_at(b, k++));
	}
}

static int order_leftovers(const void *a, const void *b)
{
	const struct leftover *left = a, *right = b;
	int order = strcmp(left->alias, right->alias);

	return order ? order : (left->place > right->place) - (left->place < right->place);
}

static void sort_leftovers(struct leftovers *leftovers)
{
	if (leftovers->nr)
		qsort(leftovers->items, leftovers->nr, sizeof(*leftovers->items), order_leftovers);
}

static void merge_by_alias(struct differ *d, const struct record_rules *rules, struct leftovers *a,
			   struct leftovers *b, bool tells_presence)
{
	size_t i = 0, k = 0;

	sort_leftovers(a);
	sort_leftovers(b);
	while (i < a->nr || k < b->nr) {
		int order = i == a->nr ? 1 : k == b->nr ? -1 : strcmp(a->items[i].alias, b->items[k].alias);

		if (!order && rules->alias)
			diff_elements(d, rules, a->items[i].element, b->items[k].element);
		else if (order < 0 && tells_presence)
			tell_presence(d, rules, a->items[i].element, NULL);
		else if (order > 0 && tells_presence)
			tell_presence(d, rules, NULL, b->items[k].element);
		i += order <= 0;
		k += order >= 0;
	}
}

/* Was the list made on both sides? An empty one may be one that was not filled. */
static bool is_complete(const struct differ *d, const struct record_rules *rules, const struct elements *a,
			const struct elements *b)
{
	const struct field *count;

	if (!rules->is_listed)
		return a->nr && b->nr;
	count = &record_listed.fields[rules->listed];
	return is_known(*(const struct val_head *)(const void *)((const char *)&d->before->listed + count->offset)) &&
	       is_known(*(const struct val_head *)(const void *)((const char *)&d->after->listed + count->offset));
}

void diff_list(struct differ *d, const struct field *field, const void *before, const void *after)
{
	const struct record_rules *rules = rules_of_record(field->record);
	struct elements a = elements_of(field, before), b = elements_of(field, after);
	struct leftovers left = { .nr = 0 }, right = { .nr = 0 };

	if (rules->ignored || !rules->record)
		return;
	merge_by_key(d, rules, &a, &b, &left, &right);
	if (left.nr || right.nr)
		merge_by_alias(d, rules, &left, &right, rules->presence && is_complete(d, rules, &a, &b));
}
