// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/facts/twins.h"

#include "eval/facts/twin_stats.h"
#include "snapshot/under_test.h"

/*
 * That all of these twins had one value, or none that is known: looked at last, and true of the next of them as well.
 */
struct twin_agreement {
	const struct gpu *first;	/* NULL: they differed, or none was looked at */
	size_t nr_twins, nr;
	union any_value value;
};

static void add_fields(struct arena *arena, const struct record *record, const char *prefix, size_t offset,
		       struct twin_fields *ret)
{
	for (size_t i = 0; i < record->nr; i++) {
		const struct field *field = &record->fields[i];
		const char *name;

		if (field->kind != FIELD_RECORD && !(field_is_value(field) && field->twin))
			continue;
		name = *prefix ? arena_printf(arena, "%s.%s", prefix, field->name) : field->name;
		if (field->kind == FIELD_RECORD) {
			add_fields(arena, field->record, name, offset + field->offset, ret);
			continue;
		}
		ret->items = arena_grow(arena, ret->items, ret->nr, sizeof(*ret->items));
		ret->items[ret->nr++] =
			(struct twin_field){
				.name = name, .field = field, .offset = offset + field->offset,
				.agreement = arena_alloc(arena, sizeof(*ret->items->agreement)),
			};
	}
}

void twin_fields_list(struct arena *arena, struct twin_fields *ret)
{
	*ret = (struct twin_fields){ .nr = 0 };
	add_fields(arena, &record_gpu, "", 0, ret);
}

union any_value twin_value(const struct gpu *gpu, const struct twin_field *field)
{
	union any_value value;

	memcpy(&value, (const char *)gpu + field->offset, value_size(field->field));
	return value;
}

/* A value and how many have it. */
struct kind {
	union any_value value;
	size_t nr;
};

static void count(struct arena *arena, struct kind **kinds, size_t *nr, const struct field *field,
		  const union any_value *value)
{
	size_t i = 0;

	while (i < *nr && !value_equals(field, &(*kinds)[i].value, value))
		i++;
	if (i == *nr) {
		*kinds = arena_grow(arena, *kinds, *nr, sizeof(**kinds));
		(*kinds)[(*nr)++] = (struct kind){ .value = *value };
	}
	(*kinds)[i].nr++;
}

static const char *all_words(struct arena *arena, const struct kind *kinds, size_t nr, const struct field *field)
{
	STRBUF_AUTO text = STRBUF_INIT;

	for (size_t i = 0; i < nr; i++) {
		if (i)
			strbuf_addstr(&text, i + 1 < nr ? ", " : " and ");
		value_format(&text, field, &kinds[i].value);
	}
	return arena_strdup(arena, text.buf);
}

void twins_of(struct arena *arena, const struct snapshot *snapshot, const struct gpu *gpu, struct twin_list *ret)
{
	*ret = (struct twin_list){ .items = arena_alloc(arena, snapshot->nr_gpus * sizeof(*ret->items)) };
	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		const struct gpu *other = &snapshot->gpus[i];

		if (other != gpu && (!gpus_are_twins(gpu, other) || !gpu_is_under_test(snapshot, other)))
			continue;
		ret->items[ret->nr++] = other;
	}
}

static bool is_agreed(const struct twin_list *twins, const struct twin_field *field, const union any_value *own)
{
	const struct twin_agreement *last = field->agreement;

	return last->first && twins->nr == last->nr_twins && twins->items[0] == last->first &&
	       value_equals(field->field, own, &last->value);
}

void twins_look(struct arena *arena, const struct twin_list *twins, const struct gpu *gpu,
		const struct twin_field *field, struct twin_look *ret)
{
	union any_value own = twin_value(gpu, field);
	struct kind *kinds = NULL;
	size_t nr_kinds = 0;

	*ret = (struct twin_look){ .nr = 0 };
	if (own.head.state != VAL_OK)
		return;
	if (is_agreed(twins, field, &own)) {
		ret->nr = field->agreement->nr;
		return;
	}
	for (size_t i = 0; i < twins->nr; i++) {
		union any_value value = twin_value(twins->items[i], field);

		if (value.head.state != VAL_OK)
			continue;
		count(arena, &kinds, &nr_kinds, field->field, &value);
		ret->nr++;
		ret->nr_other += !value_equals(field->field, &own, &value);
	}
	for (size_t i = 0; i < nr_kinds; i++) {
		if (ret->nr < 3 || kinds[i].nr * 2 <= ret->nr || value_equals(field->field, &kinds[i].value, &own))
			continue;
		ret->has_majority = true;
		ret->majority = kinds[i].value;
	}
	*field->agreement = (struct twin_agreement){
		.first = nr_kinds == 1 ? twins->items[0] : NULL, .nr_twins = twins->nr, .nr = ret->nr, .value = own,
	};
	if (nr_kinds > 1)
		ret->values = all_words(arena, kinds, nr_kinds, field->field);
}
