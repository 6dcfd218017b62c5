// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * judge.c - of each GPU of a tick the word that fits first, and the one that is shown: it has won three ticks of five.
 */
#include "base/compat.h"
#include "eval/load/load_internal.h"

#define NS_PER_S 1e9

/* ---- whom to judge */

/* Once the process of --pid, or one below it, holds GPUs, these are meant; and still are after it ended. */
static void find_own_gpus(struct load *load, const struct job_roles *roles)
{
	const struct fold *fold = &load->fold;

	for (size_t i = 0; load->pid && i < roles->nr; i++) {
		const struct fold_process *process = fold_process_at(fold, i);

		if (!process->is_requested && !is_below(fold, process, load->pid))
			continue;
		for (size_t place = 0; place < fold->nr_gpus; place++)
			if (job_holds(fold, roles, i, place))
				load->watched[place].is_mine = load->holds_any = true;
	}
}

static void add_scene(struct load *load, const struct job_roles *roles, size_t place, struct scenes *ret)
{
	struct scene *scene = &ret->items[ret->nr++];
	const struct policy *policy = place == NO_PLACE ? load->policy : load->policies[place];

	*scene = (struct scene){ .policy = policy, .fold = &load->fold, .roles = roles, .place = place };
	scene->worked_s = watched_of(load, scene)->worked_s;
	scene->spun_s = (double)watched_of(load, scene)->fits_ns[BOTTLENECK_SPINNING] / NS_PER_S;
	for (enum bottleneck i = 0; i < NR_BOTTLENECKS; i++) {
		scene->rules[i] = RULE_FITS;
		rule_requires(&scene->rules[i], false);
	}
	if (place == NO_PLACE) {
		job_of_pid(&load->fold, policy, load->pid, &scene->job);
	} else {
		gpu_figures_of(&load->fold, policy, &load->fold.gpus[place], &scene->gpu);
		job_of_gpu(&load->fold, policy, roles, place, &scene->gpu.span, &scene->job);
	}
	node_figures_of(&load->fold, &scene->job.span, &scene->node);
}

/* One that no tick ever had, while they have others: it is not read, and there is nothing to tell of it. */
static bool is_read(const struct fold *fold, size_t place)
{
	if (fold->gpus[place].was_seen)
		return true;
	for (size_t i = 0; i < fold->nr_gpus; i++)
		if (fold->gpus[i].was_seen)
			return false;
	return true;
}

static void make_scenes(struct load *load, const struct job_roles *roles, struct scenes *ret)
{
	ret->items = arena_alloc(&load->arena, (load->fold.nr_gpus + 1) * sizeof(*ret->items));
	if (load->pid && !load->holds_any)
		add_scene(load, roles, NO_PLACE, ret);
	else
		for (size_t place = 0; place < load->fold.nr_gpus; place++)
			if ((!load->pid || load->watched[place].is_mine) && is_read(&load->fold, place))
				add_scene(load, roles, place, ret);
	for (size_t i = 0; i < ret->nr; i++) {
		ret->items[i].others = ret->items;
		ret->items[i].nr_others = ret->nr;
	}
}

/* ---- the words */

static void judge_scene(struct scene *scene)
{
	if (!is_of_process(scene)) {
		find_fault(scene);
		find_straggler(scene);
	}
	judge_gpu(scene);
	judge_links(scene);
	judge_host(scene);
	judge_waits(scene);
}

/* Each rule's time; one that is open goes on, as a figure may be late. */
static void count_fits(struct watched *watched, const struct scene *scene, uint64_t elapsed_ns)
{
	for (enum bottleneck i = 0; i < NR_BOTTLENECKS; i++) {
		if (rule_fits(&scene->rules[i]))
			watched->fits_ns[i] += elapsed_ns;
		else if (scene->rules[i].is_excluded)
			watched->fits_ns[i] = 0;
	}
}

static enum bottleneck candidate(const struct watched *watched, const struct scene *scene)
{
	for (enum bottleneck i = BOTTLENECK_NOT_JUDGED + 1; i < NR_BOTTLENECKS; i++)
		if (rule_fits(&scene->rules[i]) &&
		    watched->fits_ns[i] >= (uint64_t)bottleneck_defs[i].seconds * UINT64_C(1000000000))
			return i;
	return BOTTLENECK_NOT_JUDGED;
}

static void vote(struct watched *watched, const struct scene *scene, enum bottleneck word)
{
	size_t nr = 0;

	watched->votes[watched->nr_votes++ % NR_VOTES] = word;
	for (size_t i = 0; i < NR_VOTES && i < watched->nr_votes; i++)
		nr += watched->votes[i] == word;
	if (watched->has_word ? word != watched->word && nr >= VOTES_TO_WIN : word != BOTTLENECK_NOT_JUDGED) {
		watched->has_word = true;
		watched->word = word;
		watched->held_ns = 0;
		watched->key = "";
		free(watched->figures);
		free(watched->group_figures);
		watched->figures = watched->group_figures = NULL;
	}
	if (rule_fits(&scene->rules[watched->word]))
		watched->key = scene->rules[watched->word].key;
}

/* Real work of the present job: what has only ever spun is no job that stopped. */
static void count_work(struct watched *watched, const struct scene *scene, uint64_t elapsed_ns)
{
	uint64_t pid = scene->job.main ? scene->job.main->pid : 0;

	if (pid != watched->worker_pid)
		watched->worked_s = 0.0;
	watched->worker_pid = pid;
	if (f64_or(scene->gpu.busy, 0.0) >= scene->policy->watch_low_percent &&
	    f64_or(scene->gpu.power_ratio, 0.0) >= scene->policy->watch_spin_power_ratio)
		watched->worked_s += (double)elapsed_ns / NS_PER_S;
}

void load_judge(struct load *load, struct scenes *ret)
{
	struct job_roles roles;
	bool is_enough = span_seconds(&load->fold.span) >= LEAST_S;

	job_roles_of(&load->fold, &roles);
	find_own_gpus(load, &roles);
	make_scenes(load, &roles, ret);
	for (size_t i = 0; i < ret->nr; i++)
		judge_scene(&ret->items[i]);
	for (size_t i = 0; i < ret->nr; i++) {
		struct watched *watched = watched_of(load, &ret->items[i]);

		count_fits(watched, &ret->items[i], ret->elapsed_ns);
		if (!is_of_process(&ret->items[i]))
			count_work(watched, &ret->items[i], ret->elapsed_ns);
		watched->held_ns += ret->elapsed_ns;
		if (is_enough && ret->elapsed_ns)
			vote(watched, &ret->items[i], candidate(watched, &ret->items[i]));
	}
	/* What is told later needs no roles. */
	for (size_t i = 0; i < ret->nr; i++)
		ret->items[i].roles = NULL;
	job_roles_release(&roles);
}
