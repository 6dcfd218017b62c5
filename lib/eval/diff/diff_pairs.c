// SPDX-License-Identifier: GPL-2.0-or-later
/* diff_pairs.c - which GPU of the one snapshot is which of the other. */
#include "base/compat.h"
#include "eval/diff/diff_internal.h"
#include "eval/judge/subject.h"
#include "snapshot/gpus.h"

enum { UNPAIRED = -1 };

struct identity {
	const char *id;
	size_t at;
};

struct identities {
	size_t nr;
	struct identity *items;
};

struct pairing {
	struct differ *d;
	ptrdiff_t *after_of;	/* by GPU of the earlier snapshot */
	ptrdiff_t *before_of;	/* by GPU of the later one */
};

static void number_gpus(struct differ *d, struct gpu_side *side, const struct snapshot *snapshot)
{
	size_t next = 0;

	*side = (struct gpu_side){
		.snapshot = snapshot, .index = arena_alloc(d->arena, snapshot->nr_gpus * sizeof(*side->index)),
		.under_test = arena_alloc(d->arena, snapshot->nr_gpus * sizeof(*side->under_test)),
	};
	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		side->under_test[i] = gpu_is_under_test(snapshot, &snapshot->gpus[i]);
		if (side->under_test[i])
			side->index[i] = next++;
	}
	for (size_t i = 0; i < snapshot->nr_gpus; i++)
		if (!side->under_test[i])
			side->index[i] = next++;
}

static int order_identities(const void *a, const void *b)
{
	const struct identity *left = a, *right = b;
	int order = strcmp(left->id, right->id);

	return order ? order : (left->at > right->at) - (left->at < right->at);
}

typedef struct val_str identity_fn(const struct snapshot *snapshot, const struct gpu *gpu);

static struct val_str serial_of(const struct snapshot *snapshot, const struct gpu *gpu)
{
	(void)snapshot;
	return gpu_serial(gpu);
}

static struct val_str address_of(const struct snapshot *snapshot, const struct gpu *gpu)
{
	(void)snapshot;
	return gpu->key;
}

static struct identities list_identities(struct arena *arena, const struct snapshot *snapshot, const ptrdiff_t *paired,
					 identity_fn *identity)
{
	struct identities ret = { .items = arena_alloc(arena, snapshot->nr_gpus * sizeof(*ret.items)) };

	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		const char *id = paired[i] == UNPAIRED ? str_or(identity(snapshot, &snapshot->gpus[i]), NULL) : NULL;

		if (id)
			ret.items[ret.nr++] = (struct identity){ .id = id, .at = i };
	}
	qsort(ret.items, ret.nr, sizeof(*ret.items), order_identities);
	return ret;
}

/* Boards with two GPUs have one serial number for both: the first goes with the first. */
static void pair_by(struct pairing *p, identity_fn *identity)
{
	struct identities a = list_identities(p->d->arena, p->d->before, p->after_of, identity);
	struct identities b = list_identities(p->d->arena, p->d->after, p->before_of, identity);

	for (size_t i = 0, k = 0; i < a.nr && k < b.nr;) {
		int order = strcmp(a.items[i].id, b.items[k].id);

		if (!order) {
			p->after_of[a.items[i].at] = (ptrdiff_t)b.items[k].at;
			p->before_of[b.items[k].at] = (ptrdiff_t)a.items[i].at;
		}
		i += order <= 0;
		k += order >= 0;
	}
}

static void pair_by_number(struct pairing *p)
{
	const struct gpu_side *a = &p->d->sides[0], *b = &p->d->sides[1];
	size_t *before_at = arena_alloc(p->d->arena, p->d->before->nr_gpus * sizeof(*before_at));

	for (size_t i = 0; i < p->d->before->nr_gpus; i++)
		before_at[a->index[i]] = i;
	for (size_t k = 0; k < p->d->after->nr_gpus; k++) {
		size_t number = b->index[k];

		if (number >= p->d->before->nr_gpus || a->under_test[before_at[number]] != b->under_test[k])
			continue;
		p->before_of[k] = (ptrdiff_t)before_at[number];
		p->after_of[before_at[number]] = (ptrdiff_t)k;
	}
}

static bool differ_in(struct val_str a, struct val_str b)
{
	return is_known(a) && is_known(b) && strcmp(str_or(a, ""), str_or(b, "")) != 0;
}

static bool are_comparable_uuids(struct val_str a, struct val_str b)
{
	return strlen(str_or(a, "")) == strlen(str_or(b, ""));
}

static bool is_other_card(const struct differ *d, const struct gpu *before, const struct gpu *after)
{
	struct val_str a = gpu_serial(before), b = gpu_serial(after);

	if (differ_in(before->pci.device_id, after->pci.device_id) ||
	    differ_in(before->pci.vendor_id, after->pci.vendor_id))
		return true;
	if (!d->keeps_private)
		return false;
	if (is_known(a) && is_known(b))
		return differ_in(a, b);
	a = gpu_uuid(d->before, before);
	b = gpu_uuid(d->after, after);
	return differ_in(a, b) && are_comparable_uuids(a, b);
}

static void add_pair(struct differ *d, const struct gpu *before, const struct gpu *after)
{
	d->pairs = arena_grow(d->arena, d->pairs, d->nr_pairs, sizeof(*d->pairs));
	d->pairs[d->nr_pairs++] = (struct gpu_pair){
		.before = before, .after = after, .is_other_card = before && after && is_other_card(d, before, after),
	};
}

ptrdiff_t *diff_unpaired(struct arena *arena, size_t nr)
{
	ptrdiff_t *ret = arena_alloc(arena, nr * sizeof(*ret));

	for (size_t i = 0; i < nr; i++)
		ret[i] = UNPAIRED;
	return ret;
}

/* By number of the later snapshot; those that are gone last, by their number in the earlier. */
static void list_pairs(struct pairing *p)
{
	struct differ *d = p->d;
	const struct snapshot *a = d->before, *b = d->after;

	for (int under_test = 1; under_test >= 0; under_test--)
		for (size_t k = 0; k < b->nr_gpus; k++) {
			ptrdiff_t i = p->before_of[k];

			if (d->sides[1].under_test[k] == (bool)under_test)
				add_pair(d, i == UNPAIRED ? NULL : &a->gpus[i], &b->gpus[k]);
		}
	for (size_t i = 0; i < a->nr_gpus; i++)
		if (p->after_of[i] == UNPAIRED)
			add_pair(d, &a->gpus[i], NULL);
}

void diff_pair_gpus(struct differ *d)
{
	struct pairing p = {
		.d = d, .after_of = diff_unpaired(d->arena, d->before->nr_gpus),
		.before_of = diff_unpaired(d->arena, d->after->nr_gpus),
	};

	number_gpus(d, &d->sides[0], d->before);
	number_gpus(d, &d->sides[1], d->after);
	if (d->diff->machine_known && !d->diff->same_machine) {
		pair_by_number(&p);
	} else {
		if (d->keeps_private) {
			pair_by(&p, gpu_uuid);
			pair_by(&p, serial_of);
		}
		pair_by(&p, address_of);
	}
	list_pairs(&p);
	d->gpu_after = p.after_of;
}

const char *diff_place_after(const struct differ *d, const char *place_before)
{
	const struct gpu *gpu = gpu_at(d->before, place_before);
	ptrdiff_t after = gpu ? d->gpu_after[gpu - d->before->gpus] : UNPAIRED;

	return after == UNPAIRED ? place_before : str_or(d->after->gpus[after].key, "?");
}
