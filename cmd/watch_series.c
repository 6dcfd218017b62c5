// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "cmd/watch_series.h"

#include <errno.h>
#include <stdarg.h>

#include "checks/playbook.h"
#include "cmd/cmd.h"
#include "render/watch.h"

#define NS_PER_S UINT64_C(1000000000)

/* ---- writing */

/* JSON without the blanks between its parts; what stands in a text stays. */
static void add_without_blanks(struct strbuf *out, const char *json, size_t len)
{
	bool in_text = false;

	for (size_t i = 0; i < len; i++) {
		if (in_text && json[i] == '\\' && i + 1 < len)
			strbuf_addch(out, json[i++]);
		else if (json[i] == '"')
			in_text = !in_text;
		else if (!in_text && strchr(" \t\r\n", json[i]))
			continue;
		strbuf_addch(out, json[i]);
	}
}

/* As gpudiag policy prints it, the comments left out. */
static void add_policy(struct strbuf *out, const struct policy *policy)
{
	STRBUF_AUTO text = STRBUF_INIT;
	struct json_error error;
	struct json_doc doc;

	render_policy(&text, policy);
	if (json_parse(text.buf, text.len, JSON_COMMENTS, &doc, &error))
		die(EXIT_INTERNAL, "watch: the policy cannot be recorded: line %u: %s", error.line, error.what);
	add_without_blanks(out, doc.text, doc.len);
	json_release(&doc);
}

void series_write_begin(struct strbuf *out, const struct snapshot *sealed, const struct policy *policy, uint64_t pid)
{
	struct json_writer w = { .out = out };

	json_object_begin(&w);
	json_str(&w, "schema", WATCH_SCHEMA);
	json_str(&w, "tool", TOOL);
	if (pid)
		json_u64_member(&w, "pid", pid);
	json_key(&w, "snapshot");
	snapshot_write_object(&w, sealed);
	strbuf_addstr(out, ",\"policy\":");
	add_policy(out, policy);
	strbuf_addstr(out, "}\n");
}

void series_write_tick(struct strbuf *out, const struct tick *tick)
{
	struct json_writer w = { .out = out };

	json_object_begin(&w);
	json_key(&w, "tick");
	record_write(&w, &record_tick, tick);
	json_object_end(&w);
	strbuf_addch(out, '\n');
}

/* ---- reading */

static int PRINTF_LIKE(2, 3) refuse(struct json_error *error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(error->what, sizeof(error->what), format, args);
	va_end(args);
	return -EINVAL;
}

static int check_schema(const cJSON *root, struct json_error *error)
{
	const cJSON *schema = json_member(root, "schema");

	if (!cJSON_IsString(schema) || strncmp(schema->valuestring, "gpudiag.watch/", strlen("gpudiag.watch/")) != 0)
		return refuse(error, "not a recording of gpudiag watch: no \"schema\": \"" WATCH_SCHEMA "\"");
	if (strcmp(schema->valuestring, WATCH_SCHEMA) != 0)
		return refuse(error, "schema \"%.40s\" is not known to this gpudiag, which reads \"" WATCH_SCHEMA
				     "\": use a newer one", schema->valuestring);
	if (!json_member(root, "snapshot"))
		return refuse(error, "no \"snapshot\": not the first line of a recording (--record), or the output of "
				     "--format json");
	return 0;
}

/* Within a recording the snapshot need not say again what it is. */
static int read_snapshot(struct series *series, const struct json_doc *doc, struct json_error *error)
{
	const cJSON *object = json_member(doc->root, "snapshot");
	const struct merge_options options = { .unknown = &series->unknown };

	if (json_member(object, "schema"))
		return snapshot_load_object(&series->sealed, doc, object, &series->unknown, error);
	return snapshot_merge(&series->sealed, doc, object, &options, error);
}

static int read_policy(struct series *series, const struct json_doc *doc, struct json_error *error)
{
	const cJSON *object = json_member(doc->root, "policy");
	struct policy_errors errors = { .nr = 0 };
	struct strs checks;
	char *text;
	int r;

	series->policy = policy_built_in;
	if (!object)
		return 0;
	checks = playbook_checks(&series->arena, &playbook);
	text = cJSON_PrintUnformatted(object);
	if (!text)
		return refuse(error, "\"policy\": out of memory");
	r = policy_parse(&series->policy, &series->arena, &checks, "the recorded policy", text, strlen(text), &errors);
	cJSON_free(text);
	return r ? refuse(error, "\"policy\": %s", errors.nr ? errors.items[0].what : "cannot be read") : 0;
}

const struct policy *series_policy(struct series *series)
{
	return policy_resolve(&series->arena, &series->policy, str_or(series->sealed.host.name, NULL), NULL);
}

static int read_pid(struct series *series, const struct json_doc *doc, struct json_error *error)
{
	const cJSON *pid = json_member(doc->root, "pid");

	if (pid && !cJSON_IsNull(pid) && json_u64(doc, pid, &series->pid))
		return refuse(error, "\"pid\": a whole number expected");
	if (!pid)
		series->pid = u64_or(series->sealed.request.pid, 0);
	return 0;
}

int series_begin(struct series *series, const char *line, size_t len, const struct policy *policy,
		 struct json_error *error)
{
	struct json_doc doc;
	int r = json_parse(line, len, 0, &doc, error);

	if (r)
		return r;
	r = check_schema(doc.root, error);
	if (!r)
		r = read_snapshot(series, &doc, error);
	if (!r && policy)
		series->policy = *policy;
	else if (!r)
		r = read_policy(series, &doc, error);
	if (!r)
		r = read_pid(series, &doc, error);
	json_release(&doc);
	return r;
}

/* What a line by hand may leave out. A tick that is not after the one before is no tick of this series. */
static int set_time(struct series *series, struct tick *tick, struct json_error *error)
{
	if (!is_known(tick->seq))
		tick->seq = val_u64(series->ticks);
	if (!is_known(tick->at_ns))
		tick->at_ns = val_u64(series->ticks ? series->last_ns + NS_PER_S : 0);
	if (series->ticks && u64_or(tick->at_ns, 0) <= series->last_ns)
		return refuse(error, "\"at_ns\": not after that of the tick before");
	series->last_ns = u64_or(tick->at_ns, 0);
	series->ticks++;
	return 0;
}

/* The name of the first unknown key lives in the tick, which goes. */
static void keep_unknown(struct series *series, const struct merge_unknown *unknown)
{
	if (unknown->nr && !series->unknown.nr) {
		snprintf(series->first_unknown, sizeof(series->first_unknown), "%s", unknown->first);
		series->unknown.first = series->first_unknown;
		series->unknown.first_line = (unsigned)series->line;
	}
	series->unknown.nr += unknown->nr;
}

/* An address by hand that is not as in the snapshot would else be judged as a GPU without figures. */
static void count_strangers(struct series *series, const struct tick *tick)
{
	for (size_t i = 0; i < tick->nr_gpus; i++) {
		const char *key = str_or(tick->gpus[i].key, "");

		if (list_find(&series->sealed, gpus, gpu, key))
			continue;
		if (!series->nr_strangers++)
			snprintf(series->first_stranger, sizeof(series->first_stranger), "%s", key);
	}
}

int series_tick(struct series *series, const char *line, size_t len, struct tick *ret, struct json_error *error)
{
	struct merge_unknown unknown = { .nr = 0 };
	const struct merge_options options = { .unknown = &unknown };
	struct json_doc doc;
	const cJSON *object;
	int r = json_parse(line, len, 0, &doc, error);

	*ret = (struct tick){ .nr_gpus = 0 };
	if (r)
		return r;
	object = json_member(doc.root, "tick");
	if (object)
		r = tick_merge(ret, &doc, object, &options, error);
	else
		r = refuse(error, "no \"tick\"");
	if (!r)
		r = set_time(series, ret, error);
	if (!r) {
		keep_unknown(series, &unknown);
		count_strangers(series, ret);
	}
	json_release(&doc);
	if (r)
		tick_release(ret);
	return r;
}

void series_release(struct series *series)
{
	snapshot_release(&series->sealed);
	arena_release(&series->arena);
}
