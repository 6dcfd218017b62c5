// SPDX-License-Identifier: GPL-2.0-or-later
/* throttle_limits.c - power limits and clocks that were lowered, compared with a GPU's twins. */
#include "base/compat.h"
#include "eval/facts/throttle.h"

#include "eval/judge/vendor.h"

/* A limit, and what it is without anybody's doing; a text is lowered when it is any other. */
static const struct limit {
	const char *name, *full, *text;
} limits[] = {
	{ .name = "power_limit_mw", .full = "power_default_mw" },
	{ .name = "clock_application_mhz", .full = "clock_application_default_mhz" },
	{ .name = "clock_boost_max_mhz", .full = "clock_max_mhz" },
	{ .name = "clock_limit_mhz", .full = "clock_max_mhz" },
	{ .name = "performance_level", .text = "auto" },
};

bool is_asked(enum val_state state)
{
	return state != VAL_UNSET && state != VAL_ABSENT && state != VAL_UNSUPPORTED;
}

bool is_told(const struct gpu *gpu, const char *name)
{
	struct val_head head = vendor_head(gpu, name);

	return is_asked(head.state) && head.state != VAL_ASLEEP;
}

static bool is_below(const struct policy *policy, struct val_u64 own, struct val_u64 full)
{
	/* No limit at all reads 0 in places. */
	return u64_or(own, 0) && (double)u64_or(own, 0) < policy->throttle_limit_ratio * (double)u64_or(full, 0);
}

static const struct limit *limit_called(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(limits); i++)
		if (!strcmp(limits[i].name, name))
			return &limits[i];
	return NULL;
}

bool is_lowered(const struct policy *policy, const struct gpu *gpu, const char *name)
{
	const struct limit *limit = limit_called(name);

	if (!limit)
		return false;
	if (!limit->text)
		return is_below(policy, vendor_u64(gpu, limit->name), vendor_u64(gpu, limit->full));
	return is_known(vendor_str(gpu, name)) && !str_is(vendor_str(gpu, name), limit->text);
}

/* Twins have one vendor, whose names are looked for once: a thousand GPUs ask this of a thousand. */
static bool is_any_lowered(const struct judgement *j, const struct twin_list *twins, const struct twin_field *field)
{
	const struct limit *limit = limit_called(field->field->name);
	struct vendor_field full = vendor_field_of(j->gpu, limit->text ? limit->name : limit->full);

	for (size_t i = 0; i < twins->nr; i++) {
		const struct gpu *gpu = twins->items[i];
		const union any_value own = twin_value(gpu, field);

		if (limit->text ? is_known(own.str) && !str_is(own.str, limit->text) :
				  is_below(j->policy, own.u64, vendor_u64_of_twin(full, j->gpu, gpu)))
			return true;
	}
	return false;
}

/* The field's place in record gpu, by the vendor's record it is in; false where twins need not agree on it. */
static bool find_twin_field(struct judgement *j, const char *name, struct twin_field *ret)
{
	struct vendor_field told = vendor_field_of(j->gpu, name);

	for (size_t i = 0; told.field && i < j->twin_fields->nr; i++) {
		if (j->twin_fields->items[i].field != told.field)
			continue;
		*ret = j->twin_fields->items[i];
		return true;
	}
	return false;
}

enum lowered lowered_among_twins(struct judgement *j, const char *name, struct twin_look *look)
{
	struct twin_field field;
	struct twin_list twins;

	*look = (struct twin_look){ .nr = 0 };
	if (!is_lowered(j->policy, j->gpu, name))
		return NOT_LOWERED;
	if (!find_twin_field(j, name, &field))
		return LOWERED_ALONE;
	twins_of(j->arena, j->snapshot, j->gpu, &twins);
	twins_look(j->arena, &twins, j->gpu, &field, look);
	if (look->nr < 2)
		return LOWERED_ALONE;
	if (look->has_majority)
		return LOWERED_UNLIKE_TWINS;
	return look->nr_other * 2 < look->nr ? LOWERED_AS_TWINS : LOWERED_UNDECIDED;
}

bool throttle_tells_difference(struct judgement *j, const struct twin_list *twins, const struct twin_field *field)
{
	struct twin_look look;

	/* Cheapest test first: most fields are no limits. An unknown value differs from nothing. */
	if (!limit_called(field->field->name) || twin_value(j->gpu, field).head.state != VAL_OK)
		return false;
	if (!is_any_lowered(j, twins, field))
		return false;
	twins_look(j->arena, twins, j->gpu, field, &look);
	/* One that is not lowered while most are: only a check of twins sees that. */
	return !look.has_majority || is_lowered(j->policy, j->gpu, field->field->name);
}
