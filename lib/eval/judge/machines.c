// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/judge/machines.h"

#include "eval/judge/subject.h"

static bool both_known(struct val_str a, struct val_str b)
{
	return is_known(a) && is_known(b);
}

static bool same(struct val_str a, struct val_str b)
{
	return both_known(a, b) && !strcmp(str_or(a, ""), str_or(b, ""));
}

/* ---- a GPU that both have */

static const char *serial_of(const struct snapshot *snapshot, const struct gpu *gpu)
{
	(void)snapshot;
	return str_or(gpu_serial(gpu), NULL);
}

static const char *uuid_of(const struct snapshot *snapshot, const struct gpu *gpu)
{
	return str_or(gpu_uuid(snapshot, gpu), NULL);
}

typedef const char *identity_fn(const struct snapshot *snapshot, const struct gpu *gpu);

static int order_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static struct strs identities(struct arena *arena, const struct snapshot *snapshot, identity_fn *identity)
{
	struct strs ret = { .nr = 0, .v = arena_alloc(arena, snapshot->nr_gpus * sizeof(*ret.v)) };

	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		const char *text = identity(snapshot, &snapshot->gpus[i]);

		if (text)
			ret.v[ret.nr++] = text;
	}
	if (ret.nr)
		qsort(ret.v, ret.nr, sizeof(*ret.v), order_texts);
	return ret;
}

static bool share(struct arena *arena, const struct snapshot *a, const struct snapshot *b, identity_fn *identity)
{
	struct strs left = identities(arena, a, identity), right = identities(arena, b, identity);

	for (size_t i = 0, k = 0; i < left.nr && k < right.nr;) {
		int order = strcmp(left.v[i], right.v[k]);

		if (!order)
			return true;
		i += order < 0;
		k += order > 0;
	}
	return false;
}

/* ---- the machine */

static enum machines match_by_names(struct arena *arena, const struct snapshot *a, const struct snapshot *b)
{
	const struct host *one = &a->host, *other = &b->host;

	/* Makers that fill in no serial number put the same one into every machine: the product tells those apart. */
	if (both_known(one->machine_serial, other->machine_serial))
		return same(one->machine_serial, other->machine_serial) &&
		       (!both_known(one->product, other->product) || same(one->product, other->product)) ?
		       MACHINES_ONE : MACHINES_TWO;
	/* After the serial number: clones of a running virtual machine have one boot id. */
	if (same(one->boot_id, other->boot_id))
		return MACHINES_ONE;
	if (share(arena, a, b, serial_of) || share(arena, a, b, uuid_of) || same(one->name, other->name))
		return MACHINES_ONE;
	/* A container has a name of its own. */
	if (both_known(one->name, other->name) && !is_in_container(a) && !is_in_container(b))
		return MACHINES_TWO;
	return MACHINES_UNTOLD;
}

enum machines machines_match(struct arena *arena, const struct snapshot *a, const struct snapshot *b)
{
	const bool is_redacted = bool_or(a->run.redacted, false);
	enum machines match;

	if (is_redacted != bool_or(b->run.redacted, false))
		return MACHINES_UNTOLD;
	match = match_by_names(arena, a, b);
	/* Of one machine too, pseudonyms differ by their key. */
	return is_redacted && match == MACHINES_TWO ? MACHINES_UNTOLD : match;
}
