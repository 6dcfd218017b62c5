// SPDX-License-Identifier: GPL-2.0-or-later
/* test_render.c - the text report: its words, its lines, what it never prints. */
#include "base/compat.h"
#include "base/text.h"
#include "tests/unit/render_node.h"

static void assert_has_not(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("\"%s\" is in:\n%s", part, text);
}

static void assert_lines_fit(const char *text, size_t columns)
{
	for (const char *line = text; *line;) {
		size_t len = strcspn(line, "\n");
		char *copy = strndup(line, len);

		if (utf8_columns(copy) > columns)
			fail_msg("longer than %zu: %s", columns, copy);
		if (len && line[len - 1] == ' ')
			fail_msg("blanks at the end: \"%s\"", copy);
		free(copy);
		line += len + (line[len] == '\n');
	}
}

static void assert_no_control(const char *text)
{
	assert_true(utf8_valid(text, strlen(text)));
	for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
		if ((*c < 0x20 && *c != '\n') || *c == 0x7f || (*c == 0xc2 && c[1] < 0xa0))
			fail_msg("a control character at \"%.40s\"", (const char *)c);
	}
	assert_has_not(text, "\xe2\x80\xae");
}

static void drop(char *text, const char *part)
{
	size_t len = strlen(part);

	for (char *at = strstr(text, part); at; at = strstr(at, part))
		memmove(at, at + len, strlen(at + len) + 1);
}

/* ---- text */

static void tells_the_cause_first(void **state)
{
	static const char start[] =
		"gpudiag 0.1.0 · gpu-17 · 2026-11-20 15:02 UTC · 8 × NVIDIA H100 80GB HBM3 · driver nvidia\n"
		"\n"
		"FAIL  GPU 3 (0000:13:00.0, slot PCIe-7, serial 1653723052734) runs x8 of x16: host→device stops at\n"
		"      26.1 of 55 GB/s.\n"
		"      Both ends of the link allow x16 and the other seven GPUs of this model have it: link (card,\n"
		"      riser, slot or cable).\n"
		"      Explains: transfer-h2d.below-twins (in the stages below)\n"
		"      Next: Drain the node, power it off, reseat GPU 3 (disruptive)\n"
		"      Next: See what the kernel said\n"
		"            dmesg -T | grep -iE '0000:13:00.0|nvrm|fallen off the bus|pciehp|link down|AER' | \\\n"
		"              tail -50 | sort -u\n"
		"\n"
		" 1 device     pass     8 on the bus, 8 driven, 8 in OpenCL\n"
		" 3 link       FAIL     GPU 3: x8 of x16 at 32 GT/s, its twins x16             "
		"pcie-width.below-twins\n";
	struct node node;
	char *text;

	(void)state;
	node_init(&node);
	text = render(&node, "text", (struct render_options){ .columns = 0 });
	assert_lines_fit(text, 100);
	assert_no_control(text);
	assert_int_equal(strncmp(text, start, strlen(start)), 0);
	assert_has(text, " 7 numa       skip     one CPU node\n");
	assert_has(
		text,
		" 8 timing     caused   GPU 3: host→device 26.1 GB/s of 55                  by "
		"pcie-width.below-twins\n");
	assert_has(text, "card\\x1b[2J\\x07\\x9b31m\xef\xbf\xbd\\u202edab new");
	assert_has_not(text, "versions");
	free(text);
	node_release(&node);
}

static void ends_with_the_decision(void **state)
{
	static const char end[] =
		"    timing          of     median     p5–p95            n  size\n"
		"    h2d-pageable    GPU 3  26.1 GB/s  25.5–26.4 GB/s   12  256 MiB\n"
		"    launch-latency  GPU 3  8.4 µs     900 ns–12 µs    200           noisy\n"
		"\n"
		"note  card\\x1b[2J\\x07\\x9b31m\xef\xbf\xbd\\u202edab new                                            "
		"swap-used.idle\n\n"
		"not judged\n"
		"      pcie-width, GPUs 0-2 and 4-7, required: link_width denied: EACCES\n"
		"      swap-used: used_bytes timeout: in a read that never ended, twice, and for good\n"
		"\n"
		"run   key \"x\" of a newer gpudiag left out\n"
		"\n"
		"decision: drain-and-repair, not schedulable · GPUs 0-2 and 4-7 usable, GPU 3 unusable · 11 checks,\n"
		"          1 skipped, 8 not judged (above) · 3.2 s\n";
	struct node node;
	char *text;

	(void)state;
	node_init(&node);
	text = render(&node, "text", (struct render_options){ .columns = 0 });
	if (strlen(text) < strlen(end) || strcmp(text + strlen(text) - strlen(end), end))
		fail_msg("another end:\n%s", text);
	free(text);
	node_release(&node);
}

static void healthy_node(void **state)
{
	static const char whole[] =
		"gpudiag 0.1.0 · gpu-17 · 2026-11-20 15:02 UTC · 8 × NVIDIA H100 80GB HBM3 · driver nvidia\n"
		"\n"
		"PASS  Nothing broken found: 8 GPUs, 9 checks passed.\n"
		"\n"
		" 1 device     pass     8 on the bus, 8 driven, 8 in OpenCL\n"
		"decision: none · GPUs 0-7 usable · 10 checks, 1 not judged (swap-used: used_bytes timeout: in a read\n"
		"          that never ended, twice, and for good) · 3.2 s\n";
	struct node node;
	char *text;

	(void)state;
	node_init(&node);
	node.gpus[3].state = GPU_USABLE;
	node.report.nr_groups = node.report.nr_findings = node.report.nr_timings = node.report.messages.nr = 0;
	node.report.results = &node.results[NR_GPUS];
	node.report.nr_results = 1;
	memset(node.report.stages, 0, sizeof(node.report.stages));
	node.report.stages[STAGE_DEVICE] = (struct report_stage){
		.outcome = OUTCOME_PASS, .any = true, .summary = "8 on the bus, 8 driven, 8 in OpenCL",
	};
	node.report.verdict = VERDICT_PASS;
	node.report.headline = "Nothing broken found: 8 GPUs, 9 checks passed.";
	node.report.decision = (struct decision){
		.action = ACTION_NONE, .reason = "", .schedulable = "yes", .gpus = "GPUs 0-7 usable",
	};
	node.report.nr_checks = 10;
	node.report.nr_skipped = 0;
	node.report.nr_unknown = 1;
	text = render(&node, "text", (struct render_options){ .columns = 100 });
	assert_string_equal(text, whole);
	free(text);
	node_release(&node);
}

static void a_required_unknown_comes_first(void **state)
{
	struct node node;
	char *text;

	(void)state;
	node_init(&node);
	node.report.nr_groups = node.report.nr_findings = 0;
	node.report.verdict = VERDICT_UNKNOWN;
	node.report.headline = "Not judged: pcie-width of GPU 0 (link_width denied: EACCES).";
	text = render(&node, "text", (struct render_options){ .columns = 0 });
	assert_has(text,
		   "\n\nUNKNOWN  Not judged: pcie-width of GPU 0 (link_width denied: EACCES).\n      Next: Drain");
	free(text);
	node_release(&node);
}

static void narrow_pages_hold(void **state)
{
	static const unsigned widths[] = { 40, 41, 60, 79, 80, 132, 250 };
	struct node node;

	(void)state;
	node_init(&node);
	node.timings[0].key = "a-test-with-a-name-that-no-table-has-room-for-at-all";
	node.timings[0].subject.name = "opencl:a-driver-with-a-name-that-no-table-has-room-for.icd:0";
	node.steps[1].command = "true";
	for (size_t i = 0; i < ARRAY_SIZE(widths); i++) {
		for (int ascii = 0; ascii < 2; ascii++) {
			char *text =
				render(&node, "text", (struct render_options){.columns = widths[i], .ascii = ascii});

			assert_lines_fit(text, widths[i]);
			assert_no_control(text);
			free(text);
		}
	}
	node_release(&node);
}

static void long_words_are_cut(void **state)
{
	char word[301];
	struct node node;
	char *text;

	(void)state;
	node_init(&node);
	memset(word, 'a', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	node.groups[0].sentence = node.report.headline = node.width.why = word;
	node.gpus[0].model = word;
	node.snapshot.host.name = val_str(word);
	node.report.stages[STAGE_LINK].summary = word;
	text = render(&node, "text", (struct render_options){ .columns = 0 });
	assert_lines_fit(text, 100);
	free(text);
	node_release(&node);
}

static uint32_t next_random(uint32_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed;
}

/* Text as no driver has ever said it: bytes at random, blanks and letters among them. */
static void fill_random(char *text, size_t size, uint32_t *seed)
{
	size_t len = next_random(seed) % size;

	for (size_t i = 0; i < len; i++) {
		uint32_t dice = next_random(seed);

		text[i] = dice % 4 == 0 ? ' ' : dice % 4 == 1 ? 'a' : (char)(1 + dice / 4 % 255);
	}
	text[len] = '\0';
}

static void any_bytes_are_safe(void **state)
{
	char text[4][200];
	uint32_t seed = 20261120;
	struct node node;

	(void)state;
	node_init(&node);
	node.groups[0].sentence = node.report.headline = text[0];
	node.width.why = node.gpus[1].model = text[1];
	node.steps[0].text = node.report.stages[STAGE_LINK].summary = text[2];
	node.steps[1].command = "true";
	node.timings[1].subject.name = node.results[NR_GPUS].reason = text[3];
	for (unsigned round = 0; round < 500; round++) {
		struct render_options options = { .columns = 40 + round % 70, .ascii = round % 2 };
		char *out;

		for (size_t i = 0; i < ARRAY_SIZE(text); i++)
			fill_random(text[i], sizeof(text[i]), &seed);
		out = render(&node, "text", options);
		assert_lines_fit(out, options.columns);
		assert_no_control(out);
		free(out);
	}
	node_release(&node);
}

static void ascii_only(void **state)
{
	struct node node;
	char *text;

	(void)state;
	node_init(&node);
	text = render(&node, "text", (struct render_options){ .ascii = true });
	for (const char *c = text; *c; c++)
		assert_true((unsigned char)*c < 0x80);
	assert_lines_fit(text, 100);
	assert_has(text, "gpudiag 0.1.0 | gpu-17 | 2026-11-20 15:02 UTC | 8 x NVIDIA H100 80GB HBM3 | driver nvidia\n");
	assert_has(text, "host->device");
	assert_has(text, "8.4 us");
	assert_has(text, "25.5-26.4 GB/s");
	free(text);
	node_release(&node);
}

static void colour_changes_no_word(void **state)
{
	struct node node;
	char *plain, *coloured;

	(void)state;
	node_init(&node);
	plain = render(&node, "text", (struct render_options){ .colour = false });
	coloured = render(&node, "text", (struct render_options){ .colour = true });
	assert_has_not(plain, "\x1b");
	assert_has(coloured, "\x1b[1;31mFAIL\x1b[0m");
	for (const char *code = coloured; (code = strstr(code, "\x1b["));) {
		code += 2;
		assert_int_equal(code[strspn(code, "0123456789;")], 'm');
	}
	drop(coloured, "\x1b[0m");
	drop(coloured, "\x1b[2m");
	drop(coloured, "\x1b[32m");
	drop(coloured, "\x1b[35m");
	drop(coloured, "\x1b[36m");
	drop(coloured, "\x1b[1;31m");
	drop(coloured, "\x1b[1;33m");
	assert_string_equal(coloured, plain);
	free(plain);
	free(coloured);
	node_release(&node);
}

static void many_findings_end(void **state)
{
	struct group groups[20];
	struct node node;
	char *text;

	(void)state;
	node_init(&node);
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
		groups[i] = node.groups[2];
	node.report.groups = groups;
	node.report.nr_groups = ARRAY_SIZE(groups);
	text = render(&node, "text", (struct render_options){ .columns = 0 });
	assert_has(text, "      and 12 more notes: --format json has them all\n");
	free(text);
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
		groups[i] = node.groups[0];
	text = render(&node, "text", (struct render_options){ .columns = 0 });
	assert_lines_fit(text, 100);
	free(text);
	node_release(&node);
}

static size_t times_told(const char *text, const char *part)
{
	size_t nr = 0;

	for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
		nr++;
	return nr;
}

/* Two faults that may explain three figures: two of these by both, and one by the first alone. */
static void what_is_open_is_told_once(void **state)
{
	static const char *const titles[] = {
		"is capped.", "has other clocks.", "takes data slowly.", "returns data slowly.", "computes slowly.",
	};
	struct finding items[ARRAY_SIZE(titles)];
	const struct finding *findings[ARRAY_SIZE(titles)];
	struct group groups[ARRAY_SIZE(titles)];
	size_t members[ARRAY_SIZE(titles)];
	struct node node;
	char *text;

	(void)state;
	node_init(&node);
	for (size_t i = 0; i < ARRAY_SIZE(titles); i++) {
		items[i] = node.width;
		items[i].outcome = OUTCOME_WARN;
		items[i].nr_steps = 0;
		items[i].title = titles[i];
		items[i].nr_possible = i < 2 ? 0 : i < 4 ? 2 : 1;
		items[i].possible[0] = &items[0];
		items[i].possible[1] = &items[1];
		items[i].group = i;
		findings[i] = &items[i];
		members[i] = i;
		groups[i] = (struct group){
			.first = findings[i], .nr = 1, .nr_members = 1, .members = &members[i], .subjects = "GPU 3",
			.sentence = arena_printf(&node.report.arena, "GPU 3 (0000:13:00.0) %s", titles[i]),
		};
	}
	node.report.findings = findings;
	node.report.groups = groups;
	node.report.nr_findings = node.report.nr_groups = ARRAY_SIZE(titles);
	node.report.decision.finding = NULL;
	node.report.open = findings[2];
	node.report.headline = "No single cause: the headline.";
	text = render(&node, "text", (struct render_options){ .columns = 0 });
	assert_has(text, "\n\nWARN  No single cause: GPU 3 (0000:13:00.0) takes data slowly.\n");
	assert_has(text, "\n      Also:     GPU 3 returns data slowly");
	assert_has(text, "\nWARN  Possible: GPU 3 (0000:13:00.0) is capped.\n");
	assert_has(text, "\nWARN  Possible: GPU 3 (0000:13:00.0) has other clocks.\n");
	assert_has(text, "\nWARN  No single cause: GPU 3 (0000:13:00.0) computes slowly.\n");
	assert_has(text, "\n      Possible: GPU 3 is capped");
	for (size_t i = 1; i < ARRAY_SIZE(titles); i++)
		assert_int_equal(times_told(text, groups[i].sentence + strlen("GPU 3 (0000:13:00.0)")), 1);
	assert_int_equal(times_told(text, "the headline"), 0);
	free(text);
	node_release(&node);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tells_the_cause_first),
		cmocka_unit_test(what_is_open_is_told_once),
		cmocka_unit_test(ends_with_the_decision),
		cmocka_unit_test(healthy_node),
		cmocka_unit_test(a_required_unknown_comes_first),
		cmocka_unit_test(narrow_pages_hold),
		cmocka_unit_test(long_words_are_cut),
		cmocka_unit_test(any_bytes_are_safe),
		cmocka_unit_test(ascii_only),
		cmocka_unit_test(colour_changes_no_word),
		cmocka_unit_test(many_findings_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
