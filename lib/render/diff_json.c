// SPDX-License-Identifier: GPL-2.0-or-later
/* diff_json.c - a comparison as data, one object for each difference. Within a schema number keys are only added. */
#include "base/compat.h"
#include "base/json_writer.h"
#include "render/diff_rows.h"
#include "render/json_internal.h"

static void put_side(struct json_writer *w, const char *key, const struct snapshot *snapshot)
{
	json_object_member(w, key);
	json_str(w, "host", str_or(snapshot->host.name, NULL));
	json_str(w, "machine_serial", str_or(snapshot->host.machine_serial, NULL));
	json_str(w, "taken_at", str_or(snapshot->run.taken_at, NULL));
	json_str(w, "tool", str_or(snapshot->run.tool, NULL));
	json_object_end(w);
}

static const char *result_word(const struct diff *diff)
{
	if (!diff->nr_compared)
		return "not-comparable";
	if (!diff->nr)
		return "same";
	return diff->is_worse ? "worse" : "not-worse";
}

static void put_loss(struct json_writer *w, const struct container_loss *loss)
{
	json_object_begin(w);
	json_str(w, "what", loss->what);
	json_str(w, "thing", loss->thing);
	json_str(w, "gpu", loss->gpu);
	json_str(w, "uuid", loss->uuid);
	json_str(w, "host", loss->host);
	json_str(w, "inside", loss->inside);
	json_str(w, "option", loss->option);
	json_str(w, "kubernetes", loss->kubernetes);
	json_object_end(w);
}

static void put_container(struct json_writer *w, const struct container_diff *container)
{
	if (!container->is_pair) {
		json_null_member(w, "container");
		return;
	}
	json_object_member(w, "container");
	json_str(w, "inside", container->inside_is_after ? "after" : "before");
	json_str(w, "runtime", container->runtime);
	json_array_member(w, "lost");
	for (size_t i = 0; i < container->nr; i++)
		put_loss(w, &container->losses[i]);
	json_array_end(w);
	json_texts(w, "not_compared", container->not_compared.v, container->not_compared.nr);
	json_object_end(w);
}

static void put_difference(struct json_writer *w, const struct difference *item)
{
	json_object_begin(w);
	json_str(w, "group", diff_group_name(item->group));
	json_str(w, "weight", diff_weight_name(item->weight));
	json_str(w, "thing", item->thing);
	json_str(w, "gpu", item->gpu);
	json_str(w, "what", item->what);
	json_str(w, "before", item->before);
	json_str(w, "after", item->after);
	json_str(w, "why", item->why);
	json_object_end(w);
}

void render_diff_json(struct strbuf *out, const struct diff *diff, const struct render_options *options)
{
	struct json_writer w = { .out = out, .indent = 2 };

	(void)options;
	json_object_begin(&w);
	json_str(&w, "schema", DIFF_SCHEMA);
	put_side(&w, "before", diff->before);
	put_side(&w, "after", diff->after);
	if (diff->machine_known)
		json_bool_member(&w, "same_machine", diff->same_machine);
	else
		json_null_member(&w, "same_machine");
	json_str(&w, "result", result_word(diff));
	json_u64_member(&w, "worse", diff->nr_worse);
	json_u64_member(&w, "better", diff->nr_better);
	json_u64_member(&w, "other", diff->nr - diff->nr_worse - diff->nr_better);
	put_container(&w, &diff->container);
	json_array_member(&w, "differences");
	for (size_t i = 0; i < diff->nr; i++)
		put_difference(&w, &diff->items[i]);
	json_array_end(&w);
	json_texts(&w, "messages", diff->messages.v, diff->messages.nr);
	json_object_end(&w);
	strbuf_addch(out, '\n');
}
