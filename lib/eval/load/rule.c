// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/load/rule.h"

static bool is_missing(struct rule *rule, const char *what, struct val_f64 value)
{
	if (is_known(value))
		return false;
	if (!rule->missing) {
		rule->missing = what;
		rule->missing_head = (struct val_head){ .state = value.state, .why = value.why };
	}
	return true;
}

static void exclude(struct rule *rule, double near)
{
	rule->is_excluded = true;
	if (near < rule->near)
		rule->near = near > 0.0 ? near : 0.0;
}

void rule_at_least(struct rule *rule, const char *what, struct val_f64 value, double least)
{
	if (!is_missing(rule, what, value) && value.v_ < least)
		exclude(rule, value.v_ / least);
}

void rule_below(struct rule *rule, const char *what, struct val_f64 value, double limit)
{
	if (!is_missing(rule, what, value))
		rule_below_if_known(rule, value, limit);
}

void rule_below_if_known(struct rule *rule, struct val_f64 value, double limit)
{
	if (is_known(value) && value.v_ >= limit)
		exclude(rule, value.v_ > 0.0 ? 0.99 * limit / value.v_ : 0.0);
}

void rule_requires(struct rule *rule, bool holds)
{
	if (!holds)
		exclude(rule, 0.0);
}

struct rule rule_either(struct rule a, struct rule b)
{
	if (rule_fits(&a) || rule_fits(&b))
		return rule_fits(&a) ? a : b;
	if (rule_is_open(&a) || rule_is_open(&b))
		return rule_is_open(&a) ? a : b;
	return a.near >= b.near ? a : b;
}

struct val_f64 client_percent(const struct track *client, const struct watch_span *span)
{
	struct val_f64 busy = mean_of(client, tick_client, busy_percent, span);

	if (is_known(busy))
		return busy.v_ > 100.5 ? no_f64(VAL_ERROR, "more than there can be") : busy;
	return share_percent(mean_of(client, tick_client, busy_ns, span));
}

size_t sharers_of(const struct scene *scene, const struct track **ret, size_t max)
{
	const struct track_list *clients = &scene->gpu.folded->clients;
	size_t nr = 0;

	for (size_t i = 0; i < clients->nr; i++) {
		double percent = f64_or(client_percent(clients->items[i], &scene->gpu.span), 0.0);
		size_t k = nr < max ? nr++ : max;

		if (percent < scene->policy->watch_share_percent) {
			nr -= k < max;
			continue;
		}
		if (k == max)
			continue;
		for (; k && f64_or(client_percent(ret[k - 1], &scene->gpu.span), 0.0) < percent; k--)
			ret[k] = ret[k - 1];
		ret[k] = clients->items[i];
	}
	return nr;
}

bool sees_processes(const struct scene *scene)
{
	const struct val_head *told = &scene->gpu.folded->track.figures[FIELD_tick_gpu_processes].latest;

	return told->state != VAL_DENIED && told->state != VAL_UNSUPPORTED;
}

bool is_held(const struct scene *scene)
{
	if (scene->job.nr_holders || scene->job.nr_unseen)
		return true;
	/* Memory without a visible process: those of another container hold it. */
	return f64_or(scene->gpu.vram_used_bytes, 0.0) > scene->policy->vram_unexplained_bytes;
}
