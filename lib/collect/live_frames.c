// SPDX-License-Identifier: GPL-2.0-or-later
/* live_frames.c - what a worker of a source of ticks says, line by line (probe/sample/sample.h). */
#include "base/compat.h"
#include "collect/live_internal.h"

#include <errno.h>

#include "base/text.h"
#include "sys/clock.h"

static int refuse(struct live_source *source, const char *what)
{
	source->error = (struct json_error){ .line = 1 };
	snprintf(source->error.what, sizeof(source->error.what), "%s", what);
	return -EINVAL;
}

static const char *clean_text(struct arena *arena, const char *text)
{
	STRBUF_AUTO clean = STRBUF_INIT;

	utf8_clean(&clean, text, strlen(text));
	return arena_strdup(arena, clean.buf);
}

static int read_opened(struct live_source *source)
{
	if (source->has_opened)
		return refuse(source, "opened twice");
	source->has_opened = true;
	return 0;
}

/* It cannot be had: no fault of anybody. */
static int read_end(struct live_source *source, const cJSON *frame)
{
	const cJSON *why = json_member(frame, "why");

	if (source->has_opened || source->state == LIVE_NEVER)
		return refuse(source, "an end after it was opened");
	source->state = LIVE_NEVER;
	source->lack = VAL_ABSENT;
	source->lack_why = cJSON_IsString(why) && *why->valuestring ?
				   clean_text(&source->live->arena, why->valuestring) : "it cannot be opened";
	source->lack_call = "";
	return 0;
}

/* Into the tick that is open. */
static int merge_answer(struct live_source *source, const struct json_doc *doc)
{
	const struct merge_scope scope = { .paths = source->source->provides };
	const struct merge_options options = { .scope = &scope };
	const cJSON *frame = doc->root, *tick = json_member(frame, "tick");

	if (json_u64(doc, json_member(frame, "at_ns"), &source->at_ns) ||
	    json_u64(doc, json_member(frame, "took_ns"), &source->took_ns) ||
	    json_u64(doc, json_member(frame, "cpu_ns"), &source->cpu_ns) || !tick)
		return refuse(source, "a tick without its times");
	source->has_answered = true;
	return tick_merge(&source->live->tick, doc, tick, &options, &source->error);
}

/* We were kept from listening, and it went on. */
static int keep_early(struct live_source *source, uint64_t seq, const char *line, size_t len)
{
	source->dropped += source->early.len > 0;
	strbuf_reset(&source->early);
	strbuf_add(&source->early, line, len);
	source->early_seq = seq;
	return 0;
}

static bool is_to_come(const struct live *live, uint64_t seq)
{
	uint64_t now_ns = clock_monotonic_ns();

	return now_ns < live->start_ns || seq > (now_ns - live->start_ns) / live->options->interval_ns;
}

/* Each of a tick of its own, in their order: there can be no more of them than moments. */
static int read_answer(struct live_source *source, const struct json_doc *doc, uint64_t seq, const char *line,
		       size_t len)
{
	const struct live *live = source->live;

	if (!source->has_opened)
		return refuse(source, "a tick before it was opened");
	if (seq < source->next_seq)
		return refuse(source, "a tick out of order");
	if (is_to_come(live, seq))
		return refuse(source, "a tick whose moment is still to come");
	source->next_seq = seq + 1;
	source->workers[source->nr_starts - 1].stream_bytes = 0;
	if (seq > live->seq)
		return keep_early(source, seq, line, len);
	if (seq < live->seq) {
		source->dropped++;
		return 0;
	}
	return merge_answer(source, doc);
}

static int read_frame(struct live_source *source, const struct json_doc *doc, const char *line, size_t len)
{
	const cJSON *seq = json_member(doc->root, "seq");
	uint64_t number;

	if (seq && !json_u64(doc, seq, &number))
		return read_answer(source, doc, number, line, len);
	if (cJSON_IsTrue(json_member(doc->root, "opened")))
		return read_opened(source);
	if (cJSON_IsTrue(json_member(doc->root, "end")))
		return read_end(source, doc->root);
	return refuse(source, "neither opened, end nor a tick");
}

int live_hear(struct worker *worker, char *line, size_t len)
{
	struct live_source *source = worker->data;
	const struct live *live = source->live;
	struct json_doc doc;
	int r = json_parse(line, len, 0, &doc, &source->error);

	if (!r)
		r = read_frame(source, &doc, line, len);
	json_release(&doc);
	/* Until its next answer: the time to the next moment, and that in which it may be silent. */
	worker->quiet_ms = (unsigned)(live->options->interval_ns / 1000000) + live_silence_ms(live);
	return r;
}

void live_take_early(struct live_source *source)
{
	struct json_doc doc;

	if (!source->early.len || source->early_seq > source->live->seq)
		return;
	if (source->early_seq < source->live->seq) {
		source->dropped++;
	} else if (!json_parse(source->early.buf, source->early.len, 0, &doc, &source->error)) {
		if (merge_answer(source, &doc))
			workers_stop(source->live->set, &source->workers[source->nr_starts - 1]);
		json_release(&doc);
	}
	strbuf_reset(&source->early);
}
