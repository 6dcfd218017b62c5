// SPDX-License-Identifier: GPL-2.0-or-later
/* story.c - events with the same first cause are one story. */
#include "base/compat.h"
#include "klog/story.h"

#include "klog/cause.h"

static void add_to_story(struct klog_story *story, const struct klog_event **events, const struct klog_event *event)
{
	if (!story->nr)
		story->first = event->first;
	if (event->device[0] && (!story->device[0] || (event->is_gpu && !story->is_gpu))) {
		memcpy(story->device, event->device, sizeof(story->device));
		story->is_gpu = event->is_gpu;
	}
	if (event->last_line >= story->last_line) {
		story->last_line = event->last_line;
		story->last = event->last;
	}
	events[story->nr++] = event;
	story->events = events;
}

/* What ended it is no news of the fault: the newest of the others says how things stand. */
static void end_story(struct klog_story *story)
{
	const struct klog_event *newest = NULL;

	for (size_t i = 0; i < story->nr; i++) {
		const struct klog_event *event = story->events[i];

		if (event->heals)
			story->recovery = event;
		else if (!newest || event->last_line > newest->last_line)
			newest = event;
	}
	story->currency = newest ? newest->currency : story->recovery->currency;
	if (newest && newest->currency != KLOG_BEFORE_RESET)
		story->recovery = NULL;
}

static int by_newest(const void *a, const void *b)
{
	const struct klog_story *left = a, *right = b;

	if (left->last_line != right->last_line)
		return left->last_line > right->last_line ? -1 : 1;
	return left->events[0]->first_line > right->events[0]->first_line ? -1 : 1;
}

void klog_tell(struct arena *arena, const struct klog_log *log, struct klog_stories *ret)
{
	const size_t *firsts = klog_first_causes(arena, log);
	size_t nr_events = log->nr_events, nr = 0, at = 0;
	size_t *sizes = arena_alloc(arena, nr_events * sizeof(*sizes));
	size_t *numbers = arena_alloc(arena, nr_events * sizeof(*numbers));
	const struct klog_event **events = arena_alloc(arena, nr_events * sizeof(*events));
	const struct klog_event ***places;
	struct klog_story *stories;

	for (size_t i = 0; i < nr_events; i++) {
		if (firsts[i] == i)
			numbers[i] = nr++;
		sizes[numbers[firsts[i]]]++;
	}
	stories = arena_alloc(arena, nr * sizeof(*stories));
	places = arena_alloc(arena, nr * sizeof(*places));
	for (size_t i = 0; i < nr; i++) {
		places[i] = &events[at];
		at += sizes[i];
	}
	for (size_t i = 0; i < nr_events; i++) {
		size_t number = numbers[firsts[i]];

		add_to_story(&stories[number], places[number], &log->events[i]);
	}
	for (size_t i = 0; i < nr; i++)
		end_story(&stories[i]);
	qsort(stories, nr, sizeof(*stories), by_newest);
	*ret = (struct klog_stories){ .nr = nr, .items = stories };
}
