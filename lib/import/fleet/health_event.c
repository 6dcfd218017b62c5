// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * health_event.c - documents of health monitors, in many lines: events of NVSentinel, {"checkName": "GpuXidError",
 * "isHealthy": false, "errorCode": ["79"], "entitiesImpacted": [{"entityType": "GPU", "entityValue": "0"}]}, by
 * themselves,
 * in a list or in another document; and states of gpud's components, {"component": "accelerator-nvidia-ecc", "states":
 * [{"health": "Unhealthy", "reason": …}]}. Events that stand in one line, as logs have them, xid_monitor.c reads.
 */
#include "base/compat.h"
#include "import/fleet/health_event.h"

#include "base/text.h"
#include "import/dump/json_text.h"
#include "import/dump/readers.h"
#include "import/fleet/xid_monitor.h"
#include "import/line/log_pieces.h"
#include "import/program/dcgm_result.h"
#include "import/program/recoveries.h"

enum { DEEPEST = 12 };

static const char component_of_nvidia[] = "accelerator-nvidia-";

/* Their names in JSON; documents of a database have all in small letters. */
enum member { CHECK, HEALTHY, FATAL, MESSAGE, CODE, ENTITIES, TYPE, VALUE, NODE, TIME };
static const char *const names[][2] = {
	[CHECK] = { "checkName", "checkname" },	     [HEALTHY] = { "isHealthy", "ishealthy" },
	[FATAL] = { "isFatal", "isfatal" },	     [MESSAGE] = { "message", "message" },
	[CODE] = { "errorCode", "errorcode" },	     [ENTITIES] = { "entitiesImpacted", "entitiesimpacted" },
	[TYPE] = { "entityType", "entitytype" },     [VALUE] = { "entityValue", "entityvalue" },
	[NODE] = { "nodeName", "nodename" },	     [TIME] = { "generatedTimestamp", "generatedtimestamp" },
};

static const cJSON *member_of(const cJSON *object, enum member member)
{
	const cJSON *ret = json_member(object, names[member][0]);

	return ret ? ret : json_member(object, names[member][1]);
}

enum dump_begins health_event_begins(const struct dump_line *lines, size_t nr)
{
	static const char *const of_gpud[] = { "component", "states", "health" };

	/* What stands in one line is a log's. */
	if (nr < 2 || !json_scan_start(lines, nr) || strstr(lines->text, "\"entityType\""))
		return BEGINS_NOT;
	if (json_text_has_any(lines, nr, names[ENTITIES], ARRAY_SIZE(names[ENTITIES])))
		return BEGINS_NEW;
	for (size_t i = 0; i < ARRAY_SIZE(of_gpud); i++)
		if (!json_text_has_key(lines, nr, of_gpud[i]))
			return BEGINS_NOT;
	return BEGINS_NEW;
}

/* What is made of each: into a snapshot or into a log. */
struct walk {
	struct arena *arena;
	struct json_text text;
	struct reading *reading;	/* NULL: into a log, */
	health_event_fn *fn;		/* by this */
	void *to;
	struct recoveries well;
};

static const char *string_of(const struct walk *walk, const cJSON *value)
{
	return cJSON_IsString(value) ? json_text_string(walk->arena, &walk->text, value) : NULL;
}

/* ---- NVSentinel */

static void take_entity(const struct walk *walk, const cJSON *entity, struct xid_report *ret)
{
	const char *type = string_of(walk, member_of(entity, TYPE)), *value = string_of(walk, member_of(entity, VALUE));

	if (!type || !value)
		return;
	if (!strcasecmp(type, "GPU") && (parse_u64(value, &ret->index) || ret->index >= DCGM_MAX_GPUS))
		ret->index = UINT64_MAX;
	else if (!strcasecmp(type, "PCI"))
		ret->address = dump_address(walk->arena, value);
	else if (!strncasecmp(type, "GPU", 3) && !strncmp(value, "GPU-", 4))
		ret->uuid = value;
}

static void take_entities(const struct walk *walk, const cJSON *event, struct xid_report *ret)
{
	const cJSON *entities = member_of(event, ENTITIES);

	*ret = (struct xid_report){ .index = UINT64_MAX };
	for (const cJSON *entity = cJSON_IsArray(entities) ? entities->child : NULL; entity; entity = entity->next)
		take_entity(walk, entity, ret);
}

/* A text or a number, or an object that has one: {"$date": "…"}, {"seconds": 1767225600}. */
static const char *time_of(const struct walk *walk, const cJSON *event)
{
	const cJSON *time = member_of(event, TIME);

	while (cJSON_IsObject(time))
		time = time->child;
	return cJSON_IsNumber(time) ? arena_printf(walk->arena, "%020.0f", time->valuedouble) : string_of(walk, time);
}

static struct recovery facts_of(const struct walk *walk, const cJSON *event, const struct xid_report *gpu)
{
	return (struct recovery){
		.check = string_of(walk, member_of(event, CHECK)), .node = string_of(walk, member_of(event, NODE)),
		.time = time_of(walk, event), .line = json_text_line(&walk->text, event), .gpu = *gpu,
	};
}

static bool is_over(const struct walk *walk, const cJSON *event, const struct xid_report *gpu)
{
	const struct recovery facts = facts_of(walk, event, gpu);

	return recoveries_end(&walk->well, &facts);
}

static void list_recoveries(struct walk *walk, const cJSON *value, unsigned depth)
{
	struct xid_report gpu;
	struct recovery facts;

	if (cJSON_IsObject(value) && member_of(value, ENTITIES)) {
		if (!cJSON_IsTrue(member_of(value, HEALTHY)))
			return;
		take_entities(walk, value, &gpu);
		facts = facts_of(walk, value, &gpu);
		recoveries_add(walk->arena, &walk->well, &facts);
		return;
	}
	for (const cJSON *child = value->child; child && depth < DEEPEST; child = child->next)
		list_recoveries(walk, child, depth + 1);
}

/* false: the GPU is well, or the event is of nothing that is known here. */
static bool take_event(const struct walk *walk, const cJSON *event, struct xid_report *ret)
{
	const cJSON *healthy = member_of(event, HEALTHY), *code = member_of(event, CODE),
		    *entities = member_of(event, ENTITIES);
	const char *name;

	take_entities(walk, event, ret);
	name = string_of(walk, cJSON_IsArray(code) ? code->child : code);
	if (!cJSON_IsArray(entities) || !member_of(event, CHECK) || !cJSON_IsFalse(healthy) || !name)
		return false;
	xid_report_code(walk->arena, name, string_of(walk, member_of(event, MESSAGE)),
			cJSON_IsFalse(member_of(event, FATAL)), ret);
	return recovery_names_gpu(ret) && !is_over(walk, event, ret);
}

static void use_event(const struct walk *walk, const cJSON *event)
{
	struct dump_line *line;
	struct xid_report report;

	for (const cJSON *member = event->child; walk->reading && member; member = member->next)
		json_text_line(&walk->text, member)->is_taken = true;
	if (!take_event(walk, event, &report))
		return;
	line = json_text_line(&walk->text, member_of(event, CODE));
	if (walk->reading)
		xid_report_put(walk->reading, line, &report);
	else if (report.xid)
		walk->fn(walk->to, walk->text.part, line, xid_monitor_text(walk->arena, &report));
}

/* ---- gpud */

/* Those whose word is of the GPUs themselves; what a program did, or the network is, is none of them. */
static bool is_about_gpus(const char *component)
{
	static const char *const about[] = { "ecc", "remapped-rows", "nvlink", "gpu-counts", "hw-slowdown",
					     "temperature", "fabric-manager" };

	return text_begins(component, component_of_nvidia) &&
	       text_is_any(component + strlen(component_of_nvidia), about, ARRAY_SIZE(about));
}

static const char *status_of(const char *health)
{
	static const struct { const char *health, *status; } words[] = {
		{ "Healthy", "pass" }, { "Unhealthy", "fail" },
	};

	for (size_t i = 0; health && i < ARRAY_SIZE(words); i++)
		if (!strcmp(health, words[i].health))
			return words[i].status;
	return NULL;
}

static void use_state(const struct walk *walk, const cJSON *state, const char *component)
{
	const char *reason = string_of(walk, json_member(state, "reason"));
	const char *status = status_of(string_of(walk, json_member(state, "health")));
	const char *xid = reason ? log_plugin_line(reason) : NULL;
	struct dump_line *line = json_text_line(&walk->text, state);
	struct dcgm_result result = { .gpu = DCGM_NO_GPU, .words = reason, .status = status };

	if (!walk->reading && xid && status && strcmp(status, "pass") != 0)
		walk->fn(walk->to, walk->text.part, line, xid);
	if (!walk->reading)
		return;
	for (const cJSON *member = state->child; member; member = member->next)
		json_text_line(&walk->text, member)->is_taken = true;
	if (!status || xid || !is_about_gpus(component))
		return;
	result.test = arena_printf(walk->arena, "gpud's %s", component);
	dcgm_put_result(walk->reading, line, &result);
}

/* ---- both */

static void take_any(const struct walk *walk, const cJSON *value, unsigned depth)
{
	const cJSON *states = cJSON_IsObject(value) ? json_member(value, "states") : NULL;
	const char *component = states ? string_of(walk, json_member(value, "component")) : NULL;

	if (cJSON_IsObject(value) && member_of(value, ENTITIES)) {
		use_event(walk, value);
		return;
	}
	for (const cJSON *state = component && cJSON_IsArray(states) ? states->child : NULL; state; state = state->next)
		if (cJSON_IsObject(state))
			use_state(walk, state, component);
	for (const cJSON *child = value->child; child && depth < DEEPEST; child = child->next)
		if (child != states || !component)
			take_any(walk, child, depth + 1);
}

static void walk_part(struct walk *walk, const struct dump_part *part)
{
	if (json_text_read(part, &walk->text) < 0)
		return;
	list_recoveries(walk, walk->text.doc.root, 0);
	take_any(walk, walk->text.doc.root, 0);
	json_text_release(&walk->text);
}

void health_event_read(struct reading *reading)
{
	walk_part(&(struct walk){ .arena = reading->arena, .reading = reading }, reading->part);
}

void health_event_lines(struct arena *arena, const struct dump_part *part, health_event_fn *fn, void *to)
{
	walk_part(&(struct walk){ .arena = arena, .fn = fn, .to = to }, part);
}
