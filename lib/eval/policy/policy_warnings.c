// SPDX-License-Identifier: GPL-2.0-or-later
/* policy_warnings.c - what a policy file may say and hardly means: entries past their day, numbers of another unit. */
#include "base/compat.h"
#include "eval/policy/policy_reading.h"

#include <math.h>

#include "base/text.h"

/*
 * Numbers from..to of a key of that unit are what somebody writes who takes it for another unit, of which each is so
 * many of the key's own. Of keys alone that are built in as so much or more: a disk's read of 0.5 ms is one.
 */
static const struct mistaken_unit {
	enum unit unit;
	double built_in_min, from, to, times;
	const char *before, *after;	/* of the number that was written, as it is in that unit */
} mistaken_units[] = {
	{ UNIT_PERCENT, 0.0, 0.0, 1.0, 100.0, "a share of ", "" },
	{ UNIT_RATIO, 1.0, 100.0, 1000.0, 0.01, "", " %" },
	{ UNIT_BYTES, 0.0, 0.0, 4096.0, 1024.0 * 1024.0, "", " MiB" },
	{ UNIT_BYTES, 0.0, 0.0, 4096.0, 1024.0 * 1024.0 * 1024.0, "", " GiB" },
	{ UNIT_MW, 0.0, 0.0, 2000.0, 1000.0, "", " W" },
	{ UNIT_MS, 1000.0, 0.0, 60.0, 1000.0, "", " s" },
	{ UNIT_S, 86400.0, 0.0, 24.0 * 14.0, 3600.0, "", " h" },
};

struct doubting {
	struct arena *arena;
	struct policy_errors *doubts;
};

/* How many times as much the greater of them is; of what is 0 as built in, nothing is known. */
static double far_apart(double a, double b)
{
	return a > b ? a / b : b / a;
}

/* What the number would be nearest to what is built in; NULL: it is nearest as it stands. */
static const struct mistaken_unit *mistaken_unit_of(const struct policy_row *row, double value)
{
	const struct mistaken_unit *best = NULL;
	double nearest = row->value > 0.0 ? far_apart(value, row->value) : (double)INFINITY;

	for (size_t i = 0; i < ARRAY_SIZE(mistaken_units); i++) {
		const struct mistaken_unit *unit = &mistaken_units[i];
		double apart = row->value > 0.0 ? far_apart(value * unit->times, row->value) : 1.0;

		if (unit->unit != row->unit || row->value < unit->built_in_min || value <= unit->from ||
		    value >= unit->to || apart >= nearest)
			continue;
		nearest = apart;
		best = unit;
	}
	return best;
}

/* A COUNT may be a rate or a factor: those have fractions. */
static bool is_of_whole_things(unsigned row)
{
	return policy_rows[row].unit == UNIT_COUNT && row != POLICY_ROW_baseline_sigmas &&
	       row != POLICY_ROW_gate_baseline_days && !strstr(policy_rows[row].key, "_per_");
}

static const char *symbol_of(enum unit unit, double value)
{
	if (unit == UNIT_RATIO)
		return "times";
	return unit == UNIT_BYTES && value == 1.0 ? "byte" : unit_symbol(unit);
}

static void doubt_number(const struct doubting *d, const struct policy *policy, unsigned row, const char *prefix)
{
	double value = *(const double *)(const void *)((const char *)policy + policy_rows[row].offset);
	const struct mistaken_unit *unit = value > 0.0 ? mistaken_unit_of(&policy_rows[row], value) : NULL;
	char meant[32];

	if (unit) {
		/* 0.07 times 100 has an end of its own. */
		json_format_f64(round(value * unit->times * 1e6) / 1e6, meant);
		policy_add_error(d->arena, d->doubts, policy->lines[row],
				 arena_printf(d->arena, "\"%s%s\": %g %s looks wrong; did you mean %s (%s%g%s)?",
					      prefix, policy_rows[row].key, value, symbol_of(unit->unit, value), meant,
					      unit->before, value, unit->after));
	} else if (is_of_whole_things(row) && value != floor(value)) {
		policy_add_error(d->arena, d->doubts, policy->lines[row],
				 arena_printf(d->arena,
					      "\"%s%s\": %g is not a whole number, and this counts whole things",
					      prefix, policy_rows[row].key, value));
	}
}

static void doubt_numbers(const struct doubting *d, const struct policy *policy, const char *prefix)
{
	for (unsigned row = 0; row < NR_POLICY_ROWS; row++)
		if (policy->lines[row] && policy_rows[row].kind == POLICY_IS_NUMBER)
			doubt_number(d, policy, row, prefix);
}

static void doubt_quiets(const struct doubting *d, const struct policy *policy, const char *today)
{
	for (size_t i = 0; i < policy->nr_quiets; i++) {
		const struct policy_quiet *quiet = &policy->quiets[i];

		if (!quiet_is_over(quiet, today))
			continue;
		policy_add_error(d->arena, d->doubts, quiet->line,
				 arena_printf(d->arena, "\"quiet\": the last day of %s was %s (today is %s, in UTC): "
							"it counts again",
					      quiet->finding, quiet->until, today));
	}
}

void policy_warn(struct arena *arena, const struct policy *policy, const char *today, struct policy_errors *ret)
{
	const struct doubting d = { .arena = arena, .doubts = ret };

	*ret = (struct policy_errors){ .nr = 0 };
	doubt_numbers(&d, policy, "");
	for (size_t i = 0; i < policy->nr_overrides; i++)
		doubt_numbers(&d, policy->overrides[i].set,
			      arena_printf(arena, "%s.%.60s.", policy->overrides[i].is_of_models ? "models" : "nodes",
					   policy->overrides[i].pattern));
	doubt_quiets(&d, policy, today);
}
