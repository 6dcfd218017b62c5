/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * track.h - the figures of one thing over the judged span, from ticks, in constant memory.
 *
 * The span is cut into slots. Of each figure a slot holds its sum over time and the time that it covers: of a gauge its
 * value, of a counter its growth, so that both give a mean over any of the newest slots. A reading that is missing in
 * one tick only makes the next growth one over a longer time.
 */
#pragma once

#include "snapshot/snapshot.h"

enum { NR_SLOTS = 10 };

/* Which slots count, the newest first. */
struct watch_span {
	size_t slot;			/* is being filled */
	size_t nr;			/* that count, with it; 0: nothing was seen yet */
	double seconds[NR_SLOTS];	/* by slot: how long it is */
};

/* The slot that is so many back from the newest. */
static inline size_t span_slot(const struct watch_span *span, size_t back)
{
	return (span->slot + NR_SLOTS - back) % NR_SLOTS;
}
double span_seconds(const struct watch_span *span);

/* Texts that outlive their tick; as few as there are different ones, and no more than fit. */
enum { MAX_REASONS = 64 };
struct reasons {
	size_t nr;
	char *items[MAX_REASONS];
};
const char *reasons_keep(struct reasons *reasons, const char *why);
void reasons_release(struct reasons *reasons);

/* The tick that is being added. */
struct moment {
	uint64_t at_ns;
	double elapsed_s;		/* since the tick before; 0: the first, or its stamp went back */
	size_t slot;
	struct reasons *reasons;
};

struct figure {
	float sum[NR_SLOTS], seconds[NR_SLOTS];
	struct val_head latest;		/* of the newest reading */
	double newest;			/* the newest known one; of a counter what it stands at */
	uint64_t counted;		/* a counter, when it was read last */
	uint64_t counted_at_ns;
	bool has_counted;
};

void figure_add_gauge(struct figure *figure, double value, const struct moment *now);
/* may_wrap: it may have 32 bits. */
void figure_add_counter(struct figure *figure, uint64_t value, bool may_wrap, const struct moment *now);
void figure_miss(struct figure *figure, struct val_head head, const struct moment *now);
/* A slot begins. */
void figure_turn(struct figure *figure, size_t slot);
/* Mean of a gauge; growth a second of a counter. */
struct val_f64 figure_mean(const struct figure *figure, const struct watch_span *span);
/* The mean within one slot. */
struct val_f64 figure_in_slot(const struct figure *figure, size_t slot);
struct val_f64 figure_newest(const struct figure *figure);

/* A thing: the figures of all numbers of its record. */
struct track {
	char *key;
	const struct record *record;
	size_t unseen;			/* ticks in a row that did not have it */
	uint64_t first_at_ns;
	struct figure *figures;		/* one for each field of the record */
};

void track_init(struct track *track, const struct record *record, const char *key, const struct moment *now);
void track_release(struct track *track);
void track_add(struct track *track, const void *base, const struct moment *now);
void track_turn(struct track *track, size_t slot);
/* It is another thing under the same key: a pid that is used again. */
void track_restart(struct track *track, const struct moment *now);

/* Things by key. What an item has beyond its track follows it. */
struct track_list {
	const struct record *record;
	size_t item_size, max;		/* max: how many are followed; the rest is left out */
	void (*release)(struct track *item);	/* what it has beyond its track; NULL: nothing */
	size_t nr, room;
	struct track **items;
	size_t left_out;		/* in this tick */
	size_t next;			/* behind the one taken last: keys come in order */
};

/* That of the key, made where it is missing; NULL: there are too many. Counts as seen in this tick. */
struct track *track_take(struct track_list *list, const char *key, const struct moment *now);
struct track *track_find(const struct track_list *list, const char *key);
/* Before a tick's things are taken, and after; what was not in several ticks in a row is let go. */
void track_list_begin(struct track_list *list);
void track_list_end(struct track_list *list);
void track_list_turn(struct track_list *list, size_t slot);
void track_list_release(struct track_list *list);
/* Takes and adds all of a tick's list, for things without more to them. */
void track_list_add(struct track_list *list, const void *items, size_t nr, const struct moment *now);

/* figure(&gpu->track, tick_gpu, power_mw) */
#define figure_of(track_, record_, field_) (&(track_)->figures[FIELD_##record_##_##field_])
#define mean_of(track_, record_, field_, span_) figure_mean(figure_of(track_, record_, field_), (span_))

/* Share of the time, per cent, of a mean in nanoseconds a second. More than there can be is not known. */
struct val_f64 share_percent(struct val_f64 ns_per_s);
