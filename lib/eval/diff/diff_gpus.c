// SPDX-License-Identifier: GPL-2.0-or-later
/* diff_gpus.c - which GPU of the one snapshot is which of the other, what changed of each, and which stand alone. */
#include "base/compat.h"
#include "eval/diff/diff_internal.h"
#include "eval/judge/subject.h"
#include "snapshot/card.h"
#include "snapshot/gpus.h"
#include "snapshot/node.h"

enum { UNPAIRED = -1 };

/* ---- pairs of what has a place and a name, the first with the first */

static int order_names(const void *a, const void *b)
{
	const struct diff_named *left = a, *right = b;
	int order = strcmp(left->place, right->place);

	order = order ? order : strcmp(left->name, right->name);
	return order ? order : (left->at > right->at) - (left->at < right->at);
}

void diff_pair_names(struct diff_named *a, size_t nr_a, struct diff_named *b, size_t nr_b, ptrdiff_t *after_of,
		     ptrdiff_t *before_of)
{
	if (nr_a)
		qsort(a, nr_a, sizeof(*a), order_names);
	if (nr_b)
		qsort(b, nr_b, sizeof(*b), order_names);
	for (size_t i = 0, k = 0; i < nr_a && k < nr_b;) {
		int order = strcmp(a[i].place, b[k].place);

		order = order ? order : strcmp(a[i].name, b[k].name);
		if (!order) {
			after_of[a[i].at] = (ptrdiff_t)b[k].at;
			before_of[b[k].at] = (ptrdiff_t)a[i].at;
		}
		i += order <= 0;
		k += order >= 0;
	}
}

ptrdiff_t *diff_unpaired(struct arena *arena, size_t nr)
{
	ptrdiff_t *ret = arena_alloc(arena, nr * sizeof(*ret));

	for (size_t i = 0; i < nr; i++)
		ret[i] = UNPAIRED;
	return ret;
}

/* ---- which GPU is which */

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

/* Of those that have no pair yet. */
static struct diff_named *list_identities(struct arena *arena, const struct snapshot *snapshot, const ptrdiff_t *paired,
					  identity_fn *identity, size_t *ret_nr)
{
	struct diff_named *ret = arena_alloc(arena, snapshot->nr_gpus * sizeof(*ret));

	*ret_nr = 0;
	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		const char *id = paired[i] == UNPAIRED ? str_or(identity(snapshot, &snapshot->gpus[i]), NULL) : NULL;

		if (id)
			ret[(*ret_nr)++] = (struct diff_named){ .place = "", .name = id, .at = i };
	}
	return ret;
}

/* Boards with two GPUs have one serial number for both: the first goes with the first. */
static void pair_by(struct pairing *p, identity_fn *identity)
{
	size_t nr_a, nr_b;
	struct diff_named *a = list_identities(p->d->arena, p->d->before, p->after_of, identity, &nr_a);
	struct diff_named *b = list_identities(p->d->arena, p->d->after, p->before_of, identity, &nr_b);

	diff_pair_names(a, nr_a, b, nr_b, p->after_of, p->before_of);
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

static bool is_other_card(const struct differ *d, const struct gpu *before, const struct gpu *after)
{
	if (differ_in(before->pci.device_id, after->pci.device_id) ||
	    differ_in(before->pci.vendor_id, after->pci.vendor_id))
		return true;
	return d->keeps_private && cards_match(gpu_serial(before), gpu_uuid(d->before, before), gpu_serial(after),
					       gpu_uuid(d->after, after)) == CARDS_OTHER;
}

static void add_pair(struct differ *d, const struct gpu *before, const struct gpu *after)
{
	d->pairs = arena_grow(d->arena, d->pairs, d->nr_pairs, sizeof(*d->pairs));
	d->pairs[d->nr_pairs++] = (struct gpu_pair){
		.before = before, .after = after, .is_other_card = before && after && is_other_card(d, before, after),
	};
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

/* ---- what changed */

/* What a card is known by: its serial number, else its UUID. */
static const char *card_text(struct differ *d, const struct snapshot *snapshot, const struct gpu *gpu,
			     bool by_serial)
{
	const char *serial = d->keeps_private && by_serial ? str_or(gpu_serial(gpu), NULL) : NULL;
	const char *uuid = d->keeps_private ? str_or(gpu_uuid(snapshot, gpu), NULL) : NULL;
	const char *model = gpu_model(d->arena, gpu);

	if (!serial && !uuid)
		return model;
	return arena_printf(d->arena, "%s, %s %s", model, serial ? "serial" : "UUID", serial ? serial : uuid);
}

static void begin_gpu(struct differ *d, int side, const struct gpu *gpu)
{
	size_t index = d->sides[side].index[gpu - d->sides[side].snapshot->gpus];
	const char *key = str_or(gpu->key, "?");

	diff_begin_thing(d, arena_printf(d->arena, "GPU %zu (%s)", index, key), key, index);
}

/* Of the earlier side too it is called as it is now, where it is still there. */
void diff_begin_place(struct differ *d, const char *place, bool is_before)
{
	const struct gpu *gpu = gpu_at(d->after, is_before ? diff_place_after(d, place) : place);
	const struct gpu *gone = is_before && !gpu ? gpu_at(d->before, place) : NULL;

	if (gpu || gone)
		begin_gpu(d, gpu ? 1 : 0, gpu ? gpu : gone);
	else
		diff_begin_thing(d, *place ? place : NULL, NULL, 0);
}

static void add_text(struct differ *d, enum diff_group group, enum diff_weight weight, const char *what,
		     const char *before, const char *after, const char *why)
{
	diff_add(d, &(struct difference){
		.group = group, .weight = weight, .what = what, .before = before, .after = after, .why = why,
	});
}

/* Who would list it does not any more; NULL: nobody was asked for it, and so it is not lost. */
static const char *why_gone(const struct snapshot *snapshot, const struct gpu *gpu)
{
	if (is_known(snapshot->bus.gpus))
		return "it is not on the bus any more";
	return lists_gpu_if_there(snapshot, gpu) ? "NVIDIA's library does not list it any more" : NULL;
}

/* One that is not under test, a display's, is no loss to the work. */
static void tell_lonely(struct differ *d, const struct gpu_pair *pair)
{
	const struct snapshot *snapshot = pair->before ? d->before : d->after;
	const struct gpu *gpu = pair->before ? pair->before : pair->after;
	const bool counts = gpu_is_under_test(snapshot, gpu);
	const bool is_other_machine = d->diff->machine_known && !d->diff->same_machine;

	if (pair->before && lists_gpu_if_there(d->after, gpu)) {
		begin_gpu(d, 0, pair->before);
		add_text(d, DIFF_HARDWARE, counts ? DIFF_WORSE : DIFF_OTHER, "card", card_text(d, snapshot, gpu, true),
			 NULL, is_other_machine ? NULL : why_gone(d->after, gpu));
	} else if (pair->after && lists_gpu_if_there(d->before, gpu)) {
		begin_gpu(d, 1, pair->after);
		add_text(d, DIFF_HARDWARE, counts ? DIFF_BETTER : DIFF_OTHER, "card", NULL,
			 card_text(d, snapshot, gpu, true), NULL);
	}
}

static void tell_place(struct differ *d, const struct gpu_pair *pair)
{
	const char *before = str_or(pair->before->key, "?"), *after = str_or(pair->after->key, "?");
	enum gpu_role was = gpu_role(d->before, pair->before), is = gpu_role(d->after, pair->after);
	/* By what is known of both: a serial number beside a UUID says nothing. */
	const bool by_serial = is_known(gpu_serial(pair->before)) && is_known(gpu_serial(pair->after));

	if (pair->is_other_card)
		add_text(d, DIFF_HARDWARE, DIFF_OTHER, "card", card_text(d, d->before, pair->before, by_serial),
			 card_text(d, d->after, pair->after, by_serial), "another card: its counters are its own");
	else if (strcmp(before, after) != 0 && (d->diff->same_machine || !d->diff->machine_known))
		add_text(d, DIFF_HARDWARE, DIFF_OTHER, "address", before, after, "the same card in another place");
	/* The role follows from device nodes: not compared if these were not listed. */
	if (was != is && is_known(d->before->listed.device_nodes) && is_known(d->after->listed.device_nodes))
		add_text(d, DIFF_SETTINGS, DIFF_OTHER, "role", gpu_role_name(was), gpu_role_name(is), NULL);
}

static void widen(uint64_t *most, struct val_u64 value)
{
	if (u64_or(value, 0) > *most)
		*most = u64_or(value, 0);
}

struct link_seen {
	uint64_t width;			/* widest seen, idle or not; 0: none */
	uint64_t speed_mtps;		/* highest seen at work; 0: none. Idle, a link is slow on purpose */
};

static struct link_seen link_seen(const struct gpu *gpu)
{
	struct link_seen ret = { .width = 0 };

	if (!gpu_is_asleep(gpu))
		widen(&ret.width, gpu->pci.link_width);
	widen(&ret.width, gpu->use.link_width_busy);
	widen(&ret.speed_mtps, gpu->use.link_speed_busy_mtps);
	for (size_t i = 0; i < gpu->nr_load_samples; i++) {
		widen(&ret.width, gpu->load_samples[i].link_width);
		widen(&ret.speed_mtps, gpu->load_samples[i].link_speed_mtps);
	}
	return ret;
}

static void tell_link(struct differ *d, const struct field *field, uint64_t before, uint64_t after)
{
	struct val_u64 a = val_u64(before), b = val_u64(after);

	if (!before || !after)
		return;
	d->diff->nr_compared++;
	if (before == after)
		return;
	diff_add(d, &(struct difference){
		.group = DIFF_HARDWARE, .weight = after < before ? DIFF_WORSE : DIFF_BETTER, .what = field->name,
		.field = field, .before = diff_text(d, field, &a), .after = diff_text(d, field, &b),
	});
}

#define PCI_FIELD(name) (&record_pci_function.fields[FIELD_pci_function_##name])

/* The GPU's own link, and those above the bridge that it ends at: of that link the bridge is the other end. */
static void tell_links(struct differ *d, const struct gpu_pair *pair)
{
	struct link_seen a = link_seen(pair->before), b = link_seen(pair->after);
	const char *owner = d->thing;

	tell_link(d, PCI_FIELD(link_width), a.width, b.width);
	tell_link(d, PCI_FIELD(link_speed_mtps), a.speed_mtps, b.speed_mtps);
	if (pair->before->nr_hops != pair->after->nr_hops || gpu_is_asleep(pair->before) || gpu_is_asleep(pair->after))
		return;
	for (size_t i = 1; i < pair->after->nr_hops; i++) {
		const struct hop *hop = &pair->after->hops[i];

		d->thing = arena_printf(d->arena, "%s, bridge %s", owner, str_or(hop->address, "?"));
		tell_link(d, PCI_FIELD(link_width), u64_or(pair->before->hops[i].pci.link_width, 0),
			  u64_or(hop->pci.link_width, 0));
	}
	d->thing = owner;
}

void diff_gpu_pairs(struct differ *d)
{
	d->diff->nr_compared += is_known(d->before->bus.gpus) && is_known(d->after->bus.gpus);
	for (size_t i = 0; i < d->nr_pairs; i++) {
		const struct gpu_pair *pair = &d->pairs[i];

		if (!pair->before || !pair->after) {
			tell_lonely(d, pair);
			continue;
		}
		begin_gpu(d, 1, pair->after);
		d->is_other_card = pair->is_other_card;
		tell_place(d, pair);
		tell_links(d, pair);
		diff_records(d, &record_gpu, pair->before, pair->after);
		d->is_other_card = false;
	}
	diff_begin_thing(d, NULL, NULL, 0);
}
