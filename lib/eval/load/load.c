// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/load/load_internal.h"

#include "base/alloc.h"
#include "eval/judge/subject.h"

static void resolve_policies(struct load *load)
{
	const char *host = str_or(load->sealed->host.name, NULL);

	load->policies = xcalloc(load->fold.nr_gpus + 1, sizeof(*load->policies));
	for (size_t i = 0; i < load->fold.nr_gpus; i++)
		load->policies[i] = policy_resolve(&load->policy_arena, load->policy, host,
						   gpu_model(&load->policy_arena, load->fold.gpus[i].gpu));
}

struct load *load_new(const struct snapshot *sealed, const struct policy *policy, uint64_t pid)
{
	struct load *load = xcalloc(1, sizeof(*load));

	load->sealed = sealed;
	load->policy = policy;
	load->pid = pid;
	load_fold_init(&load->fold, sealed, policy);
	resolve_policies(load);
	load->watched = xcalloc(load->fold.nr_gpus + 1, sizeof(*load->watched));
	for (size_t i = 0; i <= load->fold.nr_gpus; i++)
		load->watched[i].key = "";
	load->view.headline = "Nothing was read yet.";
	load->view.host.busiest_thread = load->view.host.disk = load->view.host.network = "";
	return load;
}

void load_add(struct load *load, const struct tick *tick)
{
	struct scenes scenes = { .nr = 0 };
	uint64_t before_ns = load->fold.watched_ns;

	arena_release(&load->arena);
	load_fold_tick(&load->fold, tick);
	scenes.elapsed_ns = load->fold.watched_ns - before_ns;
	load_judge(load, &scenes);
	load_spend(load, &scenes);
	load_fill_view(load, &scenes);
	load_keep_sentences(load);
}

const struct load_view *load_now(struct load *load)
{
	return &load->view;
}

void load_free(struct load *load)
{
	if (!load)
		return;
	for (size_t i = 0; i < NR_BOTTLENECKS; i++) {
		free(load->words[i].sentence);
		free(load->words[i].next);
		free(load->words[i].command);
	}
	for (size_t i = 0; i <= load->fold.nr_gpus; i++) {
		free(load->watched[i].figures);
		free(load->watched[i].group_figures);
	}
	load_fold_release(&load->fold);
	arena_release(&load->arena);
	arena_release(&load->story_arena);
	arena_release(&load->policy_arena);
	free(load->policies);
	free(load->watched);
	free(load);
}
