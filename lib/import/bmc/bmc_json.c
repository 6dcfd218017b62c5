// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bmc_json.c - entries of a management controller's log as Redfish has them, by themselves or as Members of a list:
 * {"EntryType": "SEL", "Severity": "Critical", "Created": "2024-03-14T09:12:33Z", "SensorType": "Power Supply",
 * "EntryCode": "Assert", "Message": …}, and events that a controller sent: {"Events": [{"MessageSeverity": "Critical",
 * …}]}
 */
#include "base/compat.h"
#include "import/bmc/bmc_event.h"
#include "import/dump/json_text.h"
#include "import/dump/readers.h"
#include "import/line/xid_line.h"

#include "base/text.h"

enum { DEEPEST = 8 };

enum dump_begins bmc_json_begins(const struct dump_line *lines, size_t nr)
{
	static const char *const of_entry[] = { "EntryType", "MessageId", "EntryCode", "Created" };
	static const char *const severities[] = { "Severity", "MessageSeverity" };

	return json_text_has_any(lines, nr, severities, ARRAY_SIZE(severities)) &&
			       json_text_has_key(lines, nr, "Message") &&
			       json_text_has_any(lines, nr, of_entry, ARRAY_SIZE(of_entry))
		       ? BEGINS_NEW
		       : BEGINS_NOT;
}

struct walk {
	struct reading *reading;
	struct json_text text;
	struct bmc_events *events;
};

static const char *string_in(const struct walk *walk, const cJSON *value)
{
	const char *ret = cJSON_IsString(value) ? json_text_string(walk->reading->arena, &walk->text, value) : NULL;

	return ret ? ret : "";
}

static const char *string_of(const struct walk *walk, const cJSON *entry, const char *name)
{
	return string_in(walk, json_member(entry, name));
}

/* What has a name in a registry, or a kind: others have a severity, too. "Base…" answers who asked the controller. */
static bool is_of_registry(const struct walk *walk, const cJSON *entry)
{
	return (json_member(entry, "MessageId") && !text_begins(string_of(walk, entry, "MessageId"), "Base.")) ||
	       json_member(entry, "EntryType");
}

static const cJSON *severity_of(const cJSON *entry)
{
	const cJSON *severity = json_member(entry, "Severity");

	return severity ? severity : json_member(entry, "MessageSeverity");
}

/* HPE keeps what was repaired as serious as it was: {"Oem": {"Hpe": {"Repaired": true}}}. */
static bool is_repaired(const cJSON *entry)
{
	const cJSON *oem = json_member(entry, "Oem"), *vendor = cJSON_IsObject(oem) ? oem->child : NULL;

	return cJSON_IsTrue(json_member(entry, "Resolved")) ||
	       (cJSON_IsObject(vendor) && cJSON_IsTrue(json_member(vendor, "Repaired")));
}

/* What nobody knows the words of is told where it is called serious. */
static void take_entry(struct walk *walk, const cJSON *entry)
{
	const char *severity = string_in(walk, severity_of(entry)), *code = string_of(walk, entry, "EntryCode");
	const char *message = string_of(walk, entry, "Message"), *type = string_of(walk, entry, "SensorType");
	struct bmc_event event = {
		.line = json_text_line(&walk->text, json_member(entry, "Message")), .sensor = "", .said = message,
		.second = bmc_second(string_of(walk, entry, "Created")), .is_sentence = true,
	};

	if (!event.line || !*message)
		return;
	event.line->is_taken = true;
	/* Of an event that was sent. */
	if (!event.second)
		event.second = bmc_second(string_of(walk, entry, "EventTimestamp"));
	/* Its Xid is told as one, of that GPU. */
	if (xid_line_is(message))
		return;
	event.entry = arena_printf(walk->reading->arena, "%s %s %s", type, message, code);
	event.sign = bmc_sign_in(message, event.entry);
	event.sign = event.sign ? event.sign : bmc_sign_in(code, event.entry);
	event.is_over = bmc_says_over(event.entry) || is_repaired(entry);
	if (event.sign && event.sign->is != BMC_WELL && bmc_is_well(severity))
		event.is_over = true;
	bmc_events_saw(walk->events, event.second);
	if (event.sign ||
	    (bmc_is_critical(severity) && is_of_registry(walk, entry) && !event.is_over && !bmc_is_harmless(message)))
		bmc_event_add(walk->reading, walk->events, &event);
}

static void take_value(struct walk *walk, const cJSON *value, unsigned depth)
{
	if (cJSON_IsObject(value) && cJSON_IsString(json_member(value, "Message")) && severity_of(value)) {
		take_entry(walk, value);
		return;
	}
	for (const cJSON *child = value->child; child && depth < DEEPEST; child = child->next)
		take_value(walk, child, depth + 1);
}

static void read_part(struct reading *reading, const struct dump_part *part, struct bmc_events *events)
{
	struct walk walk = { .reading = reading, .events = events };

	if (json_text_read(part, &walk.text) < 0)
		return;
	take_value(&walk, walk.text.doc.root, 0);
	json_text_release(&walk.text);
}

void bmc_json_read(struct reading *reading)
{
	struct bmc_events events = { .nr = 0 };

	for (const struct dump_part *part = NULL; (part = reading_next_part(reading, part)); )
		read_part(reading, part, &events);
	bmc_events_put(reading, &events);
}
