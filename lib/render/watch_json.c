// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * watch_json.c - a tick as it was judged, and the story at the end: schema gpudiag.watch/1 (man/watch.schema.json).
 * Within a schema number keys are only added.
 */
#include "base/compat.h"
#include "render/watch.h"

#include "base/json_writer.h"

/* The values of an object that are null, with their reasons, until they are written as its "unknown". */
struct reasons {
	const char *key[24];
	struct val_head why[24];
	size_t nr;
};

static void note(struct reasons *reasons, const char *key, enum val_state state, const char *why)
{
	if (reasons->nr == ARRAY_SIZE(reasons->key))
		return;
	reasons->key[reasons->nr] = key;
	reasons->why[reasons->nr++] = (struct val_head){ .state = state, .why = why };
}

static void put_f64(struct json_writer *w, struct reasons *reasons, const char *key, struct val_f64 value)
{
	if (is_known(value)) {
		json_f64_member(w, key, f64_or(value, 0.0));
		return;
	}
	json_null_member(w, key);
	note(reasons, key, value.state, value.why);
}

static void put_u64(struct json_writer *w, struct reasons *reasons, const char *key, struct val_u64 value)
{
	if (is_known(value)) {
		json_u64_member(w, key, u64_or(value, 0));
		return;
	}
	json_null_member(w, key);
	note(reasons, key, value.state, value.why);
}

static void put_reasons(struct json_writer *w, const struct reasons *reasons)
{
	if (!reasons->nr)
		return;
	json_object_member(w, "unknown");
	for (size_t i = 0; i < reasons->nr; i++) {
		const struct val_head *head = &reasons->why[i];
		STRBUF_AUTO text = STRBUF_INIT;

		strbuf_addstr(&text, val_state_name(head->state));
		if (head->why)
			strbuf_addf(&text, ": %s", head->why);
		json_str(w, reasons->key[i], text.buf);
	}
	json_object_end(w);
}

static void put_text_or_null(struct json_writer *w, const char *key, const char *text)
{
	json_str(w, key, text && *text ? text : NULL);
}

static void put_word(struct json_writer *w, enum bottleneck word)
{
	json_str(w, "word", bottleneck_defs[word].word);
}

static void put_list_of_reasons(struct json_writer *w, const char *key, const struct load_reason *reasons, size_t nr)
{
	json_array_member(w, key);
	for (size_t i = 0; i < nr; i++) {
		json_object_begin(w);
		json_str(w, "what", reasons[i].what);
		json_str(w, "text", reasons[i].text);
		json_object_end(w);
	}
	json_array_end(w);
}

static void put_group(struct json_writer *w, const struct load_view *view, const struct load_group *group)
{
	json_object_begin(w);
	put_word(w, group->word);
	json_str(w, "confidence", load_confidence_name(group->confidence));
	json_u64_member(w, "held_ns", group->held_ns);
	json_array_member(w, "gpus");
	for (size_t i = 0; i < group->nr_gpus; i++)
		json_put_u64(w, view->gpus[group->gpus[i]].index);
	json_array_end(w);
	json_str(w, "sentence", group->sentence);
	json_str(w, "why", group->why);
	json_str(w, "next", group->next);
	json_str(w, "command", group->command);
	put_list_of_reasons(w, "shown", group->shown, group->nr_shown);
	put_list_of_reasons(w, "ruled_out", group->ruled_out, group->nr_ruled_out);
	json_object_end(w);
}

static void put_figures(struct json_writer *w, struct reasons *reasons, const struct load_gpu *gpu)
{
	put_f64(w, reasons, "busy_percent", gpu->busy_percent);
	put_f64(w, reasons, "busy_p5_percent", gpu->busy_p5_percent);
	put_f64(w, reasons, "busy_p95_percent", gpu->busy_p95_percent);
	put_f64(w, reasons, "sm_active_percent", gpu->sm_active_percent);
	put_f64(w, reasons, "tensor_active_percent", gpu->tensor_active_percent);
	put_f64(w, reasons, "memory_active_percent", gpu->memory_active_percent);
	put_f64(w, reasons, "power_ratio", gpu->power_ratio);
	put_f64(w, reasons, "clock_ratio", gpu->clock_ratio);
	put_u64(w, reasons, "power_mw", gpu->power_mw);
	put_u64(w, reasons, "power_limit_mw", gpu->power_limit_mw);
	put_u64(w, reasons, "clock_mhz", gpu->clock_mhz);
	put_u64(w, reasons, "clock_max_mhz", gpu->clock_max_mhz);
	put_u64(w, reasons, "vram_used_bytes", gpu->vram_used_bytes);
	put_u64(w, reasons, "vram_total_bytes", gpu->vram_total_bytes);
	put_f64(w, reasons, "link_sent_bytes_per_s", gpu->link_sent_bytes_per_s);
	put_f64(w, reasons, "link_received_bytes_per_s", gpu->link_received_bytes_per_s);
	put_f64(w, reasons, "link_limit_bytes_per_s", gpu->link_limit_bytes_per_s);
	put_f64(w, reasons, "temperature_c", gpu->temperature_c);
}

static void put_gpu(struct json_writer *w, const struct load_gpu *gpu)
{
	struct reasons reasons = { .nr = 0 };

	json_object_begin(w);
	json_u64_member(w, "index", gpu->index);
	json_str(w, "key", gpu->gpu ? str_or(gpu->gpu->key, NULL) : NULL);
	put_word(w, gpu->word);
	json_str(w, "confidence", load_confidence_name(gpu->confidence));
	json_u64_member(w, "held_ns", gpu->held_ns);
	put_figures(w, &reasons, gpu);
	put_text_or_null(w, "holder", gpu->holder);
	json_u64_member(w, "holders", gpu->nr_holders);
	json_str(w, "sentence", gpu->sentence);
	put_reasons(w, &reasons);
	json_object_end(w);
}

static void put_host(struct json_writer *w, const struct load_host *host)
{
	struct reasons reasons = { .nr = 0 };

	json_object_begin(w);
	put_f64(w, &reasons, "cpu_busy_percent", host->cpu_busy_percent);
	put_f64(w, &reasons, "io_full_percent", host->io_full_percent);
	put_f64(w, &reasons, "memory_full_percent", host->memory_full_percent);
	put_f64(w, &reasons, "swap_in_bytes_per_s", host->swap_in_bytes_per_s);
	put_text_or_null(w, "busiest_thread", host->busiest_thread);
	json_u64_member(w, "workers", host->workers);
	json_u64_member(w, "workers_pegged", host->workers_pegged);
	put_text_or_null(w, "disk", host->disk);
	put_text_or_null(w, "network", host->network);
	put_reasons(w, &reasons);
	json_object_end(w);
}

void render_watch_json(struct strbuf *out, const struct load_view *view, const struct tick *tick)
{
	struct json_writer w = { .out = out };

	json_object_begin(&w);
	json_str(&w, "schema", WATCH_SCHEMA);
	json_u64_member(&w, "at_ns", view->at_ns);
	json_u64_member(&w, "ticks", view->ticks);
	json_u64_member(&w, "late", view->late);
	json_str(&w, "headline", view->headline);
	json_str(&w, "trouble", view->trouble);
	json_array_member(&w, "groups");
	for (size_t i = 0; i < view->nr_groups; i++)
		put_group(&w, view, &view->groups[i]);
	json_array_end(&w);
	json_array_member(&w, "gpus");
	for (size_t i = 0; i < view->nr_gpus; i++)
		put_gpu(&w, &view->gpus[i]);
	json_array_end(&w);
	json_key(&w, "host");
	put_host(&w, &view->host);
	json_key(&w, "tick");
	record_write(&w, &record_tick, tick);
	json_object_end(&w);
	strbuf_addch(out, '\n');
}

/* ---- the story */

static void put_phase(struct json_writer *w, const struct load_phase *phase)
{
	json_object_begin(w);
	put_word(w, phase->word);
	json_f64_member(w, "share", phase->share);
	json_u64_member(w, "ns", phase->ns);
	json_u64_member(w, "times", phase->times);
	json_str(w, "sentence", phase->sentence);
	json_object_end(w);
}

static void put_gpu_story(struct json_writer *w, const struct load_gpu_story *gpu)
{
	json_object_begin(w);
	json_u64_member(w, "index", gpu->index);
	put_word(w, gpu->word);
	json_f64_member(w, "share", gpu->share);
	json_bool_member(w, "differs", gpu->differs);
	json_object_end(w);
}

void render_watch_story_json(struct strbuf *out, const struct load_story *story)
{
	struct json_writer w = { .out = out };

	json_object_begin(&w);
	json_str(&w, "schema", WATCH_SCHEMA);
	json_object_member(&w, "story");
	json_u64_member(&w, "watched_ns", story->watched_ns);
	json_u64_member(&w, "ticks", story->ticks);
	json_u64_member(&w, "late", story->late);
	put_word(&w, story->word);
	json_str(&w, "headline", story->headline);
	json_str(&w, "next", story->next);
	json_str(&w, "command", story->command);
	json_u64_member(&w, "exit_status", (uint64_t)story->exit_status);
	json_array_member(&w, "phases");
	for (size_t i = 0; i < story->nr_phases; i++)
		put_phase(&w, &story->phases[i]);
	json_array_end(&w);
	json_array_member(&w, "gpus");
	for (size_t i = 0; i < story->nr_gpus; i++)
		put_gpu_story(&w, &story->gpus[i]);
	json_array_end(&w);
	json_object_end(&w);
	json_object_end(&w);
	strbuf_addch(out, '\n');
}
