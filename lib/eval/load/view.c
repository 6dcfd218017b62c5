// SPDX-License-Identifier: GPL-2.0-or-later
/* view.c - what there is to show after a tick: each GPU, GPUs with one reason as one line, the node. */
#include "base/compat.h"
#include "eval/load/load_internal.h"

#include <math.h>

#include "base/alloc.h"
#include "eval/judge/subject.h"
#include "eval/judge/template.h"

/* ---- sentences */

enum { MAX_PLACES = 4 };
struct places {
	size_t nr;
	struct evidence items[MAX_PLACES];
	struct field fields[MAX_PLACES];
};

static void add_place(struct places *places, const char *name, const char *text)
{
	size_t i = places->nr++;

	places->fields[i] = (struct field){ .name = name, .kind = FIELD_STR };
	places->items[i] = (struct evidence){ .field = &places->fields[i], .is_phrase = true };
	places->items[i].observed.str = val_str(text);
}

static const char *fill(struct arena *arena, const char *template, const struct places *places, bool many,
			bool is_command)
{
	static const struct subject none = { .kind = SUBJECT_NODE, .name = "" };
	struct template_context context = {
		.subject = &none, .evidence = { .nr = places->nr, .items = places->items }, .many = many,
		.is_command = is_command,
	};
	unsigned unfilled = 0;
	const char *text = template ? template_text(arena, template, &context, &unfilled) : NULL;

	return unfilled ? NULL : text;
}

static const char *subject_of(struct load *load, const struct scene_set *set)
{
	const struct scene *scene = set->items[0];
	size_t *indexes;

	if (is_of_process(scene) && scene->job.main)
		return process_text(&load->arena, scene->job.main);
	if (is_of_process(scene))
		return arena_printf(&load->arena, "process %llu", (unsigned long long)load->pid);
	indexes = arena_alloc(&load->arena, set->nr * sizeof(*indexes));
	for (size_t i = 0; i < set->nr; i++)
		indexes[i] = set->items[i]->gpu.folded->index;
	return gpu_ranges(&load->arena, indexes, set->nr);
}

static const char *not_judged(struct load *load, const struct scene *scene)
{
	const char *reason = reason_not_judged(&load->arena, scene);

	if (span_seconds(&load->fold.span) < 1.0)
		return "watched for less than a second";
	if (is_of_process(scene) && !scene->job.is_seen)
		return "it is not running, or not visible here";
	return reason ? reason : "no figure of it is known";
}

/*
 * A word stands for some ticks after its figures changed: until another has won, it is told with those by which it
 * fitted last, as "waits for the loader: 99 % busy" would be no sense.
 */
static const char *steady(struct arena *arena, char **kept, bool fits, const char *fresh)
{
	if (!fits && *kept)
		return arena_strdup(arena, *kept);
	free(*kept);
	*kept = xstrdup(fresh);
	return fresh;
}

static bool fits_now(struct load *load, const struct scene *scene)
{
	enum bottleneck word = watched_of(load, scene)->word;

	return word == BOTTLENECK_NOT_JUDGED || rule_fits(&scene->rules[word]);
}

/* What they are at, and the places of the word's other texts. kept: the figures of the newest tick in which it fit. */
static const char *sentence_of(struct load *load, enum bottleneck word, const struct scene_set *set, uint64_t held_ns,
			       char **kept, struct places *ret)
{
	const struct scene *scene = set->items[0];
	struct arena *arena = &load->arena;
	struct load_words words;

	words_of(arena, word, watched_of(load, scene)->key, set, held_ns, &words);
	ret->nr = 0;
	add_place(ret, "figures", steady(arena, kept, fits_now(load, scene),
					 word == BOTTLENECK_NOT_JUDGED ? not_judged(load, scene) : words.figures));
	if (words.next)
		add_place(ret, "next", words.next);
	if (words.process) {
		add_place(ret, "process", process_text(arena, words.process));
		add_place(ret, "pid", words.process->track.key);
	}
	return arena_printf(arena, "%s %s", subject_of(load, set),
			    fill(arena, bottleneck_defs[word].title, ret, set->nr > 1, false));
}

/* ---- GPUs */

static struct val_u64 whole(struct val_f64 value)
{
	if (is_known(value) && !(value.v_ >= 0.0 && value.v_ < 1e18))
		return no_u64(VAL_ERROR, "impossible value");
	return is_known(value) ? val_u64((uint64_t)(value.v_ + 0.5)) : no_u64(value.state, value.why);
}

/* A word that rests on utilization where the driver could have told more. */
static bool is_coarse(enum bottleneck word, const struct scene *scene)
{
	switch (word) {
	case BOTTLENECK_STUCK:
	case BOTTLENECK_SPINNING:
	case BOTTLENECK_PCIE_BOUND:
	case BOTTLENECK_LINK_BOUND:
	case BOTTLENECK_MEMORY_BOUND:
	case BOTTLENECK_COMPUTE_BOUND:
	case BOTTLENECK_MIXED:
		return !is_of_process(scene) && !is_known(scene->gpu.sm);
	default:
		return !is_of_process(scene) && !is_known(scene->gpu.sm) && !is_known(scene->gpu.power_mw) &&
		       !is_known(scene->job.main_percent);
	}
}

/* A job that has just begun loads its model and its data: what it waits for then says little of the rest. */
static bool is_starting(const struct load *load, const struct scene *scene)
{
	double uptime_s = (double)u64_or(load->sealed->host.uptime_s, 0), started_s, now_s;

	if (!scene->job.main || !scene->job.main->started_ns || uptime_s <= 0.0)
		return false;
	started_s = (double)scene->job.main->started_ns / 1e9;
	now_s = uptime_s + (double)load->fold.watched_ns / 1e9;
	return now_s >= started_s && now_s - started_s < load->policy->watch_startup_s;
}

static enum load_confidence confidence_of(const struct load *load, enum bottleneck word, const struct scene *scene)
{
	if ((double)load->fold.watched_ns < 0.95e9 * load->fold.span_s || is_starting(load, scene))
		return LOAD_SETTLING;
	return is_coarse(word, scene) ? LOAD_COARSE : LOAD_SURE;
}

/* How long what the sentence is about has lasted: a rule may have fitted before its word was shown. */
static uint64_t lasted_ns(const struct watched *watched)
{
	enum bottleneck rule = watched->word == BOTTLENECK_STUCK ? BOTTLENECK_SPINNING : watched->word;

	return watched->fits_ns[rule] > watched->held_ns ? watched->fits_ns[rule] : watched->held_ns;
}

static const char *holder_text(struct load *load, const struct job *job)
{
	if (job->main)
		return arena_printf(&load->arena, "%s %llu", job->main->comm, (unsigned long long)job->main->pid);
	return job->unseen_pid ? arena_printf(&load->arena, "pid %llu", (unsigned long long)job->unseen_pid) : "";
}

static void fill_gpu(struct load *load, const struct scene *scene, struct load_gpu *ret)
{
	const struct gpu_figures *gpu = &scene->gpu;
	struct watched *watched = watched_of(load, scene);
	const struct scene_set set = { .nr = 1, .items = &scene };
	struct places places;

	*ret = (struct load_gpu){
		.gpu = gpu->gpu, .index = gpu->folded->index, .word = watched->word,
		.confidence = confidence_of(load, watched->word, scene), .held_ns = watched->held_ns,
		.busy_percent = gpu->busy, .busy_p5_percent = gpu->busy_p5, .busy_p95_percent = gpu->busy_p95,
		.waits = gpu->is_low, .swings = gpu->swings,
		.sm_active_percent = gpu->sm, .tensor_active_percent = gpu->tensor,
		.memory_active_percent = gpu->memory,
		.power_ratio = gpu->power_ratio, .clock_ratio = gpu->clock_ratio,
		.power_mw = whole(gpu->power_mw), .power_limit_mw = whole(gpu->power_limit_mw),
		.clock_mhz = whole(gpu->clock_mhz), .clock_max_mhz = whole(gpu->clock_max_mhz),
		.vram_used_bytes = whole(gpu->vram_used_bytes), .vram_total_bytes = whole(gpu->vram_total_bytes),
		.link_sent_bytes_per_s = gpu->sent, .link_received_bytes_per_s = gpu->received,
		.link_limit_bytes_per_s = gpu->pcie_limit, .temperature_c = gpu->temperature_c,
		.holder = holder_text(load, &scene->job), .nr_holders = scene->job.nr_holders + scene->job.nr_unseen,
		.sentence = sentence_of(load, watched->word, &set, lasted_ns(watched), &watched->figures, &places),
	};
}

/* ---- groups */

/* Words about processes: alike only where these are of one job. */
static bool names_process(enum bottleneck word)
{
	return word == BOTTLENECK_SHARED || word == BOTTLENECK_STUCK ||
	       (word >= BOTTLENECK_CHECKPOINT && word <= BOTTLENECK_HELD_IDLE);
}

static bool are_of_one_job(const struct scene *a, const struct scene *b)
{
	if (!a->job.main || !b->job.main)
		return a->job.main == b->job.main;
	return is_one_job(a->fold, a->job.main->pid, b->job.main->pid);
}

static bool are_alike(struct load *load, const struct scene *a, const struct scene *b)
{
	enum bottleneck word = watched_of(load, a)->word;

	if (word != watched_of(load, b)->word || strcmp(watched_of(load, a)->key, watched_of(load, b)->key) != 0)
		return false;
	if (word == BOTTLENECK_FAULTED && strcmp(a->fault_text, b->fault_text) != 0)
		return false;
	return !names_process(word) || are_of_one_job(a, b);
}

static struct load_reason *keep_reasons(struct load *load, const struct load_reasons *list)
{
	struct load_reason *items = arena_alloc(&load->arena, (list->nr + 1) * sizeof(*items));

	memcpy(items, list->items, list->nr * sizeof(*items));
	return items;
}

static void fill_group(struct load *load, const struct scene_set *set, size_t *gpus, struct load_group *ret)
{
	struct watched *first = watched_of(load, set->items[0]);
	const struct bottleneck_def *def = &bottleneck_defs[first->word];
	struct arena *arena = &load->arena;
	struct load_reasons shown, ruled_out;
	const bool many = set->nr > 1;
	struct places places;

	/* It was not the first of them before: its own figures are nearest. */
	if (!first->group_figures && first->figures)
		first->group_figures = xstrdup(first->figures);
	ret->sentence = sentence_of(load, first->word, set, lasted_ns(first), &first->group_figures, &places);
	reasons_shown(arena, first->word, set, &shown);
	reasons_ruled_out(arena, first->word, set, &ruled_out);
	*ret = (struct load_group){
		.word = first->word, .confidence = LOAD_SURE, .held_ns = first->held_ns,
		.nr_gpus = is_of_process(set->items[0]) ? 0 : set->nr, .gpus = gpus, .sentence = ret->sentence,
		.why = fill(arena, def->why, &places, many, false),
		.next = fill(arena, def->next, &places, many, false),
		.command = fill(arena, def->command, &places, many, true),
		.nr_shown = shown.nr, .shown = keep_reasons(load, &shown),
		.nr_ruled_out = ruled_out.nr, .ruled_out = keep_reasons(load, &ruled_out),
	};
	for (size_t i = 0; i < set->nr; i++) {
		struct watched *watched = watched_of(load, set->items[i]);
		enum load_confidence confidence = confidence_of(load, first->word, set->items[i]);

		if (i) {
			free(watched->group_figures);
			watched->group_figures = NULL;
		}
		if (confidence < ret->confidence)
			ret->confidence = confidence;
		if (watched->held_ns < ret->held_ns)
			ret->held_ns = watched->held_ns;
	}
}

static int compare_groups(const void *one, const void *other)
{
	const struct load_group *a = one, *b = other;

	if (bottleneck_defs[a->word].counts != bottleneck_defs[b->word].counts)
		return bottleneck_defs[a->word].counts > bottleneck_defs[b->word].counts ? -1 : 1;
	/* What was not judged is told last. */
	if (!a->word != !b->word)
		return a->word ? -1 : 1;
	if (a->nr_gpus != b->nr_gpus)
		return a->nr_gpus > b->nr_gpus ? -1 : 1;
	return (a->word > b->word) - (a->word < b->word);
}

static void fill_groups(struct load *load, const struct scenes *scenes)
{
	struct load_group *groups = arena_alloc(&load->arena, (scenes->nr + 1) * sizeof(*groups));
	bool *is_taken = arena_alloc(&load->arena, scenes->nr + 1);

	for (size_t i = 0; i < scenes->nr; i++) {
		const struct scene **items = arena_alloc(&load->arena, scenes->nr * sizeof(const struct scene *));
		size_t *gpus = arena_alloc(&load->arena, scenes->nr * sizeof(*gpus)), nr = 0;

		if (is_taken[i])
			continue;
		for (size_t k = i; k < scenes->nr; k++)
			if (!is_taken[k] && are_alike(load, &scenes->items[i], &scenes->items[k])) {
				is_taken[k] = true;
				gpus[nr] = k;
				items[nr++] = &scenes->items[k];
			}
		fill_group(load, &(struct scene_set){ .nr = nr, .items = items }, gpus,
			   &groups[load->view.nr_groups++]);
	}
	qsort(groups, load->view.nr_groups, sizeof(*groups), compare_groups);
	load->view.groups = groups;
}

/* ---- the node */

static const char *busiest_thread(struct load *load)
{
	const struct fold_thread *busiest = NULL;
	double most = 0.0;

	for (size_t i = 0; i < load->fold.threads.nr; i++) {
		const struct fold_thread *thread = fold_thread_at(&load->fold, i);
		double percent = (f64_or(mean_of(&thread->track, tick_thread, user_ns, &load->fold.span), 0.0) +
				  f64_or(mean_of(&thread->track, tick_thread, system_ns, &load->fold.span), 0.0)) / 1e7;

		if (percent > most) {
			most = percent;
			busiest = thread;
		}
	}
	if (!busiest)
		return "";
	return arena_printf(&load->arena, "%s %s %s", busiest->comm, busiest->track.key,
			    figure_text(&load->arena, UNIT_PERCENT, most));
}

static void fill_host(struct load *load, const struct scenes *scenes)
{
	struct load_host *host = &load->view.host;
	struct node_figures node;

	node_figures_of(&load->fold, &load->fold.span, &node);
	*host = (struct load_host){
		.cpu_busy_percent = node.cpu_busy, .io_full_percent = node.io_full,
		.memory_full_percent = node.memory_full,
		.swap_in_bytes_per_s = node.swap_in, .busiest_thread = busiest_thread(load),
		.disk = node.disk.name ? disk_text(&load->arena, &node.disk) : "",
		.network = node.port.name ? port_text(&load->arena, &node.port) : "",
	};
	for (size_t i = 0; i < scenes->nr; i++) {
		bool is_new = scenes->items[i].job.main;

		for (size_t k = 0; k < i && is_new; k++)
			is_new = scenes->items[k].job.main != scenes->items[i].job.main;
		host->workers += is_new ? scenes->items[i].job.workers : 0;
		host->workers_pegged += is_new ? scenes->items[i].job.pegged : 0;
	}
}

/* One that its library hung or crashed with is left alone from then on, while the others are asked. */
static const char *left_out_gpu(struct load *load)
{
	for (size_t i = 0; i < load->fold.nr_gpus; i++) {
		const struct fold_gpu *gpu = &load->fold.gpus[i];
		const struct val_head head = figure_of(&gpu->track, tick_gpu, busy_percent)->latest;

		if (head.state == VAL_TIMEOUT && head.why)
			return arena_printf(&load->arena, "GPU %zu is not asked any more: no answer %s", gpu->index,
					    head.why);
	}
	return NULL;
}

/* What a source reads, as its users call it. */
static const char *plain_name(const char *key)
{
	static const struct {
		const char *key, *name;
	} names[] = {
		{ "sample-nvml", "NVIDIA's management library" }, { "sample-files", "the GPU drivers' files" },
		{ "sample-tasks", "the processes' files" }, { "sample-host", "the node's files" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(key, names[i].key))
			return names[i].name;
	return key;
}

static const char *trouble_of(struct load *load)
{
	for (size_t i = 0; i < load->fold.sources.nr; i++) {
		const struct fold_source *source = (const struct fold_source *)load->fold.sources.items[i];
		const char *name = plain_name(source->track.key);
		const char *call = source->call[0] ? arena_printf(&load->arena, " (in %s)", source->call) : "";
		const char *time = figure_text(&load->arena, UNIT_S, floor((double)source->silent_ns / 1e9));

		if (source->lack[0])
			return arena_printf(&load->arena, "%s: not read: %s", name, source->lack);
		if (!strcmp(source->state, "late"))
			return arena_printf(&load->arena, "%s: no answer for %s%s", name, time, call);
		if (!strcmp(source->state, "stuck"))
			return arena_printf(&load->arena, "%s: stuck in the kernel for %s%s", name, time, call);
		if (!strcmp(source->state, "ended"))
			return arena_printf(&load->arena, "%s: its worker ended%s", name, call);
	}
	return left_out_gpu(load);
}

void load_fill_view(struct load *load, const struct scenes *scenes)
{
	struct load_view *view = &load->view;
	struct load_gpu *gpus = arena_alloc(&load->arena, (scenes->nr + 1) * sizeof(*gpus));

	*view = (struct load_view){
		.at_ns = load->fold.at_ns, .ticks = load->fold.ticks, .late = load->fold.late, .gpus = gpus,
		.trouble = trouble_of(load),
	};
	for (size_t i = 0; i < scenes->nr; i++)
		if (!is_of_process(&scenes->items[i]))
			fill_gpu(load, &scenes->items[i], &gpus[view->nr_gpus++]);
	fill_groups(load, scenes);
	fill_host(load, scenes);
	view->headline = view->nr_groups ? view->groups[0].sentence : "No GPU on this node, and no process to watch.";
}
