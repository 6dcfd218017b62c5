// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fleet_cause.c - what figures out of line have in common: a node, a slot, a rack, a batch of cards.
 *
 * Metric by metric: the place that explains most of them, then of what is left the next, until what is left are single
 * cards. A place explains its figures where most of those measured there are out of line, or, of slots and batches,
 * where they are many times as often as elsewhere; and where so many would not fall there by chance. What a place costs
 * its GPUs is their median; one that is far worse than that has a cause of its own beside it.
 */
#include "base/compat.h"
#include "eval/fleet/fleet_internal.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/fnv.h"
#include "base/stats.h"
#include "base/text.h"

enum { LEAST_SHARED = 3, LEAST_SERIAL = 8, LEAST_PREFIX = 4, TIMES_AS_OFTEN = 20, BATCH_LENGTHS = 4 };

struct causes;

/* How many GPUs that were measured a place has, and on how many nodes. */
struct place_count {
	uint64_t key;
	uint32_t gpus, nodes;
};

/* A kind of place: which one a GPU is in; 0: in none. */
struct level {
	const char *name;
	uint64_t (*place_of)(const struct causes *causes, const struct level *level, uint32_t gpu);
	size_t number;			/* of the label; of the digits that a batch leaves out */
	bool is_of_nodes;		/* all GPUs of a node are in one place */
	struct place_count *counts;		/* of all places, by key */
	size_t nr_counts;
};

/* A place where figures are out of line. */
struct place {
	uint32_t level;
	uint64_t key;
	uint32_t example;		/* a GPU there */
	uint32_t bad, nodes, of, of_nodes;	/* figures out of line, on how many nodes; of all measured there */
	double chance;
};

struct causes {
	struct fleet *fleet;
	double most_chance, deviations;
	struct level *levels;
	size_t nr_levels;
	uint32_t metric;
	struct fleet_outlier *outliers;		/* of the metric, by GPU */
	size_t nr;
	struct place *places;
	size_t nr_places, room_places;
	struct place *chosen;			/* the places that are causes already, of this metric */
	size_t nr_chosen;
	uint32_t *measured;			/* GPUs with the metric, of reports that judge, by GPU */
	size_t nr_measured, nr_measured_nodes;
};

/* ---- levels */

static uint64_t node_of(const struct causes *causes, const struct level *level, uint32_t gpu)
{
	(void)level;
	return causes->fleet->gpus[gpu].record + UINT64_C(1);
}

/* Slots of one model of machine, with one model of GPU. */
static uint64_t slot_of(const struct causes *causes, const struct level *level, uint32_t gpu)
{
	const struct fleet_gpu *g = &causes->fleet->gpus[gpu];
	const uint32_t parts[] = { record_of(causes->fleet, g)->product, g->model, slot_of_gpu(g) };
	uint64_t hash = FNV_START;

	(void)level;
	for (size_t i = 0; i < sizeof(parts); i++)
		hash = fnv_byte(hash, ((const unsigned char *)parts)[i]);
	return hash;
}

static uint64_t label_of(const struct causes *causes, const struct level *level, uint32_t gpu)
{
	return causes->fleet->labels[level->number].of_record[causes->fleet->gpus[gpu].record];
}

static uint64_t product_of(const struct causes *causes, const struct level *level, uint32_t gpu)
{
	(void)level;
	return record_of(causes->fleet, &causes->fleet->gpus[gpu])->product;
}

static uint64_t kernel_of(const struct causes *causes, const struct level *level, uint32_t gpu)
{
	(void)level;
	return record_of(causes->fleet, &causes->fleet->gpus[gpu])->kernel;
}

/* Cards whose serial numbers differ in their last digits alone. The prefix is a text of its own. */
static uint64_t batch_of(const struct causes *causes, const struct level *level, uint32_t gpu)
{
	const char *serial = texts_get(&causes->fleet->texts, causes->fleet->gpus[gpu].serial);
	size_t len = serial ? strlen(serial) : 0;

	if (len < LEAST_SERIAL || len - level->number < LEAST_PREFIX)
		return 0;
	return texts_add(&causes->fleet->texts, serial, len - level->number);
}

static void add_level(struct causes *causes, struct level level)
{
	causes->levels = fleet_append(causes->levels, causes->nr_levels, sizeof(*causes->levels));
	causes->levels[causes->nr_levels++] = level;
}

static void add_levels(struct causes *causes)
{
	for (size_t i = 0; i < causes->fleet->nr_labels; i++)
		add_level(causes, (struct level){ causes->fleet->labels[i].name, label_of, i, true, NULL, 0 });
	add_level(causes, (struct level){ "slot", slot_of, 0, false, NULL, 0 });
	for (size_t digits = BATCH_LENGTHS + 2; digits > 2; digits--)
		add_level(causes, (struct level){ "serial-batch", batch_of, digits, false, NULL, 0 });
	add_level(causes, (struct level){ "product", product_of, 0, true, NULL, 0 });
	add_level(causes, (struct level){ "kernel", kernel_of, 0, true, NULL, 0 });
	add_level(causes, (struct level){ "node", node_of, 0, true, NULL, 0 });
}

static const char *name_of(const struct causes *causes, const struct place *place)
{
	const struct level *level = &causes->levels[place->level];
	struct fleet *fleet = causes->fleet;

	if (level->place_of == node_of)
		return fleet_node_name(fleet, &fleet->records[place->key - 1]);
	if (level->place_of == slot_of)
		return texts_get(&fleet->texts, slot_of_gpu(&fleet->gpus[place->example]));
	return texts_get(&fleet->texts, (text_id)place->key);
}

/* ---- how many fall into a place by chance */

/* The logarithm of how many ways there are to take k of n. */
static double log_choose(double n, double k)
{
	int sign;

	return lgamma_r(n + 1, &sign) - lgamma_r(k + 1, &sign) - lgamma_r(n - k + 1, &sign);
}

/* Hypergeometric tail: at least `bad` of the `all_bad` among `all` lie in a place of `of`. */
static double chance_of(uint32_t bad, uint32_t of, uint32_t all_bad, size_t all)
{
	uint32_t most = of < all_bad ? of : all_bad;
	double total = log_choose((double)all, of), sum = 0.0;

	for (uint32_t k = bad; k <= most; k++) {
		if ((double)of - k > (double)all - all_bad)
			continue;
		sum += exp(log_choose(all_bad, k) + log_choose((double)all - all_bad, (double)of - k) - total);
	}
	return sum < 1.0 ? sum : 1.0;
}

/* ---- places */

struct keyed {
	uint64_t key;
	uint32_t gpu, record;
};

static int compare_keyed(const void *a, const void *b)
{
	const struct keyed *one = a, *other = b;

	if (one->key != other->key)
		return one->key < other->key ? -1 : 1;
	return (one->gpu > other->gpu) - (one->gpu < other->gpu);
}

/* GPUs with their places of a level, by place; nr of those that have one. */
static size_t key_gpus(const struct causes *causes, const struct level *level, const uint32_t *gpus, size_t nr,
		       struct keyed *ret)
{
	size_t kept = 0;

	for (size_t i = 0; i < nr; i++) {
		uint64_t key = level->place_of(causes, level, gpus[i]);

		if (key)
			ret[kept++] = (struct keyed){ key, gpus[i], causes->fleet->gpus[gpus[i]].record };
	}
	qsort(ret, kept, sizeof(*ret), compare_keyed);
	return kept;
}

/* The GPUs of one place from `from` on, and on how many nodes: behind them. */
static size_t count_place(const struct keyed *keyed, size_t from, size_t nr, uint32_t *ret_nr, uint32_t *ret_nodes)
{
	size_t end = from;

	*ret_nodes = 0;
	for (; end < nr && keyed[end].key == keyed[from].key; end++)
		*ret_nodes += end == from || keyed[end].record != keyed[end - 1].record;
	*ret_nr = (uint32_t)(end - from);
	return end;
}

static uint32_t count_nodes(const struct causes *causes, const uint32_t *gpus, size_t nr)
{
	uint32_t nodes = 0;

	for (size_t i = 0; i < nr; i++)
		nodes += !i || causes->fleet->gpus[gpus[i]].record != causes->fleet->gpus[gpus[i - 1]].record;
	return nodes;
}

/* Those of the metric that no cause has yet, by GPU. */
static size_t open_gpus(const struct causes *causes, uint32_t *ret)
{
	size_t nr = 0;

	for (size_t i = 0; i < causes->nr; i++)
		if (!causes->outliers[i].cause)
			ret[nr++] = causes->outliers[i].gpu;
	return nr;
}

/* Counts the places of each level, where other GPUs were measured than in the metric before. */
static void count_places(struct causes *causes)
{
	struct keyed *all = xcalloc(causes->nr_measured + 1, sizeof(*all));

	for (size_t l = 0; l < causes->nr_levels; l++) {
		struct level *level = &causes->levels[l];
		size_t nr = key_gpus(causes, level, causes->measured, causes->nr_measured, all);

		level->nr_counts = 0;
		for (size_t i = 0, end; i < nr; i = end) {
			struct place_count count = { .key = all[i].key };

			end = count_place(all, i, nr, &count.gpus, &count.nodes);
			level->counts = fleet_append(level->counts, level->nr_counts, sizeof(*level->counts));
			level->counts[level->nr_counts++] = count;
		}
	}
	free(all);
}

static int compare_counts(const void *a, const void *b)
{
	const struct place_count *one = a, *other = b;

	return (one->key > other->key) - (one->key < other->key);
}

/* Does it explain its figures? */
static bool explains(const struct causes *causes, struct place *place, uint32_t all_bad, uint32_t all_bad_nodes)
{
	const struct level *level = &causes->levels[place->level];
	double elsewhere = (double)(all_bad - place->bad) / ((double)(causes->nr_measured - place->of) + 1.0);
	bool is_most = place->bad * 2 >= place->of;

	if (level->place_of == node_of) {
		place->chance = chance_of(place->bad, place->of, all_bad, causes->nr_measured);
		return is_most && (place->bad >= LEAST_SHARED || (place->bad == place->of && place->bad > 1));
	}
	/* That all the fleet is in it explains nothing. */
	if (place->bad < LEAST_SHARED || place->nodes < 2 || place->of * 2 > causes->nr_measured)
		return false;
	/*
	 * Of a node's GPUs one that is slow is seldom alone: there, nodes are what is counted. Each place might have
	 * been it.
	 */
	place->chance = level->is_of_nodes ?
			chance_of(place->nodes, place->of_nodes, all_bad_nodes, causes->nr_measured_nodes) :
			chance_of(place->bad, place->of, all_bad, causes->nr_measured);
	place->chance = fmin(1.0, place->chance * (double)level->nr_counts);
	if (place->chance > causes->most_chance)
		return false;
	return is_most || (!level->is_of_nodes && place->bad > TIMES_AS_OFTEN * elsewhere * place->of);
}

static bool is_chosen(const struct causes *causes, const struct place *place)
{
	for (size_t i = 0; i < causes->nr_chosen; i++)
		if (causes->chosen[i].level == place->level && causes->chosen[i].key == place->key)
			return true;
	return false;
}

/* The places of a level where figures are out of line that no cause has yet. */
static void find_places(struct causes *causes, uint32_t number, const uint32_t *open, size_t nr_open)
{
	const struct level *level = &causes->levels[number];
	struct keyed *bad = xcalloc(nr_open + 1, sizeof(*bad));
	size_t nr_bad = key_gpus(causes, level, open, nr_open, bad);
	uint32_t bad_nodes = count_nodes(causes, open, nr_open);

	for (size_t i = 0, end; i < nr_bad; i = end) {
		struct place place = { .level = number, .key = bad[i].key, .example = bad[i].gpu };
		const struct place_count key = { .key = place.key };
		const struct place_count *count =
			level->nr_counts ? bsearch(&key, level->counts, level->nr_counts, sizeof(key), compare_counts)
					 : NULL;

		end = count_place(bad, i, nr_bad, &place.bad, &place.nodes);
		place.of = count ? count->gpus : place.bad;
		place.of_nodes = count ? count->nodes : place.nodes;
		if (is_chosen(causes, &place) || !explains(causes, &place, (uint32_t)nr_open, bad_nodes))
			continue;
		causes->places =
			fleet_grow(causes->places, causes->nr_places, &causes->room_places, sizeof(*causes->places));
		causes->places[causes->nr_places++] = place;
	}
	free(bad);
}

/*
 * The one that explains most first; of two alike the one with fewer good ones in it, then in the order of the levels.
 */
static int compare_places(const void *a, const void *b)
{
	const struct place *one = a, *other = b;

	if (one->bad != other->bad)
		return one->bad > other->bad ? -1 : 1;
	if (one->of != other->of)
		return one->of < other->of ? -1 : 1;
	if (one->level != other->level)
		return one->level < other->level ? -1 : 1;
	return (one->key > other->key) - (one->key < other->key);
}

/* Another level's place with just the same GPUs: the figures cannot tell which of the two it is. */
static const char *also(const struct causes *causes, const struct place *chosen)
{
	for (size_t i = 0; i < causes->nr_places; i++) {
		const struct place *place = &causes->places[i];
		const char *level = causes->levels[place->level].name;

		if (place->level != chosen->level && place->bad == chosen->bad && place->of == chosen->of &&
		    strcmp(level, causes->levels[chosen->level].name) != 0)
			return arena_printf(&causes->fleet->arena, "%s %s", level, name_of(causes, place));
	}
	return NULL;
}

/* Those of the place that no cause has yet; how many. */
static size_t find_members(const struct causes *causes, const struct place *place, struct fleet_outlier **ret)
{
	const struct level *level = &causes->levels[place->level];
	size_t nr = 0;

	for (size_t i = 0; i < causes->nr; i++) {
		struct fleet_outlier *outlier = &causes->outliers[i];

		if (!outlier->cause && level->place_of(causes, level, outlier->gpu) == place->key)
			ret[nr++] = outlier;
	}
	return nr;
}

/*
 * What is common to the members of a place, how much worse they are; and from how much on one has a cause of its own.
 */
static double common_of(const struct causes *causes, struct fleet_outlier *const *members, size_t nr, double *ret_limit)
{
	const struct fleet_metric *metric = &causes->fleet->metrics[causes->metric];
	double *worse = xcalloc(nr, sizeof(*worse)), common, deviation;

	for (size_t i = 0; i < nr; i++)
		worse[i] = members[i]->worse;
	stats_sort(worse, nr);
	common = worse[nr / 2];
	for (size_t i = 0; i < nr; i++)
		worse[i] = fabs(worse[i] - common);
	stats_sort(worse, nr);
	deviation = fmax(MAD_TO_DEVIATION * worse[nr / 2], metric->is_absolute ? LEAST_DEGREES : LEAST_DEVIATION);
	*ret_limit = common + fmax(metric->floor, causes->deviations * deviation);
	free(worse);
	return common;
}

/* Adds the place as a cause, where nothing of what it explains was explained by another in between. */
static bool add_cause(struct causes *causes, const struct place *place)
{
	struct fleet *fleet = causes->fleet;
	struct fleet_outlier **members = xcalloc(causes->nr, sizeof(struct fleet_outlier *));
	size_t nr = find_members(causes, place, members);
	uint32_t number = (uint32_t)fleet->nr_causes + 1;
	double common, limit;

	if (nr != place->bad) {
		free(members);
		return false;
	}
	common = common_of(causes, members, nr, &limit);
	fleet->causes = fleet_append(fleet->causes, fleet->nr_causes, sizeof(*fleet->causes));
	fleet->causes[fleet->nr_causes++] = (struct fleet_cause){
		.level = causes->levels[place->level].name, .value = name_of(causes, place), .metric = causes->metric,
		.of = place->of, .chance = place->chance, .worse = common, .also = also(causes, place),
		.within = members[0]->within ? fleet_place_phrase(&fleet->arena,
			&fleet->causes[members[0]->within - 1]) : NULL,
	};
	for (size_t i = 0; i < nr; i++) {
		if (members[i]->worse <= limit) {
			members[i]->cause = number;
			fleet->causes[number - 1].bad++;
			continue;
		}
		members[i]->within = number;
		members[i]->is_population = members[i]->is_doubtful = false;
	}
	causes->chosen = fleet_append(causes->chosen, causes->nr_chosen, sizeof(*causes->chosen));
	causes->chosen[causes->nr_chosen++] = *place;
	free(members);
	return true;
}

/*
 * What is left of a group's worse population once racks and batches took theirs: fewer than a population are cards
 * again.
 */
static void break_up_populations(struct causes *causes)
{
	struct fleet *fleet = causes->fleet;
	uint32_t *left = xcalloc(fleet->nr_groups + 1, sizeof(*left));

	for (size_t i = 0; i < causes->nr; i++)
		if (!causes->outliers[i].cause && causes->outliers[i].is_population)
			left[fleet->gpus[causes->outliers[i].gpu].group - 1]++;
	for (size_t i = 0; i < causes->nr; i++) {
		uint32_t group = fleet->gpus[causes->outliers[i].gpu].group - 1;

		if (left[group] < fleet_population_least(fleet->groups[group].nr_gpus))
			causes->outliers[i].is_population = false;
	}
	free(left);
}

/* What is left are cards, each by itself. */
static void add_cards(struct causes *causes)
{
	struct fleet *fleet = causes->fleet;

	for (size_t i = 0; i < causes->nr; i++) {
		struct fleet_outlier *outlier = &causes->outliers[i];
		const struct fleet_gpu *gpu = &fleet->gpus[outlier->gpu];

		if (outlier->cause || outlier->is_population || outlier->is_doubtful)
			continue;
		fleet->causes = fleet_append(fleet->causes, fleet->nr_causes, sizeof(*fleet->causes));
		fleet->causes[fleet->nr_causes++] = (struct fleet_cause){
			.level = "card", .metric = causes->metric, .bad = 1, .of = 1, .chance = 1.0,
			.value = arena_printf(&fleet->arena, "%s GPU %u", fleet_node_name(fleet, record_of(fleet, gpu)),
					      gpu->index),
			.worse = outlier->worse,
			.within = outlier->within ?
				  fleet_place_phrase(&fleet->arena, &fleet->causes[outlier->within - 1]) : NULL,
		};
		outlier->cause = (uint32_t)fleet->nr_causes;
	}
}

static void explain_metric(struct causes *causes)
{
	uint32_t *open = xcalloc(causes->nr + 1, sizeof(*open));
	bool found;

	do {
		size_t nr_open = open_gpus(causes, open);

		found = false;
		causes->nr_places = 0;
		for (uint32_t i = 0; i < causes->nr_levels && nr_open > 1; i++)
			find_places(causes, i, open, nr_open);
		if (causes->nr_places)
			qsort(causes->places, causes->nr_places, sizeof(*causes->places), compare_places);
		for (size_t i = 0; i < causes->nr_places; i++)
			found |= add_cause(causes, &causes->places[i]);
	} while (found);
	break_up_populations(causes);
	add_cards(causes);
	free(open);
}

static int compare_numbers(const void *a, const void *b)
{
	uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;

	return (one > other) - (one < other);
}

/* Most metrics were measured on the same GPUs: their places are counted once. */
static void measure(struct causes *causes)
{
	const struct fleet *fleet = causes->fleet;
	const struct fleet_metric *metric = &fleet->metrics[causes->metric];
	uint32_t *gpus = xcalloc(metric->nr + 1, sizeof(*gpus));
	size_t nr = 0;

	for (size_t i = 0; i < metric->nr; i++)
		if (record_of(fleet, &fleet->gpus[metric->values[i].gpu])->standing == RECORD_JUDGES)
			gpus[nr++] = metric->values[i].gpu;
	qsort(gpus, nr, sizeof(*gpus), compare_numbers);
	if (causes->measured && nr == causes->nr_measured && !memcmp(gpus, causes->measured, nr * sizeof(*gpus))) {
		free(gpus);
		return;
	}
	free(causes->measured);
	causes->measured = gpus;
	causes->nr_measured = nr;
	causes->nr_measured_nodes = count_nodes(causes, gpus, nr);
	count_places(causes);
}

static int by_metric(const void *a, const void *b)
{
	const struct fleet_outlier *one = a, *other = b;

	if (one->metric != other->metric)
		return one->metric < other->metric ? -1 : 1;
	return (one->gpu > other->gpu) - (one->gpu < other->gpu);
}

static int by_gpu(const void *a, const void *b)
{
	const struct fleet_outlier *one = a, *other = b;

	if (one->gpu != other->gpu)
		return one->gpu < other->gpu ? -1 : 1;
	return (one->metric > other->metric) - (one->metric < other->metric);
}

static void sort_outliers(struct fleet *fleet, int (*order)(const void *, const void *))
{
	if (fleet->nr_outliers)
		qsort(fleet->outliers, fleet->nr_outliers, sizeof(*fleet->outliers), order);
}

/* Two measurements that are doubtful alone, and agree on a GPU, are not, unless they measure one thing twice. */
static void believe_two(struct fleet *fleet)
{
	sort_outliers(fleet, by_gpu);
	for (size_t i = 0, end; i < fleet->nr_outliers; i = end) {
		unsigned families = 0;

		for (end = i; end < fleet->nr_outliers && fleet->outliers[end].gpu == fleet->outliers[i].gpu; end++)
			if (!fleet->outliers[end].is_population)
				families |= 1U << fleet->metrics[fleet->outliers[end].metric].family;
		for (size_t k = i; k < end && families & (families - 1); k++)
			fleet->outliers[k].is_doubtful = false;
	}
}

/* What has no cause is no outlier: one of two populations, or doubtful. */
static void drop_unexplained(struct fleet *fleet)
{
	size_t kept = 0;

	sort_outliers(fleet, by_gpu);
	for (size_t i = 0; i < fleet->nr_outliers; i++)
		if (fleet->outliers[i].cause)
			fleet->outliers[kept++] = fleet->outliers[i];
	fleet->nr_outliers = kept;
}

/* Which outliers each cause has; `bad` is how many they are. */
static void list_members(struct fleet *fleet)
{
	uint32_t first = 0;

	fleet->members = xcalloc(fleet->nr_outliers + 1, sizeof(*fleet->members));
	for (size_t i = 0; i < fleet->nr_causes; i++) {
		fleet->causes[i].first_member = first;
		first += fleet->causes[i].bad;
		fleet->causes[i].bad = 0;
	}
	for (uint32_t i = 0; i < fleet->nr_outliers; i++) {
		struct fleet_cause *cause = &fleet->causes[fleet->outliers[i].cause - 1];

		fleet->members[cause->first_member + cause->bad++] = i;
	}
}

void fleet_find_causes(struct fleet *fleet, const struct policy *policy)
{
	struct causes causes = { .fleet = fleet, .most_chance = policy->fleet_chance_ratio,
				 .deviations = policy->fleet_deviations };

	believe_two(fleet);
	sort_outliers(fleet, by_metric);
	add_levels(&causes);
	for (size_t i = 0, end; i < fleet->nr_outliers; i = end) {
		causes.metric = fleet->outliers[i].metric;
		for (end = i; end < fleet->nr_outliers && fleet->outliers[end].metric == causes.metric; end++)
			;
		causes.outliers = fleet->outliers + i;
		causes.nr = end - i;
		causes.nr_chosen = 0;
		measure(&causes);
		explain_metric(&causes);
	}
	drop_unexplained(fleet);
	fleet_look_back(fleet);
	fleet_order_causes(fleet);
	list_members(fleet);
	for (size_t i = 0; i < causes.nr_levels; i++)
		free(causes.levels[i].counts);
	free(causes.levels);
	free(causes.places);
	free(causes.chosen);
	free(causes.measured);
}
