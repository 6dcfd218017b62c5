// SPDX-License-Identifier: GPL-2.0-or-later
/* cause.c - looks up for each event what may have led to it: one pass, by tables of what was seen last. */
#include "base/compat.h"
#include "klog/incident.h"

#include "klog/words.h"

#include "base/text.h"

enum {
	NEAR_LINES = 50,	/* stand for a moment, where there are no stamps */
	MANY_LEAST = 5,
	NR_RECENT = 4,		/* causes remembered of one rule and thing */
};

#define NO_EVENT SIZE_MAX

/* ---- follows.def */

enum scope { SCOPE_GPU, SCOPE_LINK, SCOPE_PROCESS, SCOPE_NODE };

struct matcher {
	enum { IS_XID, IS_KIND, IS_ROW, IS_MANY, IS_APPLICATION, IS_ANY } is;
	unsigned value;		/* number of the Xid, or kind */
};

static const struct rule {
	struct matcher cause, effect;
	int64_t within_us;
	enum scope scope;
} rules[] = {
#define XID(number) { IS_XID, number }
#define KIND(kind) { IS_KIND, KLOG_##kind }
#define ROW(id) { IS_ROW, KLOG_ROW_##id }
#define MANY(kind) { IS_MANY, KLOG_##kind }
#define APPLICATION { IS_APPLICATION, 0 }
#define ANY { IS_ANY, 0 }
#define FOLLOWS(cause_, effect_, seconds_, scope_) \
	{ .cause = cause_, .effect = effect_, .within_us = (seconds_) * INT64_C(1000000), .scope = SCOPE_##scope_ },
#include "klog/follows.def"
#undef FOLLOWS
#undef XID
#undef KIND
#undef ROW
#undef MANY
#undef APPLICATION
#undef ANY
};

static bool matches(struct matcher matcher, const struct klog_event *event)
{
	const struct klog_row *row = &klog_rows[event->row];

	switch (matcher.is) {
	case IS_XID: return row->kind == KLOG_NVIDIA_XID && event->has_code && event->code == matcher.value;
	case IS_KIND: return row->kind == matcher.value;
	case IS_ROW: return event->row == matcher.value;
	case IS_MANY: return row->kind == matcher.value && event->count >= MANY_LEAST;
	case IS_APPLICATION: return row->age == KLOG_AGE_APPLICATION;
	case IS_ANY: return true;
	}
	return false;
}

/* ---- when */

/* How long before the effect began the cause was last seen, as far as known after folding. In lines without stamps. */
static int64_t gap_before(const struct klog_event *cause, const struct klog_event *effect, bool *in_lines)
{
	int64_t since_first = 0, since_last = 0, every;

	*in_lines = !klog_time_between(cause->first, effect->first, true, &since_first) ||
		    !klog_time_between(cause->last, effect->first, true, &since_last);
	if (*in_lines) {
		since_first = (int64_t)(effect->first_line - cause->first_line);
		since_last = (int64_t)effect->first_line - (int64_t)cause->last_line;
	}
	if (since_last >= 0 || cause->count < 2)
		return since_last;
	/* It went on: one of its lines came about so long before. */
	every = (since_first - since_last) / (int64_t)(cause->count - 1);
	return since_first < every ? since_first : every;
}

static bool is_near(const struct rule *rule, const struct klog_event *cause, const struct klog_event *effect,
		    int64_t *gap)
{
	/* Processors print a little out of order. */
	const int64_t disorder_us = 1000000;
	bool in_lines;

	if (cause->boot != effect->boot)
		return false;
	*gap = gap_before(cause, effect, &in_lines);
	if (in_lines)
		return *gap >= 0 && *gap <= NEAR_LINES;
	return *gap >= -disorder_us && *gap <= rule->within_us;
}

/* ---- where */

bool klog_event_is_of_bridge(const struct klog_event *event)
{
	return !event->is_gpu &&
	       (!strncmp(event->text, "pcieport ", 9) || !strncmp(event->text, "pciehp ", 7) || event->text[0] == '{');
}

bool klog_event_is_of_card_switch(const struct klog_event *event)
{
	return klog_event_is_of_bridge(event) &&
	       (strstr(event->details, "device [1002:1478]") || strstr(event->details, "device [1002:1479]"));
}

/* Is one of them a bridge that may stand above the other? Buses are counted downwards. */
static bool share_link(const struct klog_event *a, const struct klog_event *b)
{
	const struct klog_event *bridge = klog_event_is_of_bridge(a) ? a : b, *below = bridge == a ? b : a;
	struct pci_address up, down;

	if (parse_pci_address(bridge->device, &up) || parse_pci_address(below->device, &down) ||
	    up.domain != down.domain)
		return false;
	if (up.bus == down.bus && up.device == down.device)
		return true;
	return klog_event_is_of_bridge(bridge) && (up.bus < down.bus || klog_event_is_of_bridge(below));
}

/* ---- what was seen last, by rule and by what cause and effect share */

struct seen {
	struct seen *next;
	uint64_t key;
	size_t rule;
	size_t nr;			/* of all; the last NR_RECENT are here */
	size_t recent[NR_RECENT];
};

struct causes {
	struct arena *arena;
	const struct klog_log *log;
	struct seen **buckets;
	size_t nr_buckets;
};

static uint64_t mix(uint64_t hash, uint64_t number)
{
	hash = (hash ^ number) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

static uint64_t hash_text(const char *text)
{
	uint64_t hash = 1;

	while (*text)
		hash = mix(hash, (unsigned char)*text++);
	return hash;
}

static struct seen **find_seen(const struct causes *causes, size_t rule, uint64_t key)
{
	struct seen **at = &causes->buckets[mix(key, rule) % causes->nr_buckets];

	while (*at && ((*at)->rule != rule || (*at)->key != key))
		at = &(*at)->next;
	return at;
}

static void remember(struct causes *causes, size_t rule, uint64_t key, size_t event)
{
	struct seen **at = find_seen(causes, rule, key);

	if (!*at) {
		*at = arena_alloc(causes->arena, sizeof(**at));
		(*at)->rule = rule;
		(*at)->key = key;
	}
	(*at)->recent[(*at)->nr++ % NR_RECENT] = event;
}

#define KEY_ANY_DEVICE 1
#define KEY_NO_DEVICE 2
#define KEY_NODE 3

/* Tables beside those of the rules: each Xid of each GPU, and the resets that succeeded. */
enum { TABLE_XIDS = ARRAY_SIZE(rules), TABLE_RESETS };

/* Monitors name a GPU by its number or UUID instead; "": the lines do not name it. */
static const char *device_of(const struct klog_event *event)
{
	return event->device[0] || !event->is_relayed || !event->has_code ? event->device : event->unit;
}

static uint64_t link_key(const struct klog_event *event)
{
	struct pci_address address;

	return parse_pci_address(event->device, &address) ? KEY_NO_DEVICE : mix(5, address.domain);
}

static uint64_t process_key(const struct klog_process *process)
{
	return mix(7, process->pid);
}

static void remember_cause(struct causes *causes, size_t rule, size_t at)
{
	const struct klog_event *event = &causes->log->events[at];

	switch (rules[rule].scope) {
	case SCOPE_GPU:
		/* What is the host's names no device by nature, and is no GPU's. */
		if (!device_of(event)[0] && klog_rows[event->row].age == KLOG_AGE_HOST)
			break;
		remember(causes, rule, device_of(event)[0] ? hash_text(device_of(event)) : KEY_NO_DEVICE, at);
		remember(causes, rule, KEY_ANY_DEVICE, at);
		break;
	case SCOPE_LINK:
		remember(causes, rule, link_key(event), at);
		break;
	case SCOPE_PROCESS:
		for (size_t i = 0; i < event->nr_processes; i++)
			if (event->processes[i].has_pid)
				remember(causes, rule, process_key(&event->processes[i]), at);
		break;
	case SCOPE_NODE:
		remember(causes, rule, KEY_NODE, at);
		break;
	}
}

/* ---- the best cause */

struct candidate {
	size_t event;
	int64_t gap;
};

static size_t last_seen(const struct causes *causes, size_t table, uint64_t key)
{
	const struct seen *seen = *find_seen(causes, table, key);

	return seen ? seen->recent[(seen->nr - 1) % NR_RECENT] : NO_EVENT;
}

/* Was the effect's GPU reset with success between the two? */
static bool is_healed_between(const struct causes *causes, size_t cause, size_t effect)
{
	const struct klog_event *events = causes->log->events;
	size_t reset = last_seen(causes, TABLE_RESETS, hash_text(events[effect].device));

	return reset != NO_EVENT && reset != cause && events[reset].first_line > events[cause].last_line;
}

static void try_causes(struct causes *causes, size_t rule, uint64_t key, size_t effect, struct candidate *best)
{
	const struct klog_event *events = causes->log->events;
	const struct seen *seen = *find_seen(causes, rule, key);
	size_t nr = seen ? seen->nr : 0;

	for (size_t i = nr > NR_RECENT ? nr - NR_RECENT : 0; i < nr; i++) {
		size_t at = seen->recent[i % NR_RECENT];
		int64_t gap;

		if (!is_near(&rules[rule], &events[at], &events[effect], &gap) ||
		    is_healed_between(causes, at, effect))
			continue;
		if (rules[rule].scope == SCOPE_LINK && !share_link(&events[at], &events[effect]))
			continue;
		/* Of those as near the one that came last. */
		if (best->event != NO_EVENT && (gap > best->gap || (gap == best->gap && at < best->event)))
			continue;
		*best = (struct candidate){ at, gap };
	}
}

static void try_rule(struct causes *causes, size_t rule, size_t at, struct candidate *best)
{
	const struct klog_event *event = &causes->log->events[at];
	bool is_host = klog_rows[event->row].age == KLOG_AGE_HOST;
	const char *device = device_of(event);

	switch (rules[rule].scope) {
	case SCOPE_GPU:
		if (*device)
			try_causes(causes, rule, hash_text(device), at, best);
		/* Old drivers do not name the device in each line. */
		if (*device && rules[rule].effect.is != IS_ANY)
			try_causes(causes, rule, KEY_NO_DEVICE, at, best);
		if (!*device && !is_host && rules[rule].effect.is != IS_ANY)
			try_causes(causes, rule, KEY_ANY_DEVICE, at, best);
		break;
	case SCOPE_LINK:
		try_causes(causes, rule, link_key(event), at, best);
		break;
	case SCOPE_PROCESS:
		for (size_t i = 0; i < event->nr_processes; i++)
			if (event->processes[i].has_pid)
				try_causes(causes, rule, process_key(&event->processes[i]), at, best);
		break;
	case SCOPE_NODE:
		try_causes(causes, rule, KEY_NODE, at, best);
		break;
	}
}

/* The driver's own words. */
static size_t cause_in_words(const struct causes *causes, const struct klog_event *event)
{
	uint64_t code;

	if (klog_rows[event->row].kind != KLOG_NVIDIA_XID || !klog_previous_xid(event->text, &code))
		return NO_EVENT;
	return last_seen(causes, TABLE_XIDS, mix(hash_text(event->device), code));
}

static size_t find_cause(struct causes *causes, size_t at)
{
	const struct klog_event *event = &causes->log->events[at];
	struct candidate best = { .event = cause_in_words(causes, event) };

	if (best.event != NO_EVENT)
		return best.event;
	for (size_t rule = 0; rule < ARRAY_SIZE(rules); rule++)
		if (matches(rules[rule].effect, event))
			try_rule(causes, rule, at, &best);
	return best.event;
}

static void note_event(struct causes *causes, size_t at)
{
	const struct klog_event *event = &causes->log->events[at];

	for (size_t rule = 0; rule < ARRAY_SIZE(rules); rule++)
		if (matches(rules[rule].cause, event))
			remember_cause(causes, rule, at);
	if (klog_rows[event->row].kind == KLOG_NVIDIA_XID && event->has_code)
		remember(causes, TABLE_XIDS, mix(hash_text(event->device), event->code), at);
	if (event->heals)
		remember(causes, TABLE_RESETS, hash_text(event->device), at);
}

size_t *klog_first_causes(struct arena *arena, const struct klog_log *log)
{
	struct causes causes = { .arena = arena, .log = log, .nr_buckets = 16 * log->nr_events + 1 };
	size_t *firsts = arena_alloc(arena, log->nr_events * sizeof(*firsts));

	causes.buckets = arena_alloc(arena, causes.nr_buckets * sizeof(struct seen *));
	for (size_t i = 0; i < log->nr_events; i++) {
		size_t cause = find_cause(&causes, i);

		firsts[i] = cause == NO_EVENT ? i : firsts[cause];
		note_event(&causes, i);
	}
	return firsts;
}
