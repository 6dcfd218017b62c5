// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/load/track.h"

#include "base/alloc.h"
#include "base/text.h"
#include "snapshot/growth.h"

/* A pause of the recorder, or a stamp that cannot be: no rate is made across it. */
#define MAX_GAP_NS UINT64_C(600000000000)

/* Ticks after which a thing that is in none of them is let go: one whose turn it was not comes back sooner. */
enum { MAX_UNSEEN = 5 };

double span_seconds(const struct watch_span *span)
{
	double sum = 0.0;

	for (size_t i = 0; i < span->nr; i++)
		sum += span->seconds[span_slot(span, i)];
	return sum;
}

/* ---- reasons */

const char *reasons_keep(struct reasons *reasons, const char *why)
{
	if (!why)
		return NULL;
	for (size_t i = 0; i < reasons->nr; i++)
		if (!strcmp(reasons->items[i], why))
			return reasons->items[i];
	if (reasons->nr == MAX_REASONS)
		return NULL;
	reasons->items[reasons->nr] = xstrdup(why);
	return reasons->items[reasons->nr++];
}

void reasons_release(struct reasons *reasons)
{
	for (size_t i = 0; i < reasons->nr; i++)
		free(reasons->items[i]);
	reasons->nr = 0;
}

/* ---- one figure */

void figure_add_gauge(struct figure *figure, double value, const struct moment *now)
{
	figure->latest = (struct val_head){ .state = VAL_OK };
	figure->newest = value;
	figure->sum[now->slot] += (float)(value * now->elapsed_s);
	figure->seconds[now->slot] += (float)now->elapsed_s;
}

void figure_add_counter(struct figure *figure, uint64_t value, bool may_wrap, const struct moment *now)
{
	struct val_u64 from = val_u64(figure->counted), to = val_u64(value);
	struct val_u64 growth = may_wrap ? growth_of_32_bits(from, to) : growth_of(from, to);
	bool goes_on = figure->has_counted && now->at_ns > figure->counted_at_ns && now->elapsed_s > 0.0;

	figure->latest = (struct val_head){ .state = VAL_OK };
	if (goes_on && !is_known(growth)) {
		figure->latest = (struct val_head){ .state = growth.state, .why = "its counter went backwards" };
	} else if (goes_on && now->at_ns - figure->counted_at_ns <= MAX_GAP_NS) {
		figure->sum[now->slot] += (float)growth.v_;
		figure->seconds[now->slot] += (float)((double)(now->at_ns - figure->counted_at_ns) / 1e9);
	}
	figure->newest = (double)value;
	figure->counted = value;
	figure->counted_at_ns = now->at_ns;
	figure->has_counted = true;
}

void figure_miss(struct figure *figure, struct val_head head, const struct moment *now)
{
	figure->latest = (struct val_head){ .state = head.state, .why = reasons_keep(now->reasons, head.why) };
}

void figure_turn(struct figure *figure, size_t slot)
{
	figure->sum[slot] = figure->seconds[slot] = 0.0F;
}

/* Nothing of it lies within the span. */
static struct val_f64 not_known(const struct figure *figure)
{
	if (figure->latest.state == VAL_OK)
		return no_f64(VAL_UNSET, "read once so far");
	return no_f64(figure->latest.state, figure->latest.why);
}

struct val_f64 figure_mean(const struct figure *figure, const struct watch_span *span)
{
	double sum = 0.0, seconds = 0.0;

	for (size_t i = 0; i < span->nr; i++) {
		sum += (double)figure->sum[span_slot(span, i)];
		seconds += (double)figure->seconds[span_slot(span, i)];
	}
	return seconds > 0.0 ? val_f64(sum / seconds) : not_known(figure);
}

struct val_f64 figure_in_slot(const struct figure *figure, size_t slot)
{
	if (figure->seconds[slot] <= 0.0F)
		return not_known(figure);
	return val_f64((double)figure->sum[slot] / (double)figure->seconds[slot]);
}

struct val_f64 figure_newest(const struct figure *figure)
{
	return figure->latest.state == VAL_OK ? val_f64(figure->newest)
					      : no_f64(figure->latest.state, figure->latest.why);
}

struct val_f64 share_percent(struct val_f64 ns_per_s)
{
	double share = f64_or(ns_per_s, 0.0) / 1e7;

	if (!is_known(ns_per_s))
		return ns_per_s;
	if (share > 110.0)
		return no_f64(VAL_ABSENT, "it counted more time than passed");
	return val_f64(share > 100.0 ? 100.0 : share);
}

/* ---- one thing */

void track_init(struct track *track, const struct record *record, const char *key, const struct moment *now)
{
	track->key = xstrdup(key);
	track->record = record;
	track->first_at_ns = now->at_ns;
	track->figures = xcalloc(record->nr, sizeof(*track->figures));
}

void track_release(struct track *track)
{
	free(track->key);
	free(track->figures);
}

/* NVIDIA's counters of PCIe bytes have 32 bits on some drivers. */
static bool may_wrap(const struct track *track, size_t i)
{
	return track->record == &record_tick_gpu &&
	       (i == FIELD_tick_gpu_link_sent_bytes || i == FIELD_tick_gpu_link_received_bytes);
}

void track_add(struct track *track, const void *base, const struct moment *now)
{
	for (size_t i = 0; i < track->record->nr; i++) {
		const struct field *field = &track->record->fields[i];
		const union any_value *value = (const void *)((const char *)base + field->offset);
		struct figure *figure = &track->figures[i];

		if ((field->kind != FIELD_U64 && field->kind != FIELD_F64) || field->class == CLASS_IDENTITY)
			continue;
		if (value->head.state != VAL_OK)
			figure_miss(figure, value->head, now);
		else if (field->class == CLASS_COUNTER)
			figure_add_counter(figure, value->u64.v_, may_wrap(track, i), now);
		else
			figure_add_gauge(figure, field->kind == FIELD_U64 ? (double)value->u64.v_ : value->f64.v_, now);
	}
}

void track_turn(struct track *track, size_t slot)
{
	for (size_t i = 0; i < track->record->nr; i++)
		figure_turn(&track->figures[i], slot);
}

void track_restart(struct track *track, const struct moment *now)
{
	memset(track->figures, 0, track->record->nr * sizeof(*track->figures));
	track->first_at_ns = now->at_ns;
}

/* ---- a list of them */

/* Where the key stands, or belongs. */
static size_t place_of(const struct track_list *list, const char *key, bool *ret_found)
{
	size_t low = 0, high = list->nr;

	*ret_found = false;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = key_compare(list->items[middle]->key, key);

		if (!order) {
			*ret_found = true;
			return middle;
		}
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct track *track_find(const struct track_list *list, const char *key)
{
	bool found;
	size_t place = place_of(list, key, &found);

	return found ? list->items[place] : NULL;
}

struct track *track_take(struct track_list *list, const char *key, const struct moment *now)
{
	struct track *track;
	size_t place = list->next;
	bool found = place < list->nr && !strcmp(list->items[place]->key, key);

	if (!found)
		place = place_of(list, key, &found);
	list->next = place + 1;
	if (!found && list->nr == list->max) {
		list->left_out++;
		return NULL;
	}
	if (!found) {
		if (list->nr == list->room) {
			list->room = list->room ? 2 * list->room : 8;
			list->items = xrealloc(list->items, list->room * sizeof(struct track *));
		}
		memmove(&list->items[place + 1], &list->items[place], (list->nr - place) * sizeof(struct track *));
		track = xcalloc(1, list->item_size);
		track_init(track, list->record, key, now);
		list->items[place] = track;
		list->nr++;
	}
	list->items[place]->unseen = 0;
	return list->items[place];
}

void track_list_begin(struct track_list *list)
{
	list->left_out = list->next = 0;
	for (size_t i = 0; i < list->nr; i++)
		list->items[i]->unseen++;
}

static void free_item(struct track_list *list, struct track *track)
{
	if (list->release)
		list->release(track);
	track_release(track);
	free(track);
}

void track_list_end(struct track_list *list)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->nr; i++) {
		if (list->items[i]->unseen > MAX_UNSEEN)
			free_item(list, list->items[i]);
		else
			list->items[kept++] = list->items[i];
	}
	list->nr = kept;
}

void track_list_turn(struct track_list *list, size_t slot)
{
	for (size_t i = 0; i < list->nr; i++)
		track_turn(list->items[i], slot);
}

void track_list_release(struct track_list *list)
{
	for (size_t i = 0; i < list->nr; i++)
		free_item(list, list->items[i]);
	free(list->items);
	list->items = NULL;
	list->nr = list->room = 0;
}

void track_list_add(struct track_list *list, const void *items, size_t nr, const struct moment *now)
{
	track_list_begin(list);
	for (size_t i = 0; i < nr; i++) {
		const char *item = (const char *)items + i * list->record->size;
		const struct val_str *key = (const void *)(item + list->record->fields[0].offset);
		struct track *track = is_known(*key) ? track_take(list, key->v_, now) : NULL;

		if (track)
			track_add(track, item, now);
	}
	track_list_end(list);
}
