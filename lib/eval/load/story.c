// SPDX-License-Identifier: GPL-2.0-or-later
/* story.c - what the time was lost to, over the whole watch, in constant memory. */
#include "base/compat.h"
#include "eval/load/load_internal.h"

#include "base/alloc.h"
#include "eval/judge/subject.h"

/* A fault that was over sooner is no end of the job. */
#define FAULT_NS UINT64_C(10000000000)
/* Of a headline: shares below are left out, and one above stands alone. */
#define LEAST_SHARE 0.01
#define WHOLE_SHARE 0.95
enum { MAX_TOLD = 4 };

/* ---- with each tick */

static void spend(struct load *load, struct watched *watched, uint64_t elapsed_ns)
{
	/* What went by before the first word is counted for it. */
	if (!watched->has_word) {
		watched->pending_ns += elapsed_ns;
		return;
	}
	watched->spent_ns[watched->word] += elapsed_ns + watched->pending_ns;
	load->words[watched->word].ns += elapsed_ns + watched->pending_ns;
	watched->pending_ns = 0;
}

void load_spend(struct load *load, const struct scenes *scenes)
{
	bool is_on[NR_BOTTLENECKS] = { false };

	for (size_t i = 0; i < scenes->nr; i++) {
		struct watched *watched = watched_of(load, &scenes->items[i]);

		spend(load, watched, scenes->elapsed_ns);
		is_on[watched->word] |= watched->has_word;
	}
	for (enum bottleneck i = 0; i < NR_BOTTLENECKS; i++) {
		load->words[i].times += is_on[i] && !load->words[i].is_on;
		load->words[i].is_on = is_on[i];
	}
}

static void keep(char **kept, const char *text)
{
	if (*kept && text && !strcmp(*kept, text))
		return;
	free(*kept);
	*kept = text ? xstrdup(text) : NULL;
}

/* The latest of each word; of several groups with one word that of the largest, which stands first. */
void load_keep_sentences(struct load *load)
{
	for (size_t i = load->view.nr_groups; i-- > 0;) {
		const struct load_group *group = &load->view.groups[i];
		struct word_story *story = &load->words[group->word];

		keep(&story->sentence, group->sentence);
		keep(&story->next, group->next);
		keep(&story->command, group->command);
	}
}

/* ---- at the end */

static uint64_t total_ns(const struct load *load)
{
	uint64_t sum = 0;

	for (enum bottleneck i = 0; i < NR_BOTTLENECKS; i++)
		sum += load->words[i].ns;
	return sum;
}

static int compare_phases(const void *one, const void *other)
{
	const struct load_phase *a = one, *b = other;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return (a->word > b->word) - (a->word < b->word);
}

static void fill_phases(struct load *load, struct load_story *ret)
{
	struct load_phase *phases = arena_alloc(&load->story_arena, NR_BOTTLENECKS * sizeof(*phases));
	uint64_t all_ns = total_ns(load);

	for (enum bottleneck i = 0; i < NR_BOTTLENECKS; i++) {
		const struct word_story *word = &load->words[i];

		if (!word->ns)
			continue;
		phases[ret->nr_phases++] = (struct load_phase){
			.word = i, .share = (double)word->ns / (double)all_ns,
			/* All GPUs go through the same time. */
			.ns = (uint64_t)((double)load->fold.watched_ns * (double)word->ns / (double)all_ns),
			.times = word->times,
			.sentence = word->sentence ? arena_strdup(&load->story_arena, word->sentence) : "",
		};
	}
	qsort(phases, ret->nr_phases, sizeof(*phases), compare_phases);
	ret->phases = phases;
}

/* ---- each GPU */

static struct load_gpu_story story_of(const struct load *load, size_t place)
{
	const struct watched *watched = &load->watched[place];
	struct load_gpu_story story = { .index = load->fold.gpus[place].index };
	uint64_t sum = 0;

	for (enum bottleneck i = 0; i < NR_BOTTLENECKS; i++) {
		sum += watched->spent_ns[i];
		if (watched->spent_ns[i] > watched->spent_ns[story.word])
			story.word = i;
	}
	story.share = sum ? (double)watched->spent_ns[story.word] / (double)sum : 0.0;
	return story;
}

static void mark_odd_ones(struct load_gpu_story *gpus, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		size_t alike = 0;

		for (size_t k = 0; k < nr; k++)
			alike += gpus[k].word == gpus[i].word;
		/* Of two that differ, neither is the odd one. */
		gpus[i].differs = nr > 2 && 2 * alike < nr;
	}
}

static void fill_gpus(struct load *load, struct load_story *ret)
{
	struct load_gpu_story *gpus = arena_alloc(&load->story_arena, (load->fold.nr_gpus + 1) * sizeof(*gpus));

	for (size_t place = 0; place < load->fold.nr_gpus; place++)
		if (story_of(load, place).share > 0.0)
			gpus[ret->nr_gpus++] = story_of(load, place);
	mark_odd_ones(gpus, ret->nr_gpus);
	ret->gpus = gpus;
}

/* ---- the whole */

static void add_share(struct strbuf *out, double share, const char *phase)
{
	strbuf_addf(out, "%s%.0f %% %s", out->len ? ", " : "", share * 100.0, phase);
}

static void add_odd_ones(struct strbuf *out, const struct load_story *story)
{
	size_t nr = 0;

	for (size_t i = 0; i < story->nr_gpus; i++)
		nr += story->gpus[i].differs;
	for (size_t i = 0; nr <= 2 && i < story->nr_gpus; i++)
		/* The main word has its own sentence. */
		if (story->gpus[i].differs && story->gpus[i].word != story->word)
			strbuf_addf(out, "; GPU %zu differs: %.0f %% %s", story->gpus[i].index,
				    story->gpus[i].share * 100.0, bottleneck_defs[story->gpus[i].word].phase);
}

static const struct load_phase *phase_of(const struct load_story *story, enum bottleneck word)
{
	for (size_t i = 0; i < story->nr_phases; i++)
		if (story->phases[i].word == word)
			return &story->phases[i];
	return NULL;
}

/* What decides, and what most of the time went to, where that is something else. */
static const char *headline_of(struct load *load, const struct load_story *story)
{
	const struct load_phase *decides = phase_of(story, story->word);
	STRBUF_AUTO text = STRBUF_INIT;

	if (!story->nr_phases)
		return arena_strdup(&load->story_arena, load->view.headline);
	for (size_t i = 0; i < story->nr_phases && i < MAX_TOLD && story->phases[0].share < WHOLE_SHARE; i++)
		if (story->phases[i].share >= LEAST_SHARE)
			add_share(&text, story->phases[i].share, bottleneck_defs[story->phases[i].word].phase);
	strbuf_addf(&text, "%s%s", text.len ? ": " : "", decides ? decides->sentence : story->phases[0].sentence);
	if (decides && decides != &story->phases[0])
		strbuf_addf(&text, "; %s", story->phases[0].sentence);
	add_odd_ones(&text, story);
	return arena_strdup(&load->story_arena, text.buf);
}

static enum bottleneck_counts counts_of(enum bottleneck word)
{
	return bottleneck_defs[word].counts;
}

/*
 * A fault, however short; else what most of the time was lost to; or, where that is nothing to remove, what a GPU has
 * to remove: the others may wait for it, or be another job's.
 */
static enum bottleneck main_word(const struct load *load, const struct load_story *story)
{
	const struct word_story *faulted = &load->words[BOTTLENECK_FAULTED];
	enum bottleneck most = story->nr_phases ? story->phases[0].word : BOTTLENECK_NOT_JUDGED;

	if (faulted->is_on || faulted->ns >= FAULT_NS)
		return BOTTLENECK_FAULTED;
	for (size_t i = 0; i < story->nr_gpus && counts_of(most) != COUNTS_REMOVABLE; i++)
		if (counts_of(story->gpus[i].word) == COUNTS_REMOVABLE)
			return story->gpus[i].word;
	return most;
}

static int exit_status_of(enum bottleneck word)
{
	if (word == BOTTLENECK_FAULTED)
		return 2;
	if (word == BOTTLENECK_NOT_JUDGED)
		return 3;
	return counts_of(word) == COUNTS_REMOVABLE ? 1 : 0;
}

const struct load_story *load_story(struct load *load)
{
	struct load_story *story = &load->story;
	const struct word_story *word;

	arena_release(&load->story_arena);
	*story = (struct load_story){
		.watched_ns = load->fold.watched_ns, .ticks = load->fold.ticks, .late = load->fold.late,
	};
	fill_phases(load, story);
	fill_gpus(load, story);
	story->word = main_word(load, story);
	story->headline = headline_of(load, story);
	story->exit_status = exit_status_of(story->word);
	word = &load->words[story->word];
	if (story->nr_phases) {
		story->next = word->next ? arena_strdup(&load->story_arena, word->next) : NULL;
		story->command = word->command ? arena_strdup(&load->story_arena, word->command) : NULL;
	}
	return story;
}
