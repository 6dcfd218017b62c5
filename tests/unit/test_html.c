// SPDX-License-Identifier: GPL-2.0-or-later
/* test_html.c - what pages are made of: escaping, tables, the memory of a watch, text that fits its drawing. */
#include "base/compat.h"
#include "render/html.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "render/svg_text.h"
#include "render/topology.h"
#include "render/watch_trace.h"

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" is not in:\n%s", part, text);
}

static void page_of(struct html *html, struct strbuf *out, bool ascii)
{
	html_open(html, out, &(struct render_options){ .ascii = ascii }, "<title> & \"quoted\"");
}

static void text_is_escaped_wherever_it_stands(void **state)
{
	static const struct {
		const char *text, *escaped;
	} texts[] = {
		{ "<script>alert(\"1\")</script>", "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;" },
		{ "&lt; &amp; &#64;", "&amp;lt; &amp;amp; &amp;#64;" },
		{ "a\x1b[2J\x07\nb\tc", "a\\x1b[2J\\x07 b c" },
		{ "\xff\xc3\x28", "\xef\xbf\xbd\xef\xbf\xbd(" },
		{ "\xe2\x80\xae" "dab", "\\u202edab" },
		{ "\xef\xbf\xbf", "?" },
		{ "</code></pre><!-- ]]>", "&lt;/code&gt;&lt;/pre&gt;&lt;!-- ]]&gt;" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		STRBUF_AUTO out = STRBUF_INIT;
		struct html html;

		page_of(&html, &out, false);
		strbuf_reset(&out);
		html_text(&html, texts[i].text);
		assert_string_equal(out.buf, texts[i].escaped);
		strbuf_reset(&out);
		html_element(&html, "p", "dim", texts[i].text);
		assert_has(out.buf, texts[i].escaped);
		strbuf_reset(&out);
		html_word(&html, STYLE_FAIL, texts[i].text);
		assert_has(out.buf, texts[i].escaped);
		strbuf_reset(&out);
		html_command(&html, texts[i].text);
		assert_has(out.buf, texts[i].escaped);
		strbuf_reset(&out);
		html_section(&html, "id", texts[i].text);
		assert_has(out.buf, texts[i].escaped);
		assert_string_equal(html_cell(&html, texts[i].text), texts[i].escaped);
		assert_has(html_code_cell(&html, texts[i].text), texts[i].escaped);
		assert_has(html_word_cell(&html, STYLE_PASS, texts[i].text), texts[i].escaped);
		html_close(&html);
	}
}

static void a_page_asks_for_nothing_else(void **state)
{
	STRBUF_AUTO out = STRBUF_INIT;
	struct html html;

	(void)state;
	page_of(&html, &out, false);
	html_close(&html);
	assert_has(out.buf, "<title>&lt;title&gt; &amp; &quot;quoted&quot;</title>");
	assert_has(out.buf, "content=\"default-src 'none'; style-src 'unsafe-inline';");
	assert_has(out.buf, "prefers-color-scheme:dark");
	assert_has(out.buf, "@media print");
	/* Nor does the stylesheet. */
	assert_null(strstr(out.buf, "url("));
	assert_null(strstr(out.buf, "@import"));
	assert_null(strstr(out.buf, "http:"));
	assert_null(strstr(out.buf, "https:"));
	assert_null(strstr(out.buf, "<script"));
	assert_null(strstr(out.buf, "src="));
}

static void nothing_is_no_element(void **state)
{
	STRBUF_AUTO out = STRBUF_INIT;
	struct html html;

	(void)state;
	page_of(&html, &out, false);
	strbuf_reset(&out);
	html_text(&html, NULL);
	html_element(&html, "p", NULL, NULL);
	html_element(&html, "p", NULL, "");
	assert_string_equal(out.buf, "");
	assert_string_equal(html_cell(&html, NULL), "");
	assert_string_equal(html_code_cell(&html, ""), "");
	assert_string_equal(html_word_cell(&html, STYLE_FAIL, NULL), "");
	html_close(&html);
}

static void columns_without_cells_are_left_out(void **state)
{
	static const struct html_column columns[] = {
		{ .head = "first" }, { .head = "empty" }, { .head = "n", .right = true },
	};
	STRBUF_AUTO out = STRBUF_INIT;
	struct html_table table;
	struct html html;

	(void)state;
	page_of(&html, &out, false);
	strbuf_reset(&out);
	html_table_open(&table, &html, "a \"label\"", columns, ARRAY_SIZE(columns));
	html_table_put(&table);
	assert_string_equal(out.buf, "");
	html_table_add(&table, (const char *[]){ "a", "", "1" });
	html_table_add(&table, (const char *[]){ NULL, NULL, "2" });
	html_table_put(&table);
	assert_has(out.buf, "aria-label=\"a &quot;label&quot;\"><table>\n<thead><tr><th scope=\"col\">first</th>"
			    "<th scope=\"col\" class=\"r\">n</th></tr></thead>\n<tbody>\n"
			    "<tr><th scope=\"row\">a</th><td class=\"r\">1</td></tr>\n"
			    "<tr><th scope=\"row\"></th><td class=\"r\">2</td></tr>\n");
	html_close(&html);
}

/* ---- drawings */

static void text_is_wrapped_to_its_room(void **state)
{
	static const struct {
		const char *text;
		size_t columns, nr;
		const char *lines[4];
	} texts[] = {
		{ "one two three", 7, 2, { "one two", "three" } },
		{ "one two three", 100, 1, { "one two three" } },
		{ "abcdefgh", 3, 3, { "abc", "def", "gh" } },
		{ "  a  b", 1, 2, { "a", "b" } },
		{ "", 5, 0, { NULL } },
		/* Characters of two columns, and one that is wider than all there is. */
		{ "\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2", 4, 2, { "\xe6\xbc\xa2\xe6\xbc\xa2", "\xe6\xbc\xa2" } },
		{ "\xe6\xbc\xa2", 1, 1, { "\xe6\xbc\xa2" } },
		{ "a\x1b", 3, 2, { "a\\x", "1b" } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct arena arena = { .blocks = NULL };
		struct strs lines = { .nr = 0 };

		svg_text_wrap(&arena, texts[i].text, texts[i].columns, false, &lines);
		assert_int_equal(lines.nr, texts[i].nr);
		for (size_t k = 0; k < lines.nr; k++)
			assert_string_equal(lines.v[k], texts[i].lines[k]);
		arena_release(&arena);
	}
}

static size_t attribute(const char *at, const char *name)
{
	const char *found = strstr(at, name);

	assert_non_null(found);
	return strtoul(found + strlen(name), NULL, 10);
}

/* A control byte is four characters when it is drawn; a name of the host may be longer than any row. */
static void a_drawing_is_as_wide_as_its_texts(void **state)
{
	enum { LEAST_COLUMN = 8 };
	struct topology_row rows[] = {
		{ .text = "NUMA node 0" },
		{ .depth = 1, .text = "0000:01:00.0 \x01\x01\x01\x01\x01\x01\x01\x01", .is_device = true },
	};
	const struct topology topology = { .nr_rows = ARRAY_SIZE(rows), .rows = rows };
	char host[101];

	(void)state;
	memset(host, 'h', sizeof(host) - 1);
	host[sizeof(host) - 1] = '\0';
	for (int is_document = 0; is_document <= 1; is_document++) {
		STRBUF_AUTO svg = STRBUF_INIT;

		topology_svg(&svg, &topology, is_document ? host : "h", is_document, false);
		assert_true(attribute(strstr(svg.buf, "class=\"device\""), " width=\"") >= (13 + 8 * 4) * LEAST_COLUMN);
		assert_true(attribute(svg.buf, " width=\"") >= (is_document ? 100 : 13 + 8 * 4) * LEAST_COLUMN);
		assert_int_equal(strstr(svg.buf, "http://") != NULL, is_document);
	}
}

/* ---- the memory of a watch */

static void add_tick(struct watch_trace *trace, const struct gpu *gpu, struct val_f64 busy, enum bottleneck word)
{
	const struct load_gpu seen = { .gpu = gpu, .index = 3, .busy_percent = busy, .word = word };

	watch_trace_add(trace, &(const struct load_view){ .nr_gpus = gpu != NULL, .gpus = &seen });
}

static void a_long_watch_takes_no_more_room(void **state)
{
	struct watch_trace *trace = watch_trace_new();
	struct gpu gpu = { .key = { .state = VAL_UNSET } };
	size_t ticks = 0;

	(void)state;
	for (size_t i = 0; i < 10 * TRACE_STRETCHES; i++)
		add_tick(trace, &gpu, val_f64(i % 2 ? 100.0 : 0.0), BOTTLENECK_IDLE);
	assert_int_equal(trace->nr_gpus, 1);
	assert_int_equal(trace->gpus[0].index, 3);
	assert_true(trace->nr_stretches <= TRACE_STRETCHES);
	for (size_t i = 0; i < trace->nr_stretches; i++)
		ticks += trace->gpus[0].stretches[i].nr_ticks;
	assert_int_equal(ticks, 10 * TRACE_STRETCHES);
	assert_true(trace_busy(&trace->gpus[0].stretches[0]) == 50.0);
	assert_true(trace_busy_mean(&trace->gpus[0]) == 50.0);
	watch_trace_free(trace);
}

static void what_is_not_known_stays_so(void **state)
{
	struct watch_trace *trace = watch_trace_new();
	struct gpu gpu = { .key = { .state = VAL_UNSET } };

	(void)state;
	add_tick(trace, NULL, val_f64(0.0), BOTTLENECK_IDLE);
	add_tick(trace, &gpu, no_f64(VAL_TIMEOUT, NULL), BOTTLENECK_IDLE);
	assert_int_equal(trace->gpus[0].stretches[0].nr_ticks, 0);
	assert_true(trace_busy(&trace->gpus[0].stretches[1]) < 0.0);
	assert_true(trace_busy_mean(&trace->gpus[0]) < 0.0);
	add_tick(trace, &gpu, val_f64(80.0), BOTTLENECK_IDLE);
	assert_true(trace_busy_mean(&trace->gpus[0]) == 80.0);
	watch_trace_free(trace);
	watch_trace_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_escaped_wherever_it_stands),
		cmocka_unit_test(a_page_asks_for_nothing_else),
		cmocka_unit_test(nothing_is_no_element),
		cmocka_unit_test(columns_without_cells_are_left_out),
		cmocka_unit_test(text_is_wrapped_to_its_room),
		cmocka_unit_test(a_drawing_is_as_wide_as_its_texts),
		cmocka_unit_test(a_long_watch_takes_no_more_room),
		cmocka_unit_test(what_is_not_known_stays_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
