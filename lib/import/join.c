// SPDX-License-Identifier: GPL-2.0-or-later
/* join.c - the parts of all texts as one snapshot: each is read by itself, the better ones first. */
#include "base/compat.h"
#include "import/join.h"
#include "import/machines.h"
#include "import/overlay.h"
#include "import/part_times.h"

#include "base/text.h"
#include "snapshot/gpus.h"
#include "snapshot/list_keys.h"

/* A part that is read by itself, and what it goes by among those of its rank. */
struct ranked {
	const struct dump_part *part;
	int64_t clock_s;
};

/* The better ones first; of one rank the newer, and of no other age the later: what was pasted last, as a rule. */
static int by_rank(const void *a, const void *b)
{
	const struct ranked *left = a, *right = b;
	int rank_a = dump_source(left->part->kind)->rank, rank_b = dump_source(right->part->kind)->rank;

	if (rank_a != rank_b)
		return rank_a > rank_b ? -1 : 1;
	if (left->clock_s != right->clock_s)
		return left->clock_s > right->clock_s ? -1 : 1;
	return left->part > right->part ? -1 : 1;
}

/* Those that somebody reads by themselves; logs are joined first. */
static const struct dump_part **in_order(struct arena *arena, const struct dump_parts *parts, size_t *ret_nr)
{
	const struct dump_part **ret = arena_alloc(arena, (parts->nr + 1) * sizeof(*ret));
	struct ranked *ranked = arena_alloc(arena, (parts->nr + 1) * sizeof(*ranked));
	int64_t newest_s[NR_RANKS] = { 0 };
	size_t nr = 0;

	for (size_t i = 0; i < parts->nr; i++) {
		const struct dump_part *part = &parts->v[i];
		const struct dump_source *source = dump_source(part->kind);

		if (source->read)
			ranked[nr++] = (struct ranked){
				.part = part, .clock_s = part_time_in_order(part, &newest_s[source->rank]),
			};
	}
	if (nr)
		qsort(ranked, nr, sizeof(*ranked), by_rank);
	for (size_t i = 0; i < nr; i++)
		ret[i] = ranked[i].part;
	*ret_nr = nr;
	return ret;
}

/* Is each of its GPUs one for sure, with an address? Then no other part can tell more of who they are. */
static bool are_all_named(const struct snapshot *part)
{
	for (size_t i = 0; i < part->nr_gpus; i++)
		if (!gpu_has_address(&part->gpus[i]) || join_may_be_no_gpu(&part->gpus[i]))
			return false;
	return true;
}

/* Parts that were read, the better ones first. */
struct join {
	struct snapshot *base;		/* what all tell */
	const struct dump_parts *parts;
	struct snapshot named;		/* GPUs by their addresses */
	struct waiting {
		const struct dump_part *part;
		struct snapshot *told;
	} *waiting;			/* for parts that tell who their GPUs are, and for those before them */
	size_t nr_waiting;
	struct machine_hosts hosts;
	struct join_ages ages;
	const char *why;		/* the texts are of two machines; NULL: they are not */
};

static void overlay_part(struct join *join, const struct dump_part *part, struct snapshot *told)
{
	struct snapshot *base = join->base;

	join_take_age(&join->ages, base, part, told);
	join->why = join->why ? join->why : machines_differ(&base->arena, join->parts, base, told);
	join->why = join->why ? join->why
			      : machines_of_prompts_differ(&base->arena, &join->hosts, base, part, told, join->parts);
	snapshot_overlay(base, told);
}

/* So many are read before they are joined. */
enum { AT_ONCE = 256 };

/* Each in memory of its own, as most of what a part tells is told by others, too. */
struct told {
	const struct dump_part *part;
	struct snapshot snapshot;
};

static void join_part(struct join *join, struct told *told)
{
	struct arena *arena = &join->base->arena;
	struct snapshot *kept;

	join_note_addresses(arena, &join->named, &told->snapshot, told->part->told);
	if (!join->nr_waiting && are_all_named(&told->snapshot)) {
		overlay_part(join, told->part, &told->snapshot);
		return;
	}
	kept = arena_alloc(arena, sizeof(*kept));
	join->waiting = arena_grow(arena, join->waiting, join->nr_waiting, sizeof(*join->waiting));
	join->waiting[join->nr_waiting++] = (struct waiting){ .part = told->part, .told = kept };
	snapshot_add(arena, kept, &told->snapshot);
}

static int by_key(const void *a, const void *b)
{
	return key_compare(*(const char *const *)a, *(const char *const *)b);
}

/*
 * GPUs that are for sure get their places at once: of a dump with thousands, a command each, the last of which is read
 * first, each would move all others.
 */
static void add_gpus(struct join *join, const struct told *told, size_t nr)
{
	struct arena *arena = &join->base->arena;
	const char **keys = NULL;
	size_t nr_keys = 0, nr_own = 0;

	for (size_t i = 0; i < nr && !join->nr_waiting; i++)
		for (size_t k = 0; k < told[i].snapshot.nr_gpus && are_all_named(&told[i].snapshot); k++) {
			keys = arena_grow(arena, keys, nr_keys, sizeof(*keys));
			keys[nr_keys++] = str_or(told[i].snapshot.gpus[k].key, "");
		}
	if (!nr_keys)
		return;
	qsort(keys, nr_keys, sizeof(*keys), by_key);
	for (size_t i = 0; i < nr_keys; i++)
		if (!nr_own || strcmp(keys[nr_own - 1], keys[i]) != 0)
			keys[nr_own++] = keys[i];
	list_add_keys(arena, join->base, gpus, gpu, keys, nr_own);
	list_add_keys(arena, &join->named, gpus, gpu, keys, nr_own);
}

/* A part's notes stand beside those of others, and not below them. */
static void take_notes(struct join *join, struct snapshot *told)
{
	struct arena *arena = &join->base->arena;
	struct strs *notes = &join->base->run.import_notes;

	for (size_t i = 0; i < told->run.import_notes.nr; i++)
		if (!strs_has(notes, told->run.import_notes.v[i]))
			strs_add(arena, notes, arena_strdup(arena, told->run.import_notes.v[i]));
	told->run.import_notes = (struct strs){ .nr = 0 };
}

static void join_some(struct join *join, const struct dump_part *const *parts, size_t nr)
{
	struct told *told = calloc(nr, sizeof(*told));
	size_t nr_told = 0;

	if (!told)
		abort();
	for (size_t i = 0; i < nr; i++) {
		dump_part_read(join->parts, parts[i], &told[nr_told].snapshot);
		take_notes(join, &told[nr_told].snapshot);
		told[nr_told].part = parts[i];
		if (dump_part_is_taken(parts[i]))
			nr_told++;
		else
			snapshot_release(&told[nr_told].snapshot);
	}
	/* A few are soon in their places. */
	if (nr == AT_ONCE)
		add_gpus(join, told, nr_told);
	for (size_t i = 0; i < nr_told; i++) {
		join_part(join, &told[i]);
		snapshot_release(&told[i].snapshot);
	}
	free(told);
}

/* Does any part tell of something that is a GPU for sure, or several of links? Those are of several functions. */
static bool tells_of_gpus(const struct join *join)
{
	const struct dump_parts *parts = join->parts;
	size_t nr_listings = 0;

	for (size_t i = 0; i < parts->nr; i++)
		nr_listings += parts->v[i].kind == DUMP_LSPCI ? 1 : 0;
	if (nr_listings > 1 || join->named.nr_gpus || join->base->nr_gpus)
		return true;
	for (size_t i = 0; i < join->nr_waiting; i++)
		for (size_t k = 0; k < join->waiting[i].told->nr_gpus; k++)
			if (!join_may_be_no_gpu(&join->waiting[i].told->gpus[k]))
				return true;
	return false;
}

const char *dump_parts_join(struct snapshot *base, struct dump_parts *parts)
{
	struct join join = { .base = base, .parts = parts, .ages.parts = parts };
	bool are_any;
	size_t nr;
	const struct dump_part **ordered = in_order(&base->arena, parts, &nr);

	for (size_t i = 0; i < nr; i += AT_ONCE)
		join_some(&join, &ordered[i], nr - i < AT_ONCE ? nr - i : AT_ONCE);
	are_any = tells_of_gpus(&join);
	for (size_t i = 0; i < join.nr_waiting; i++) {
		join_name_by_address(&base->arena, &join.named, are_any, join.waiting[i].told);
		overlay_part(&join, join.waiting[i].part, join.waiting[i].told);
	}
	return join.why;
}
