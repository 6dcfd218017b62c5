// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_ticks.c - a recording of gpudiag watch from anybody: a snapshot, then a tick a line, judged one after the other.
 */
#include "base/compat.h"

#include <stdint.h>

#include "base/json.h"
#include "base/text.h"
#include "eval/load/load.h"
#include "render/watch.h"
#include "snapshot/snapshot.h"
#include "tests/fuzz/fuzz.h"

/* A screen of that size is never left, whatever the figures are. */
static void draw(struct load *load, struct watch_screen *screen, const struct tick *tick)
{
	const struct watch_screen_size size = { .columns = 40, .rows = 10 };
	const struct watch_screen_state state = { .paused = false };
	STRBUF_AUTO out = STRBUF_INIT;
	struct json_error error;
	struct json_doc doc;

	watch_screen_add(screen, load_now(load));
	watch_screen_draw(&out, screen, load_now(load), size, &state);
	render_watch_line(&out, load_now(load), false);
	MUST(utf8_valid(out.buf, out.len));
	strbuf_reset(&out);
	render_watch_json(&out, load_now(load), tick);
	MUST(!json_parse(out.buf, out.len, 0, &doc, &error));
	json_release(&doc);
}

static void add_tick(struct load *load, struct watch_screen *screen, const char *line, size_t len)
{
	struct tick tick = { .seq = { .state = VAL_UNSET } };
	struct json_error error;
	struct json_doc doc;

	if (json_parse(line, len, 0, &doc, &error))
		return;
	if (!tick_merge(&tick, &doc, doc.root, NULL, &error)) {
		load_add(load, &tick);
		draw(load, screen, &tick);
	}
	tick_release(&tick);
	json_release(&doc);
}

static void tell(struct load *load)
{
	const struct load_story *story = load_story(load);
	const struct render_options how = { .columns = 80 };
	STRBUF_AUTO out = STRBUF_INIT;
	double share = 0.0;

	MUST(story->exit_status >= 0 && story->exit_status <= 3);
	for (size_t i = 0; i < story->nr_phases; i++)
		share += story->phases[i].share;
	MUST(share >= 0.0 && share < 1.001);
	render_watch_story(&out, story, &how);
	render_watch_story_json(&out, story);
	MUST(utf8_valid(out.buf, out.len));
}

/* The line that ends there or at the end; *at goes behind it. */
static size_t line_of(const char **at, const char *end, const char **ret)
{
	const char *stop = memchr(*at, '\n', (size_t)(end - *at));
	size_t len = (size_t)((stop ? stop : end) - *at);

	*ret = *at;
	*at = stop ? stop + 1 : end;
	return len;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *at = (const char *)data, *end = at + size, *line;
	struct merge_unknown unknown = { .nr = 0 };
	struct snapshot sealed = { .nr_gpus = 0 };
	struct watch_screen *screen;
	struct json_error error;
	struct load *load;
	size_t len;

	if (!size)
		return 0;
	len = line_of(&at, end, &line);
	if (!snapshot_load(&sealed, line, len, &unknown, &error)) {
		load = load_new(&sealed, &policy_built_in, u64_or(sealed.request.pid, 0));
		screen = watch_screen_new(&sealed, true, true);
		while (at < end) {
			len = line_of(&at, end, &line);
			add_tick(load, screen, line, len);
		}
		tell(load);
		watch_screen_free(screen);
		load_free(load);
	}
	snapshot_release(&sealed);
	return 0;
}
