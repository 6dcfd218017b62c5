// SPDX-License-Identifier: GPL-2.0-or-later
/* test_formats.c - the formats for tickets, CI and monitoring, of nodes that say what they like. */
#include "base/compat.h"
#include "base/text.h"
#include "tests/unit/render_node.h"

#include <math.h>
#include <regex.h>

#include "eval/gate/gate.h"
#include "eval/judge/subject.h"

static const char *const ours[] = { "markdown", "html", "junit", "github", "nagios", "short" };

/* What is markup, a command or an end somewhere. */
static const char *const evil[] = {
	HOSTILE,
	"",
	" ",
	"`",
	"``` `` ````",
	"a | b || c \\| d \\\\| `e|f`",
	"@octocat and ping@example.com, #12 GH-34 octo/cat#5",
	"https://example.com www.example.com <https://example.com>",
	"<script>alert(1)</script> <!-- x --> &amp; &#64; ]]> <![CDATA[",
	"1. one\n2. two",
	"- [ ] todo",
	"# head\n===\n---",
	"    indented\t",
	"**bold** _em_ __strong__ ~~gone~~ ![i](j) [k](l)",
	"::error title=x::y",
	"x\r\n::set-output name=a::b\r##[add-mask]c",
	"100 % %0A %25 100%",
	"'gpus'=9;;; | 'x'=1",
	"0000:ab:00.0 :cd: :+1: $x$ $`y`$",
	"\xef\xbf\xbe\xef\xbf\xbf\xf0\x9f\x98\x80 \xc3\x28 \xed\xa0\x80",
	"{gpu} {link_width}",
	"%s %n %d",
	"}}] \"quoted\" 'single'",
};

static void put_everywhere(struct node *node, const char *text)
{
	node->report.headline = node->report.decision.reason = text;
	node->report.decision.gpus = text;
	node->report.messages.v[0] = text;
	node->snapshot.host.name = node->snapshot.host.product = val_str(text);
	node->snapshot.run.tool = node->snapshot.run.taken_at = node->snapshot.request.level = val_str(text);
	for (size_t i = 0; i < ARRAY_SIZE(node->steps); i++)
		node->steps[i].text = node->steps[i].command = node->steps[i].expect = text;
	for (size_t i = 0; i < ARRAY_SIZE(node->groups); i++)
		node->groups[i].sentence = text;
	node->width.title = node->width.why = node->swap.title = node->transfer.title = text;
	node->evidence[0].of = text;
	node->evidence[1].observed.u64 = no_u64(VAL_ERROR, text);
	for (size_t i = 0; i < ARRAY_SIZE(node->results); i++)
		node->results[i].reason = text;
	for (size_t i = 0; i < NR_STAGES; i++)
		node->report.stages[i].summary = text;
	for (size_t i = 0; i < NR_GPUS; i++) {
		node->gpus[i].model = text;
		node->snapshot.gpus[i].slot = val_str(text);
		node->snapshot.gpus[i].pci.driver = val_str(text);
	}
}

static void evil_node_init(struct node *node, const char *text)
{
	node_init(node);
	node->report.decision.nr_unusable = 1;
	put_everywhere(node, text);
}

static bool matches(const char *pattern, const char *text)
{
	regex_t regex;
	int r;

	assert_int_equal(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB | REG_NEWLINE), 0);
	r = regexec(&regex, text, 0, NULL, 0);
	regfree(&regex);
	return !r;
}

/* Each line of the text, which the caller's check gets as a string of its own. */
static void each_line(const char *text, void (*check)(const char *line, bool is_last))
{
	while (*text) {
		size_t len = strcspn(text, "\n");
		char *line = strndup(text, len);

		assert_int_equal(text[len], '\n');
		check(line, !text[len + 1]);
		free(line);
		text += len + 1;
	}
}

/* ---- what holds for all */

static void assert_clean(const char *format, const char *text, bool ascii)
{
	size_t len = strlen(text);

	assert_true(len > 0);
	assert_int_equal(text[len - 1], '\n');
	assert_true(utf8_valid(text, len));
	for (const unsigned char *c = (const unsigned char *)text; *c; c++)
		if ((*c < 0x20 && *c != '\n') || *c == 0x7f || (*c == 0xc2 && c[1] < 0xa0) || (ascii && *c >= 0x80))
			fail_msg("%s: byte %02x at \"%.40s\"", format, *c, (const char *)c);
	if (strstr(text, "(null)"))
		fail_msg("%s: (null) in:\n%s", format, text);
}

static void nothing_gets_through(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(evil); i++) {
		struct node node;

		evil_node_init(&node, evil[i]);
		for (size_t k = 0; k < ARRAY_SIZE(ours); k++) {
			for (int ascii = 0; ascii <= 1; ascii++) {
				char *text = render(&node, ours[k],
						    (struct render_options){ .colour = true, .ascii = ascii });
				char *again = render(&node, ours[k], (struct render_options){ .ascii = ascii });

				assert_clean(ours[k], text, ascii);
				assert_string_equal(text, again);
				free(text);
				free(again);
			}
		}
		node_release(&node);
	}
}

/* ---- nagios */

#define NUMBER "-?[0-9]+(\\.[0-9]+)?"
#define LABEL "'[a-z0-9_]+'"
#define FIGURE LABEL "=" NUMBER "(s|%)?(;(" NUMBER ")?){0,4}"

static void nagios_is_one_line(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(evil); i++) {
		struct node node;
		char *text;

		evil_node_init(&node, evil[i]);
		text = render(&node, "nagios", (struct render_options){ .ascii = false });
		if (!matches("^GPUDIAG CRITICAL - [^|]* \\| " FIGURE "( " FIGURE ")*\n$", text))
			fail_msg("not as a plugin says it: %s", text);
		assert_int_equal(strcspn(text, "\n"), strlen(text) - 1);
		free(text);
		node_release(&node);
	}
}

static void nagios_says_what_the_exit_status_is(void **state)
{
	static const char *const words[] = { "GPUDIAG OK - ", "GPUDIAG WARNING - ", "GPUDIAG CRITICAL - ",
					     "GPUDIAG UNKNOWN - ", "GPUDIAG UNKNOWN - " };
	struct node node;

	(void)state;
	node_init(&node);
	for (int status = 0; status < (int)ARRAY_SIZE(words); status++) {
		char *text;

		node.report.exit_status = status;
		text = render(&node, "nagios", (struct render_options){ .ascii = true });
		assert_int_equal(strncmp(text, words[status], strlen(words[status])), 0);
		assert_has(text, " | 'gpus'=8;;;0 'gpus_usable'=7;;;0;8 'failures'=2;;;0 'warnings'=0;;;0 "
				 "'not_judged'=8;;;0 'elapsed'=3.21s;;;0 'gpu0_link_width'=16;;;0 ");
		assert_has(text, " 'gpu3_link_width'=8;;;0 'gpu3_h2d_gbps'=26.1;;;0 'gpu4_link_width'=16;;;0 ");
		free(text);
	}
	node_release(&node);
}

/* ---- short */

static void short_fits_where_80_bytes_do(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(evil); i++) {
		struct node node;
		char *text;

		evil_node_init(&node, evil[i]);
		node.groups[0].sentence = arena_printf(&node.snapshot.arena, "%s%s%s%s%s%s%s%s", evil[i], evil[i],
						       evil[i], evil[i], evil[i], evil[i], evil[i], evil[i]);
		text = render(&node, "short", (struct render_options){ .ascii = false });
		if (!matches("^GPU 3 pcie-width\\.below-twins: [ -~]*\n$", text) || strlen(text) > 81)
			fail_msg("%zu bytes: %s", strlen(text), text);
		free(text);
		node_release(&node);
	}
}

/* label: NULL for that of the node's GPU 3. */
static void assert_short(struct node *node, const char *label, const char *said, const char *wanted)
{
	struct arena *arena = &node->snapshot.arena;
	char *text;

	if (!label)
		label = subject_label(arena, &node->width.subject);
	node->groups[0].sentence = arena_printf(arena, "%s %s", label, said);
	text = render(node, "short", (struct render_options){ .ascii = false });
	assert_string_equal(text, wanted);
	free(text);
}

static void short_begins_with_the_gpu_and_the_finding(void **state)
{
	struct node node;

	(void)state;
	node_init(&node);
	assert_short(&node, NULL, "runs x8.", "GPU 3 pcie-width.below-twins: runs x8\n");
	/* Cut between words, and marked. */
	assert_short(&node, NULL, "runs x8, and what is said of it does not end, ever, at all.",
		     "GPU 3 pcie-width.below-twins: runs x8, and what is said of it does not end...\n");
	node.groups[0].nr = NR_GPUS;
	node.groups[0].subjects = "GPUs 0-7";
	assert_short(&node, "GPUs 0-7", "run x8.", "GPUs 0-7 pcie-width.below-twins: run x8\n");
	node.report.verdict = VERDICT_PASS;
	node.report.headline = "Nothing broken found: 8 GPUs, 160 checks passed.";
	assert_short(&node, NULL, "", "Nothing broken found: 8 GPUs, 160 checks passed\n");
	node_release(&node);
}

/* ---- github */

static void is_github_line(const char *line, bool is_last)
{
	const char *message;

	if (is_last) {
		assert_int_equal(strncmp(line, "gpudiag: fail: ", strlen("gpudiag: fail: ")), 0);
		assert_null(strstr(line, "##["));
		return;
	}
	if (!matches("^::(error|warning|notice) title=gpudiag%3A [^:,]+::.*$", line))
		fail_msg("no annotation: %s", line);
	message = strstr(line + 2, "::") + 2;
	for (const char *percent = strchr(message, '%'); percent; percent = strchr(percent + 1, '%'))
		assert_true(!strncmp(percent, "%0A", 3) || !strncmp(percent, "%25", 3));
}

static void github_has_annotations_only(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(evil); i++) {
		struct node node;
		char *text;

		evil_node_init(&node, evil[i]);
		text = render(&node, "github", (struct render_options){ .ascii = false });
		each_line(text, is_github_line);
		free(text);
		node_release(&node);
	}
}

static size_t nr_of(const char *text, const char *part)
{
	size_t nr = 0;

	for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
		nr++;
	return nr;
}

/* GitHub shows ten of a type: the rest stands in the tenth, each with its first line. */
static void github_folds_what_it_would_not_show(void **state)
{
	struct group groups[25];
	struct node node;
	char *text;

	(void)state;
	node_init(&node);
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++) {
		groups[i] = node.groups[0];
		groups[i].sentence = arena_printf(&node.report.arena, "Sentence <%zu>.", i);
	}
	node.report.groups = groups;
	for (node.report.nr_groups = 8; node.report.nr_groups <= ARRAY_SIZE(groups); node.report.nr_groups++) {
		size_t own = node.report.nr_groups + 2;	/* two required ones are not judged */

		node.results[NR_GPUS].required = true;
		text = render(&node, "github", (struct render_options){ .ascii = true });
		assert_int_equal(nr_of(text, "::error "), own > 10 ? 10 : own);
		for (size_t i = 0; i < node.report.nr_groups; i++)
			assert_has(text, groups[i].sentence);
		assert_has(text, "pcie-width, GPUs 0-2 and 4-7, required: link_width denied: EACCES");
		if (own > 10)
			assert_has(text,
				   arena_printf(&node.report.arena, "::error title=gpudiag%%3A %zu more::", own - 9));
		free(text);
	}
	node_release(&node);
}

/* ---- junit */

static void junit_escapes(void **state)
{
	static const char *const entities[] = { "&amp;", "&lt;", "&gt;", "&quot;" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(evil); i++) {
		struct node node;
		char *text;

		evil_node_init(&node, evil[i]);
		text = render(&node, "junit", (struct render_options){ .ascii = false });
		for (const char *at = strchr(text, '&'); at; at = strchr(at + 1, '&')) {
			bool any = false;

			for (size_t k = 0; k < ARRAY_SIZE(entities); k++)
				any |= !strncmp(at, entities[k], strlen(entities[k]));
			assert_true(any);
		}
		for (const char *at = strchr(text, '<'); at; at = strchr(at + 1, '<'))
			if (!matches("^<(/?(testsuites?|propert(y|ies)|testcase|failure|error|skipped|system-out)"
				     "|\\?xml)[ />]", at))
				fail_msg("an element at \"%.60s\"", at);
		assert_null(strstr(text, "\xef\xbf\xbe"));
		assert_null(strstr(text, "\xef\xbf\xbf"));
		free(text);
		node_release(&node);
	}
}

static void junit_counts_and_names(void **state)
{
	struct node node;
	char *text;

	(void)state;
	node_init(&node);
	text = render(&node, "junit", (struct render_options){ .ascii = false });
	assert_has(text, "<testsuites name=\"gpudiag\" tests=\"11\" failures=\"2\" errors=\"7\" skipped=\"2\" "
			 "time=\"3.214\">");
	assert_has(text, "<testsuite name=\"gpudiag.link\" tests=\"8\" failures=\"1\" errors=\"7\" skipped=\"0\" "
			 "timestamp=\"2026-11-20T15:02:07.123Z\" hostname=\"gpu-17\">");
	assert_has(text, "<testcase classname=\"gpudiag.link.pcie-width\" name=\"GPU 3\">\n      <failure message=\""
			 "pcie-width.below-twins: GPU 3 (0000:13:00.0) runs x8 of x16, its twins x16.\" "
			 "type=\"failure\">");
	assert_has(text, "<error message=\"not judged: link_width denied: EACCES\" type=\"unknown\"/>");
	assert_has(text, "<skipped message=\"not judged: used_bytes timeout: in a read that never ended, twice, and "
			 "for good\"/>");
	assert_has(text, "<skipped message=\"one CPU node\"/>");
	assert_has(text, "\nExplained by pcie-width.below-twins of GPU 3.\n");
	assert_has(text, "\nEvidence: link_width: x8, expected x16 (current_link_width)\n");
	free(text);
	node_release(&node);
}

/* A warning fails its case where the report does not end as 0; where it does, no case fails. */
static void junit_goes_by_the_exit_status(void **state)
{
	struct node node;
	char *text;

	(void)state;
	node_init(&node);
	node.width.outcome = OUTCOME_WARN;
	node.results[3].outcome = OUTCOME_WARN;
	node.report.results = &node.results[3];
	node.report.nr_results = 1;
	node.report.exit_status = 1;
	text = render(&node, "junit", (struct render_options){ .ascii = false });
	assert_has(text, "tests=\"1\" failures=\"1\" errors=\"0\" skipped=\"0\"");
	assert_has(text, "type=\"warning\">warn: pcie-width.below-twins: ");
	free(text);
	node.report.exit_status = 0;
	text = render(&node, "junit", (struct render_options){ .ascii = false });
	assert_has(text, "tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"0\"");
	assert_has(text, "<system-out>warn: pcie-width.below-twins: ");
	free(text);
	/* Nothing was judged: that is no green. */
	node.report.nr_results = 0;
	node.report.exit_status = 3;
	node.report.headline = "Nothing was judged.";
	text = render(&node, "junit", (struct render_options){ .ascii = false });
	assert_has(text, "tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\"");
	assert_has(text, "<testcase classname=\"gpudiag.decision\" name=\"node\">\n"
			 "      <error message=\"Nothing was judged.\" type=\"decision\"/>");
	free(text);
	node_release(&node);
}

/* ---- markdown */

static size_t nr_columns(const char *line)
{
	size_t nr = 0;

	for (const char *c = line; *c; c++)
		nr += *c == '|' && (c == line || c[-1] != '\\');
	return nr;
}

static size_t columns_of_table;
static size_t fence;	/* length of the open one; 0: none */

static void is_markdown_line(const char *line, bool is_last)
{
	const char *begin = line + strspn(line, " ");
	size_t ticks = strspn(begin, "`");

	(void)is_last;
	if (fence) {
		fence = ticks >= fence && !begin[ticks] ? 0 : fence;
		return;
	}
	if (ticks >= 3 && !strcmp(begin + ticks, "sh")) {
		fence = ticks;
		return;
	}
	if (line[0] != '|') {
		columns_of_table = 0;
		return;
	}
	if (columns_of_table && nr_columns(line) != columns_of_table)
		fail_msg("%zu columns of %zu: %s", nr_columns(line), columns_of_table, line);
	columns_of_table = nr_columns(line);
}

/* What tests/cli/formats.bats sees in what a real renderer makes of it. */
static void markdown_tables_keep_their_columns(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(evil); i++) {
		struct node node;
		char *text;

		evil_node_init(&node, evil[i]);
		text = render(&node, "markdown", (struct render_options){ .ascii = false });
		fence = 0;
		columns_of_table = 0;
		each_line(text, is_markdown_line);
		assert_int_equal(fence, 0);
		free(text);
		node_release(&node);
	}
}

static void markdown_of(const char *given, const char *wanted)
{
	struct node node;
	char *text;

	node_init(&node);
	node.report.headline = given;
	text = render(&node, "markdown", (struct render_options){ .ascii = false });
	assert_has(text, arena_printf(&node.report.arena, "\n\n**%s**\n\n", wanted));
	free(text);
	node_release(&node);
}

static void markdown_words(void **state)
{
	(void)state;
	markdown_of("GPU 3 (0000:5d:00.0, slot 4) is lost.", "GPU 3 (`0000:5d:00.0`, slot 4) is lost.");
	markdown_of("link_width of _x_ is 8 | 16", "link_width of \\_x\\_ is 8 \\| 16");
	markdown_of("ask @octocat, #12 or #x", "ask `@octocat`, `#12` or \\#x");
	markdown_of("see https://a.b/c.", "see `https://a.b/c`.");
	markdown_of("<b> & `x`", "&lt;b&gt; &amp; \\`x\\`");
	markdown_of("1. one", "1\\. one");
	markdown_of("550.54.14 to 1.", "550.54.14 to 1.");
	markdown_of("- one", "\\- one");
	markdown_of("a`b@c", "``a`b@c``");
	markdown_of("*a* [b](c) ~d~", "\\*a\\* \\[b\\](c) \\~d\\~");
}

static void markdown_fences_are_longer(void **state)
{
	struct node node;
	char *text;

	(void)state;
	node_init(&node);
	node.steps[0].command = "echo '```' ````";
	text = render(&node, "markdown", (struct render_options){ .ascii = false });
	assert_has(text, "\n1. Drain the node, power it off, reseat GPU 3 (**disruptive**)\n\n"
			 "   `````sh\n   echo '```' ````\n   `````\n\n2. See what the kernel said\n\n   "
			 "```sh\n   dmesg");
	free(text);
	node_release(&node);
}

static void markdown_tells_all(void **state)
{
	struct node node;
	char *text;

	(void)state;
	node_init(&node);
	text = render(&node, "markdown", (struct render_options){ .ascii = false });
	assert_int_equal(strncmp(text, "## gpudiag: FAIL on gpu-17\n\n**GPU 3 (",
				 strlen("## gpudiag: FAIL on gpu-17\n\n**GPU 3 (")), 0);
	assert_has(text, "\n**Decision:** drain-and-repair, not schedulable. GPUs 0-2 and 4-7 usable, GPU 3 "
			 "unusable.\n\n1. ");
	assert_has(text,
		   "\n| 3 | link | FAIL | GPU 3: x8 of x16 at 32 GT/s, its twins x16 | `pcie-width.below-twins` |\n");
	assert_has(text, "\n#### FAIL `transfer-h2d.below-twins`\n\n");
	assert_has(text, "\nExplained by `pcie-width.below-twins`.\n");
	assert_has(text, "\n| `link_width` | x8 | x16 | current_link_width |\n"
			 "| `link_width` of `0000:0f:00.0` | denied: EACCES | | current_link_width |\n");
	assert_has(text, "\n| `pcie-width` | GPUs 0-2 and 4-7 | yes | link_width denied: EACCES |\n");
	assert_has(text, "\n| serial | denied: EACCES |\n");
	assert_has(text, "\n| 3 | unusable | NVIDIA H100 80GB HBM3 | `0000:13:00.0` |");
	assert_has(
		text,
		"judged by the built-in policy: 11 checks, 1 skipped, 8 not judged; exit status 2; recorded in 3.214 s.\n");
	free(text);
	node_release(&node);
}

static void possible_causes_stand_with_their_effect(void **state)
{
	struct node node;
	char *text;

	(void)state;
	node_init(&node);
	node.transfer.caused_by = NULL;
	node.transfer.nr_possible = 2;
	node.transfer.possible[0] = &node.width;
	node.transfer.possible[1] = &node.swap;
	text = render(&node, "markdown", (struct render_options){ .ascii = false });
	assert_has(text, "\nNo single cause. Possible: `pcie-width.below-twins`, `swap-used.idle`.\n");
	free(text);
	node_release(&node);
}

/* ---- html */

/* Every entity is one that we write, and every tag one of ours: of the node's texts none is either. */
static void assert_only_our_markup(const char *text)
{
	static const char *const entities[] = { "&amp;", "&lt;", "&gt;", "&quot;" };

	for (const char *at = strchr(text, '&'); at; at = strchr(at + 1, '&')) {
		bool any = false;

		for (size_t k = 0; k < ARRAY_SIZE(entities); k++)
			any |= !strncmp(at, entities[k], strlen(entities[k]));
		if (!any)
			fail_msg("no entity of ours: %.40s", at);
	}
	for (const char *at = strchr(text, '<'); at; at = strchr(at + 1, '<'))
		if (!matches(
			    "^<(!DOCTYPE html|/?(html|head|meta|title|style|body|main|header|section|article|div|span|p|h[1-3]"
			    "|[uo]l|li|br|b|code|pre|details|summary|table|thead|tbody|tr|t[hd]|svg|path|rect|text))[ />]",
			    at))
			fail_msg("an element at \"%.60s\"", at);
}

static void html_has_no_markup_of_the_node(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(evil); i++) {
		struct node node;
		char *text;

		evil_node_init(&node, evil[i]);
		text = render(&node, "html", (struct render_options){ .ascii = false });
		assert_only_our_markup(text);
		free(text);
		node_release(&node);
	}
}

static void html_tells_all(void **state)
{
	struct node node;
	char *text;

	(void)state;
	node_init(&node);
	text = render(&node, "html", (struct render_options){ .ascii = false });
	assert_has(text, "<!DOCTYPE html>\n<html lang=\"en\">\n");
	assert_has(text, "<title>FAIL gpu-17: GPU 3 (");
	assert_has(text, "<header class=\"fail\">\n");
	assert_has(text, "<h1><b class=\"word fail\">FAIL</b> GPU 3 (0000:13:00.0, slot PCIe-7");
	assert_has(text,
		   "<p><b>Decision:</b> drain-and-repair, not schedulable. GPUs 0-2 and 4-7 usable, GPU 3 unusable. "
		   "Exit status 2.</p>\n<ol>\n<li>Drain the node");
	assert_has(text, "<pre><code>dmesg -T | grep -iE '0000:13:00.0|nvrm");
	assert_has(text, "<h3><b class=\"word fail\">FAIL</b> GPU 3 (0000:13:00.0) takes data at 26.1 GB/s");
	assert_has(text, "<p>Explained by <code>pcie-width.below-twins</code>.</p>");
	/* What a reader needs first is not folded. */
	assert_has(text, "<details open=\"open\">\n<summary>Evidence, 2 values</summary>\n");
	assert_has(text, "<code>link_width</code> of 0000:0f:00.0</th><td>denied: EACCES</td>");
	assert_has(text, "<td>GPUs 0-2 and 4-7</td><td>required</td><td>link_width denied: EACCES</td>");
	assert_has(text, "<th scope=\"row\" class=\"r\">3</th><td><b class=\"word fail\">unusable</b></td>");
	assert_has(text, "<summary>Skipped, 1</summary>");
	assert_has(text, "<th scope=\"row\">Serial</th><td>denied: EACCES</td>");
	free(text);
	node_release(&node);
}

/* A figure that is not known is no place in a drawing. */
static void html_draws_only_what_is_known(void **state)
{
	static const struct {
		double median, p5, p95;
		bool drawn;
	} figures[] = {
		{ 26.1, 25.5, 26.4, true }, { NAN, 25.5, 26.4, false }, { 26.1, NAN, NAN, false },
		{ 26.1, 25.5, INFINITY, false }, { 0.0, 0.0, 0.0, false }, { 26.1, -1.0, 26.4, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(figures); i++) {
		struct node node;
		char *text;

		node_init(&node);
		node.report.nr_timings = 1;
		node.timings[0].median = figures[i].median;
		node.timings[0].p5 = figures[i].p5;
		node.timings[0].p95 = figures[i].p95;
		text = render(&node, "html", (struct render_options){ .ascii = false });
		assert_int_equal(strstr(text, "class=\"spread\"") != NULL, figures[i].drawn);
		assert_null(strstr(text, "nan"));
		assert_null(strstr(text, "inf\""));
		free(text);
		node_release(&node);
	}
}

/* ---- a gate */

static void a_gate_is_answered(void **state)
{
	const struct gate_item blockers[] = {
		{ .finding = "pcie-width.below-twins", .sentence = "GPU 3 runs x8." },
		{ .sentence = "GPU 2 is gone\n::x." },
	};
	const struct gate_unknown open = { .sentence = "GPU 1 | asleep", .mend = "Wake it: --wake" };
	const struct gate_answer gate = {
		.word = GATE_NO_GO, .reason = "GPU 3 runs x8", .from_driver = "550.54.14", .to_driver = "580.95.05",
		.direction = "up", .nr_blockers = ARRAY_SIZE(blockers), .blockers = blockers, .nr_open = 1,
		.open = &open,
	};
	struct node node;
	char *text;

	(void)state;
	node_init(&node);
	node.report.gate = &gate;
	text = render(&node, "nagios", (struct render_options){ .ascii = false });
	assert_int_equal(strncmp(text, "GPUDIAG CRITICAL - no-go: GPU 3 runs x8 | '", 43), 0);
	free(text);
	text = render(&node, "github", (struct render_options){ .ascii = false });
	assert_has(text, "\n::error title=gpudiag%3A no-go::GPU 2 is gone ::x.\n"
			 "::error title=gpudiag%3A not judged::GPU 1 | asleep%0ANext: Wake it: --wake\n");
	assert_has(text, "\ngpudiag: no-go: GPU 3 runs x8\n");
	assert_null(strstr(text, "required"));
	free(text);
	text = render(&node, "junit", (struct render_options){ .ascii = false });
	assert_has(text, "<property name=\"gate\" value=\"no-go: GPU 3 runs x8\"/>");
	free(text);
	text = render(&node, "markdown", (struct render_options){ .ascii = false });
	assert_has(text, "## gpudiag gate: NO-GO on gpu-17\n\n**GPU 3 runs x8**\n\n"
			 "Driver 550.54.14 to 580.95.05 (up).\n\n"
			 "- GPU 2 is gone `::x`.\n- Not judged: GPU 1 \\| asleep. Next: Wake it: --wake\n\n"
			 "**Decision:** ");
	free(text);
	text = render(&node, "html", (struct render_options){ .ascii = false });
	assert_has(text,
		   "<b class=\"word fail\">NO-GO</b> GPU 3 runs x8</h1>\n<p>Driver 550.54.14 to 580.95.05 (up)</p>\n");
	assert_has(text,
		   "<li><b class=\"word fail\">Worse:</b> GPU 2 is gone ::x.</li>\n"
		   "<li><b class=\"word unknown\">Not judged:</b> GPU 1 | asleep<br/>Next: Wake it: --wake</li>\n");
	free(text);
	node_release(&node);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_gets_through),
		cmocka_unit_test(nagios_is_one_line),
		cmocka_unit_test(nagios_says_what_the_exit_status_is),
		cmocka_unit_test(short_fits_where_80_bytes_do),
		cmocka_unit_test(short_begins_with_the_gpu_and_the_finding),
		cmocka_unit_test(github_has_annotations_only),
		cmocka_unit_test(github_folds_what_it_would_not_show),
		cmocka_unit_test(junit_escapes),
		cmocka_unit_test(junit_counts_and_names),
		cmocka_unit_test(junit_goes_by_the_exit_status),
		cmocka_unit_test(markdown_tables_keep_their_columns),
		cmocka_unit_test(markdown_words),
		cmocka_unit_test(markdown_fences_are_longer),
		cmocka_unit_test(markdown_tells_all),
		cmocka_unit_test(html_has_no_markup_of_the_node),
		cmocka_unit_test(html_tells_all),
		cmocka_unit_test(html_draws_only_what_is_known),
		cmocka_unit_test(possible_causes_stand_with_their_effect),
		cmocka_unit_test(a_gate_is_answered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
