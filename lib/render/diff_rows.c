// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "render/diff_rows.h"

#include "eval/judge/subject.h"

enum { MAX_NAMED = 3 };		/* things that a row names, where they are no GPUs */

/* One difference on its way to a row. suffix: what of its thing is below a GPU, ", link 3". */
struct sorted {
	const struct difference *item;
	const char *suffix;
	size_t at;
};

static const char *suffix_of(const struct difference *item)
{
	const char *end = item->gpu ? strchr(item->thing, ')') : NULL;

	return end ? end + 1 : "";
}

static int order_texts(const char *a, const char *b)
{
	if (!a || !b)
		return (a != NULL) - (b != NULL);
	return strcmp(a, b);
}

/* Those of one row together: alike in all but the thing. */
static int order_alike(const void *a, const void *b)
{
	const struct sorted *left = a, *right = b;
	const struct difference *x = left->item, *y = right->item;
	int order = (int)x->group - (int)y->group;

	order = order ? order : (int)y->weight - (int)x->weight;
	order = order ? order : (x->gpu != NULL) - (y->gpu != NULL);
	order = order ? order : strcmp(x->what, y->what);
	order = order ? order : order_texts(x->before, y->before);
	order = order ? order : order_texts(x->after, y->after);
	order = order ? order : order_texts(x->why, y->why);
	return order ? order : strcmp(left->suffix, right->suffix);
}

static int order_sorted(const void *a, const void *b)
{
	const struct sorted *left = a, *right = b;
	int order = order_alike(a, b);

	return order ? order : (left->at > right->at) - (left->at < right->at);
}

static int order_rows(const void *a, const void *b)
{
	const struct difference *x = ((const struct diff_row *)a)->first, *y = ((const struct diff_row *)b)->first;
	int order = (int)x->group - (int)y->group;

	order = order ? order : (int)y->weight - (int)x->weight;
	return order ? order : (x > y) - (x < y);	/* items of one array */
}

static const char *gpu_things(struct arena *arena, const struct sorted *sorted, size_t nr)
{
	size_t *indexes = arena_alloc(arena, nr * sizeof(*indexes));

	for (size_t i = 0; i < nr; i++)
		indexes[i] = sorted[i].item->gpu_index;
	return arena_printf(arena, "%s%s", gpu_ranges(arena, indexes, nr), sorted->suffix);
}

static const char *things_of(struct arena *arena, const struct sorted *sorted, size_t nr)
{
	STRBUF_AUTO text = STRBUF_INIT;

	if (nr == 1)
		return sorted->item->thing;
	if (sorted->item->gpu)
		return gpu_things(arena, sorted, nr);
	for (size_t i = 0; i < nr && i < MAX_NAMED; i++)
		strbuf_addf(&text, "%s%s", i ? ", " : "", sorted[i].item->thing);
	if (nr > MAX_NAMED)
		strbuf_addf(&text, " and %zu more", nr - MAX_NAMED);
	return arena_strdup(arena, text.buf);
}

void diff_rows_make(struct diff_rows *ret, const struct diff *diff)
{
	struct sorted *sorted;

	*ret = (struct diff_rows){ .nr = 0 };
	sorted = arena_alloc(&ret->arena, diff->nr * sizeof(*sorted));
	ret->rows = arena_alloc(&ret->arena, diff->nr * sizeof(*ret->rows));
	for (size_t i = 0; i < diff->nr; i++)
		sorted[i] = (struct sorted){ .item = &diff->items[i], .suffix = suffix_of(&diff->items[i]), .at = i };
	qsort(sorted, diff->nr, sizeof(*sorted), order_sorted);
	for (size_t i = 0, next; i < diff->nr; i = next) {
		for (next = i + 1; next < diff->nr && !order_alike(&sorted[i], &sorted[next]); next++)
			;
		ret->rows[ret->nr++] = (struct diff_row){
			.first = sorted[i].item, .things = things_of(&ret->arena, &sorted[i], next - i),
		};
	}
	qsort(ret->rows, ret->nr, sizeof(*ret->rows), order_rows);
}

void diff_rows_release(struct diff_rows *rows)
{
	arena_release(&rows->arena);
}

void diff_put_change(struct strbuf *out, const struct difference *difference)
{
	strbuf_addf(out, "%s → %s", difference->before ? difference->before : "none",
		    difference->after ? difference->after : "none");
}

void diff_put_side(struct strbuf *out, const struct snapshot *snapshot)
{
	strbuf_addf(out, "%s, %s", str_or(snapshot->host.name, "a host without a name"),
		    str_or(snapshot->run.taken_at, "at an unknown time"));
}

void diff_put_sum(struct strbuf *out, const struct diff *diff)
{
	size_t nr_other = diff->nr - diff->nr_worse - diff->nr_better;

	if (!diff->nr_compared)
		strbuf_addstr(out, "Not comparable: nothing is known of both.");
	else if (!diff->nr)
		strbuf_addstr(out, "Nothing changed.");
	else if (!diff->nr_worse)
		strbuf_addf(out, "Nothing got worse: %zu better, %zu otherwise changed.", diff->nr_better, nr_other);
	else
		strbuf_addf(out, "Worse: %zu worse, %zu better, %zu otherwise changed.", diff->nr_worse,
			    diff->nr_better, nr_other);
}

const char *diff_group_title(enum diff_group group)
{
	static const char *const titles[NR_DIFF_GROUPS] = {
		[DIFF_HARDWARE] = "Hardware", [DIFF_FIRMWARE] = "Firmware", [DIFF_DRIVER] = "Driver and its software",
		[DIFF_KERNEL] = "Kernel and distribution", [DIFF_SETTINGS] = "Settings", [DIFF_HEALTH] = "Health",
		[DIFF_TIMING] = "Timings", [DIFF_VERDICT] = "Verdict",
	};

	return titles[group];
}

/* ---- what a container was not given */

static bool is_same_text(const char *a, const char *b)
{
	return !order_texts(a, b);
}

static bool are_alike(const struct container_loss *a, const struct container_loss *b)
{
	return !strcmp(a->what, b->what) && is_same_text(a->host, b->host) && is_same_text(a->inside, b->inside) &&
	       is_same_text(a->option, b->option) && is_same_text(a->kubernetes, b->kubernetes);
}

/* Nodes by name have an option each: "--device /dev/nvidia-uvm". */
static const char *loss_things(struct arena *arena, const struct container_loss *losses, size_t nr)
{
	STRBUF_AUTO text = STRBUF_INIT;
	size_t *indexes;

	if (nr == 1)
		return losses->thing;
	if (losses->gpu) {
		indexes = arena_alloc(arena, nr * sizeof(*indexes));
		for (size_t i = 0; i < nr; i++)
			indexes[i] = losses[i].gpu_index;
		return gpu_ranges(arena, indexes, nr);
	}
	for (size_t i = 0; i < nr && i < MAX_NAMED; i++)
		strbuf_addf(&text, "%s%s", i ? ", " : "", losses[i].thing);
	if (nr > MAX_NAMED)
		strbuf_addf(&text, " and %zu more", nr - MAX_NAMED);
	return arena_strdup(arena, text.buf);
}

static int order_losses(const void *a, const void *b)
{
	const struct container_loss *x = a, *y = b;

	return (x->gpu_index > y->gpu_index) - (x->gpu_index < y->gpu_index);
}

size_t diff_loss_rows(struct arena *arena, const struct container_diff *container, struct diff_loss_row **ret)
{
	struct container_loss *losses = arena_alloc(arena, container->nr * sizeof(*losses));
	size_t nr = 0;

	*ret = arena_alloc(arena, container->nr * sizeof(**ret));
	for (size_t i = 0; i < container->nr; i++)
		losses[i] = container->losses[i];
	for (size_t i = 0, next; i < container->nr; i = next) {
		for (next = i + 1; next < container->nr && are_alike(&losses[i], &losses[next]); next++)
			;
		if (losses[i].gpu)
			qsort(&losses[i], next - i, sizeof(*losses), order_losses);
		(*ret)[nr++] = (struct diff_loss_row){
			.first = &losses[i], .things = loss_things(arena, &losses[i], next - i),
		};
	}
	return nr;
}

void diff_put_container_head(struct strbuf *out, const struct container_diff *container)
{
	if (!container->nr_compared)
		strbuf_addf(out, "Container (%s): not compared with its host", container->runtime);
	else
		strbuf_addf(out, "%s on the way into the container (%s)", container->nr ? "Lost" : "Nothing lost",
			    container->runtime);
}

void diff_put_not_compared(struct strbuf *out, const struct container_diff *container)
{
	for (size_t i = 0; i < container->not_compared.nr; i++)
		strbuf_addf(out, "%s%s", i ? ", " : "Not collected on both sides: ", container->not_compared.v[i]);
}
