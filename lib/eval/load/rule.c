// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/load/rule.h"

#include "base/text.h"

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

/*
 * What displays and daemons that watch the GPU have of its memory; unknown where one of them has some that is not told.
 */
static struct val_f64 idle_bytes(const struct scene *scene)
{
	const struct track_list *clients = &scene->gpu.folded->clients;
	double sum = 0.0;

	for (size_t i = 0; i < clients->nr; i++) {
		struct val_f64 bytes = figure_newest(figure_of(clients->items[i], tick_client, memory_bytes));
		const struct fold_process *process;
		uint64_t pid;

		process = parse_u64(clients->items[i]->key, &pid) ? NULL : fold_process_of(scene->fold, pid);
		if (!process || !is_idle_program(process))
			continue;
		if (!is_known(bytes))
			return bytes;
		sum += bytes.v_;
	}
	return val_f64(sum);
}

bool is_held(const struct scene *scene)
{
	struct val_f64 used = scene->gpu.vram_used_bytes, idle = idle_bytes(scene);

	if (scene->job.nr_holders || scene->job.nr_unseen)
		return true;
	/* Memory without a visible process: those of another container hold it. */
	return is_known(idle) && f64_or(used, 0.0) - idle.v_ > scene->policy->vram_unexplained_bytes;
}
