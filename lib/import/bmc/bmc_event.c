// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bmc_event.c - which entries of a management controller's log still hold. What was asserted and is no longer is over,
 * and what is much older than the log's newest entry, or than what else was taken of the node, is no warning: boards
 * keep their log for years.
 */
#include "base/compat.h"
#include "import/bmc/bmc_event.h"

#include "base/text.h"
#include "base/text_scan.h"

enum { MAX_AGE_S = 72 * 3600, MAX_COUNTED = 4096 };

/* Without what its end has otherwise: "… ; Sensor Reading = 95.00 C" of ipmi-sel, "… - Assertion". */
static const char *words_of(struct arena *arena, const struct bmc_event *event)
{
	static const char *const directions[] = { " - Assert", " - Deassert", " has assert", " has deassert" };
	size_t len = strcspn(event->said, ";");

	for (size_t i = 0; i < ARRAY_SIZE(directions); i++) {
		const char *at = strcasestr(event->said, directions[i]);

		if (at && (size_t)(at - event->said) < len)
			len = (size_t)(at - event->said);
	}
	while (len && event->said[len - 1] == ' ')
		len--;
	return arena_printf(arena, "%s%s%.*s", event->sensor, *event->sensor ? ": " : "", (int)len, event->said);
}

void bmc_event_add(struct reading *reading, struct bmc_events *events, const struct bmc_event *event)
{
	events->v = arena_grow(reading->arena, events->v, events->nr, sizeof(*events->v));
	events->v[events->nr] = *event;
	events->v[events->nr++].words = words_of(reading->arena, event);
}

/* ---- how serious it is */

bool bmc_is_well(const char *severity)
{
	return text_has_word_of(severity, "OK|Info|Normal|Nominal|Repaired");
}

bool bmc_is_critical(const char *severity)
{
	return text_has_word_of(severity, "Critical|Fatal|Failed|Non-recoverable");
}

bool bmc_says_over(const char *said)
{
	return strcasestr(said, "Deassert") && !strcasestr(said, "Predictive Failure Deassert") &&
	       !strcasestr(said, "State Deassert");
}

bool bmc_is_harmless(const char *said)
{
	return text_has_word_of(said,
				"chassis is |intrusion|removed|log is |log cleared|login|link is down|network link|"
				"OEM diagnostic");
}

static bool is_of_gpu(const struct bmc_event *event)
{
	return strcasestr(event->entry, "GPU");
}

static enum bmc_is is_of(const struct bmc_event *event)
{
	return event->sign ? bmc_sign_is(event->sign, event->entry) : BMC_NOTED;
}

/* The key of program_errors; NULL: nothing wrong. */
static const char *key_of(const struct bmc_event *event)
{
	static const char *const keys[] = {
		[BMC_WELL] = NULL, [BMC_NOTED] = "bmc-noted", [BMC_PREDICTED] = "bmc-noted",
		[BMC_LIMIT] = "bmc-host-limit", [BMC_SUPPLY] = "bmc-power", [BMC_MEMORY] = "bmc-memory",
		[BMC_HOST] = "bmc-host",
	};
	enum bmc_is is = is_of(event);

	if (is <= BMC_NOTED || !is_of_gpu(event))
		return keys[is];
	return is == BMC_LIMIT ? "bmc-limit" : "bmc-fault";
}

/* ---- what ends it */

/* Of a log of a few thousand entries; of more the rest counts as not over. */
struct ended {
	const char *words[1024];
	size_t nr;
};

static bool is_ended(const struct ended *ended, const char *words)
{
	for (size_t i = 0; words && i < ended->nr; i++)
		if (!strcmp(ended->words[i], words))
			return true;
	return false;
}

static void end(struct ended *ended, const char *words)
{
	if (words && !is_ended(ended, words) && ended->nr < ARRAY_SIZE(ended->words))
		ended->words[ended->nr++] = words;
}

/* What another entry ends it by; NULL: nothing but its own words. */
static const char *topic_of(struct arena *arena, const struct bmc_event *event)
{
	const char *topic = event->sign ? event->sign->topic : NULL, *number, *verb;

	if (!topic)
		return NULL;
	if (!strcmp(topic, ".")) {
		verb = text_begins(event->said, "Sensor ") ? strstr(event->said, " reading ") : NULL;
		verb = verb ? verb : strstr(event->said, " is ");
		verb = verb ? verb : strstr(event->said, " has ");
		return verb ? arena_printf(arena, "%.*s: limits", (int)(verb - event->said), event->said) : NULL;
	}
	number = event->said + strcspn(event->said, "0123456789");
	if (strchr(topic, '#'))
		return arena_printf(arena, "%s%.*s", topic, (int)strspn(number, "0123456789"), number);
	return arena_printf(arena, "%s: %s", event->sensor, topic);
}

/* The host stopped for it: that its sensor is well since it was started anew says nothing of the module. */
static bool is_lasting(const struct bmc_event *event)
{
	return event->sign && event->sign->topic && !strcmp(event->sign->topic, "!");
}

/* Is it still so by the later ones? What it ends itself is noted. */
static bool is_standing(struct arena *arena, struct ended *ended, const struct bmc_event *event)
{
	const char *topic = topic_of(arena, event);
	bool is_well = event->sign && event->sign->is == BMC_WELL;

	if (event->is_over || is_well) {
		/* That it is well no longer says nothing of what was before. */
		if (!event->is_over || !is_well)
			end(ended, is_well ? topic : event->words);
		return false;
	}
	return is_lasting(event) || (!is_ended(ended, event->words) && !is_ended(ended, topic));
}

/* Without its direction each second one of a state may be its end; of too many nobody counts them. */
static bool may_have_ended(const struct bmc_events *events, const struct bmc_event *event)
{
	enum bmc_is is = is_of(event);
	size_t nr = 0;

	if (!event->is_undirected || (is != BMC_LIMIT && is != BMC_SUPPLY))
		return false;
	for (size_t i = 0; i < events->nr && events->nr <= MAX_COUNTED; i++)
		nr += events->v[i].sign == event->sign && !strcmp(events->v[i].words, event->words);
	return nr % 2 == 0;
}

/* ---- what is told */

/* An old one of a GPU is known and counted as none; lines of 0 tell so. */
static void put_event(struct reading *reading, const struct bmc_event *event, const char *key, bool is_counted)
{
	struct program_error *to = list_element(reading->arena, reading->snapshot, program_errors, program_error, key);
	uint64_t lines = u64_or(to->lines, 0);
	const char *words = event->is_sentence ? event->sign ? event->sign->words : "an entry of its own words" :
		arena_printf(reading->arena, "%s: %s", event->sensor, event->said);

	if (to->words.state == VAL_UNSET || (!lines && is_counted)) {
		put(reading, event->line, to->words, val_str(words));
		if (event->is_sentence)
			put(reading, event->line, to->line, val_str(event->said));
	}
	if (to->lines.state == VAL_UNSET || is_counted)
		put(reading, event->line, to->lines, val_u64(lines + is_counted));
}

/* What stops a host is worth a word when it is over, too; heat and power that are well again are not. */
static void put_past(struct reading *reading, const struct bmc_event *event)
{
	enum bmc_is is = is_of(event);

	if (!is_of_gpu(event) && !is_lasting(event) && (is == BMC_MEMORY || is == BMC_HOST))
		put_event(reading, event, "bmc-noted", true);
}

static void put_standing(struct reading *reading, const struct bmc_events *events, const struct bmc_event *event,
			 uint64_t now)
{
	bool is_old = event->second && now > event->second + MAX_AGE_S;
	const char *key = key_of(event);

	if (!key)
		return;
	if (may_have_ended(events, event) || (is_old && !is_of_gpu(event)))
		key = "bmc-noted";
	put_event(reading, event, key, !is_old || !strcmp(key, "bmc-noted"));
}

/* The newest stands first in what Dell's lclog view and some of Redfish print. Clocks are set back at times. */
static bool is_newest_first(const struct bmc_events *events)
{
	size_t nr_later = 0, nr_earlier = 0;

	for (size_t i = 1; i < events->nr; i++) {
		uint64_t before = events->v[i - 1].second, second = events->v[i].second;

		nr_later += before && second > before;
		nr_earlier += second && second < before;
	}
	return nr_earlier > nr_later;
}

void bmc_events_put(struct reading *reading, const struct bmc_events *events)
{
	uint64_t beside = bmc_newest_beside(reading), now = beside > events->newest ? beside : events->newest;
	bool is_reversed = is_newest_first(events);
	struct ended ended = { .nr = 0 };

	for (size_t i = 0; i < events->nr; i++) {
		const struct bmc_event *event = &events->v[is_reversed ? i : events->nr - 1 - i];

		if (is_standing(reading->arena, &ended, event))
			put_standing(reading, events, event, now);
		else
			put_past(reading, event);
	}
}
