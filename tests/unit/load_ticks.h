/* SPDX-License-Identifier: GPL-2.0-or-later */
/* load_ticks.h - what the tests of eval/load share: a small node, and ticks from JSON. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/compat.h"
#include "base/strbuf.h"
#include "eval/load/load.h"

#define LIMIT_MW 700000

/* GPUs 0000:01:00.0 and on, of 700 W, 1000 MHz and 1 GiB, on links of 16 lanes at 32 GT/s. */
static inline void sealed_of(struct snapshot *ret, unsigned gpus)
{
	struct strbuf text = STRBUF_INIT;
	struct merge_unknown unknown = { .nr = 0 };
	struct json_error error;

	strbuf_addstr(&text, "{\"schema\": \"gpudiag.snapshot/1\", \"gpus\": [");
	for (unsigned i = 1; i <= gpus; i++)
		strbuf_addf(
			&text,
			"%s{\"key\": \"0000:%02x:00.0\", \"pci\": {\"vendor_id\": \"0x10de\", \"class_code\": \"0x030200\","
			" \"driver\": \"nvidia\", \"link_width\": 16, \"link_width_able\": 16,"
			" \"link_speed_mtps\": 32000, \"link_speed_able_mtps\": 32000},"
			" \"nvml\": {\"power_limit_mw\": %d, \"power_default_mw\": %d, \"clock_max_mhz\": 1000,"
			" \"vram_total_bytes\": 1073741824}}",
			i > 1 ? ", " : "", i, LIMIT_MW, LIMIT_MW);
	strbuf_addstr(&text, "]}");
	assert_int_equal(snapshot_load(ret, text.buf, text.len, &unknown, &error), 0);
	strbuf_release(&text);
}

/* A tick at that time with these members, in JSON with ' for ". */
static inline void add_tick(struct load *load, double at_s, const char *format, ...) PRINTF_LIKE(3, 4);
static inline void add_tick(struct load *load, double at_s, const char *format, ...)
{
	struct strbuf text = STRBUF_INIT;
	struct json_error error;
	struct json_doc doc;
	struct tick tick = { .seq = { .state = VAL_UNSET } };
	va_list args;

	strbuf_addf(&text, "{\"at_ns\": %.0f, ", at_s * 1e9);
	va_start(args, format);
	strbuf_vaddf(&text, format, args);
	va_end(args);
	strbuf_addch(&text, '}');
	for (char *at = text.buf; *at; at++)
		*at = *at == '\'' ? '"' : *at;
	if (json_parse(text.buf, text.len, 0, &doc, &error) || tick_merge(&tick, &doc, doc.root, NULL, &error))
		fail_msg("line %u: %s in %s", error.line, error.what, text.buf);
	load_add(load, &tick);
	tick_release(&tick);
	json_release(&doc);
	strbuf_release(&text);
}

static inline void assert_word(struct load *load, size_t gpu, const char *word)
{
	const struct load_view *view = load_now(load);

	assert_true(gpu < view->nr_gpus);
	assert_string_equal(bottleneck_defs[view->gpus[gpu].word].word, word);
}
