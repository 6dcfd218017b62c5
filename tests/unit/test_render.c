// SPDX-License-Identifier: GPL-2.0-or-later
/* test_render.c - a report made by hand, in every format. */
#include "base/compat.h"
#include "render/render.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "base/text.h"

/* What an evil device could call itself: escape, bell, a C1 control, a lone byte, a turn of direction. */
#define HOSTILE "card\x1b[2J\x07\xc2\x9b""31m\xff\xe2\x80\xae""dab\nnew"
#define NR_GPUS 8

static void no_eval(struct judgement *j)
{
	(void)j;
}

static const struct check width_check = {
	.name = "pcie-width", .title = "PCIe link width", .doc = "", .per = SUBJECT_GPU, .says = NULL,
	.may_emit = IDS(PCIE_WIDTH_BELOW_TWINS), .eval = no_eval,
};
static const struct check transfer_check = {
	.name = "transfer-h2d", .title = "Host to device", .doc = "", .per = SUBJECT_OCL_DEVICE, .says = NULL,
	.may_emit = IDS(TRANSFER_H2D_BELOW_TWINS), .eval = no_eval,
};
static const struct check swap_check = {
	.name = "swap-used", .title = "Swap in use", .doc = "", .per = SUBJECT_NODE, .says = NULL,
	.may_emit = IDS(SWAP_USED_IDLE), .eval = no_eval,
};

/* A node of eight GPUs, the fourth on half its lanes, and all that the report says of it. */
struct node {
	struct snapshot snapshot;
	struct report report;
	struct report_gpu gpus[NR_GPUS];
	struct evidence evidence[3];
	struct step steps[3];
	struct finding width, transfer, swap;
	const struct finding *findings[3];
	struct group groups[3];
	struct result results[NR_GPUS + 3];
	struct report_timing timings[2];
};

static struct subject gpu_subject(struct node *node, size_t index)
{
	return (struct subject){
		.kind = SUBJECT_GPU, .gpu = &node->snapshot.gpus[index], .gpu_index = index,
		.name = arena_printf(&node->snapshot.arena, "GPU %zu", index),
		.address = str_or(node->snapshot.gpus[index].key, NULL),
	};
}

static void fill_snapshot(struct snapshot *snapshot)
{
	snapshot->run.tool = val_str("gpudiag 0.1.0");
	snapshot->run.taken_at = val_str("2026-11-20T15:02:07.123Z");
	snapshot->run.source = val_str("live");
	snapshot->run.elapsed_ms = val_u64(3214);
	strs_add(&snapshot->arena, &snapshot->run.argv, "gpudiag");
	strs_add(&snapshot->arena, &snapshot->run.argv, HOSTILE);
	snapshot->host.name = val_str("gpu-17");
	snapshot->host.machine_serial = no_str(VAL_DENIED, "EACCES");
	snapshot->request.level = val_str("quick");
	snapshot->bus.gpus = val_u64(NR_GPUS);
	for (unsigned i = 0; i < NR_GPUS; i++) {
		const char *address = arena_printf(&snapshot->arena, "0000:%02x:00.0", 0x10 + i);
		struct gpu *gpu = list_element(&snapshot->arena, snapshot, gpus, gpu, address);

		gpu->pci.driver = val_str("nvidia");
		gpu->pci.vendor_id = val_str("0x10de");
		gpu->pci.numa_node = no_u64(VAL_ABSENT, NULL);
		gpu->pci.link_width = val_u64(i == 3 ? 8 : 16);
	}
	list_element(&snapshot->arena, snapshot, holders, holder, "77:/dev/nvidia0")->pid = val_u64(77);
	list_element(&snapshot->arena, snapshot, probes, probe_run, "pci")->outcome = val_str("ok");
}

static void fill_evidence(struct node *node)
{
	const struct field *width = &record_pci_function.fields[FIELD_pci_function_link_width];

	node->evidence[0] = (struct evidence){
		.field = width, .of = NULL, .observed.u64 = val_u64(8), .expected.u64 = val_u64(16),
	};
	node->evidence[1] = (struct evidence){
		.field = width, .of = "0000:0f:00.0", .observed.u64 = no_u64(VAL_DENIED, "EACCES"),
	};
	node->evidence[2] = (struct evidence){
		.field = &record_swap.fields[FIELD_swap_used_bytes], .of = "/dev/sda2", .observed.u64 = val_u64(1 << 20),
	};
}

static void fill_findings(struct node *node)
{
	node->steps[0] = (struct step){ .text = "Drain the node, power it off, reseat GPU 3", .command = NULL, .disruptive = true };
	node->steps[1] = (struct step){
		.text = "See what the kernel said", .disruptive = false,
		.command = "dmesg -T | grep -iE '0000:13:00.0|nvrm|fallen off the bus|pciehp|link down|AER' | tail -50 | sort -u",
	};
	node->steps[2] = (struct step){ .text = "Look", .command = "lspci -s 0000:13:00.0", .disruptive = false };
	node->width = (struct finding){
		.id = PCIE_WIDTH_BELOW_TWINS, .def = &finding_defs[PCIE_WIDTH_BELOW_TWINS], .outcome = OUTCOME_FAIL,
		.stage = STAGE_LINK, .check = &width_check, .subject = gpu_subject(node, 3),
		.title = "runs x8 of x16, its twins x16", .key = "0123456789abcdef",
		.why = "Both ends of the link allow x16 and the other seven GPUs of this model have it: link (card, riser, slot or cable).",
		.evidence = { 2, node->evidence }, .nr_steps = 2, .steps = node->steps,
	};
	node->transfer = (struct finding){
		.id = TRANSFER_H2D_BELOW_TWINS, .def = &finding_defs[TRANSFER_H2D_BELOW_TWINS], .outcome = OUTCOME_FAIL,
		.stage = STAGE_TIMING, .check = &transfer_check, .subject = gpu_subject(node, 3),
		.title = "takes data at 26.1 GB/s of the 55 GB/s its link gives", .why = NULL, .key = "fedcba9876543210",
		.caused_by = &node->width,
	};
	node->swap = (struct finding){
		.id = SWAP_USED_IDLE, .def = &finding_defs[SWAP_USED_IDLE], .outcome = OUTCOME_NOTE,
		.stage = STAGE_SWAP, .check = &swap_check, .subject = { .kind = SUBJECT_NODE, .name = "node" },
		.title = HOSTILE, .why = "Nothing.", .key = "00000000000000aa", .evidence = { 1, &node->evidence[2] },
	};
	node->findings[0] = &node->width;
	node->findings[1] = &node->transfer;
	node->findings[2] = &node->swap;
	node->groups[0] = (struct group){
		.first = &node->width, .nr = 1, .subjects = "GPU 3",
		.sentence = "GPU 3 (0000:13:00.0, slot PCIe-7, serial 1653723052734) runs x8 of x16: host→device stops at 26.1 of 55 GB/s.",
	};
	node->groups[1] = (struct group){
		.first = &node->transfer, .nr = 1, .subjects = "GPU 3",
		.sentence = "GPU 3 (0000:13:00.0) takes data at 26.1 GB/s of the 55 GB/s its link gives.",
	};
	node->groups[2] = (struct group){ .first = &node->swap, .nr = 1, .subjects = "node", .sentence = HOSTILE };
}

static void fill_results(struct node *node)
{
	for (size_t i = 0; i < NR_GPUS; i++)
		node->results[i] = (struct result){
			.check = &width_check, .stage = STAGE_LINK, .required = true, .subject = gpu_subject(node, i),
			.outcome = i == 3 ? OUTCOME_FAIL : OUTCOME_UNKNOWN, .reason = i == 3 ? NULL : "link_width denied: EACCES",
			.evidence = { 2, node->evidence },
		};
	node->results[NR_GPUS] = (struct result){
		.check = &swap_check, .stage = STAGE_SWAP, .subject = { .kind = SUBJECT_NODE, .name = "node" },
		.outcome = OUTCOME_UNKNOWN, .reason = "used_bytes timeout: in a read that never ended, twice, and for good",
	};
	node->results[NR_GPUS + 1] = (struct result){
		.check = &transfer_check, .stage = STAGE_NUMA, .subject = { .kind = SUBJECT_NODE, .name = "node" },
		.outcome = OUTCOME_SKIP, .reason = "one CPU node",
	};
	node->results[NR_GPUS + 2] = (struct result){
		.check = &transfer_check, .stage = STAGE_TIMING, .subject = gpu_subject(node, 3), .outcome = OUTCOME_FAIL,
	};
}

static void fill_stages(struct report_stage stages[NR_STAGES])
{
	stages[STAGE_DEVICE] = (struct report_stage){
		.outcome = OUTCOME_PASS, .any = true, .summary = "8 on the bus, 8 driven, 8 in OpenCL",
	};
	stages[STAGE_LINK] = (struct report_stage){
		.outcome = OUTCOME_FAIL, .any = true, .summary = "GPU 3: x8 of x16 at 32 GT/s, its twins x16",
		.detail = "pcie-width.below-twins",
	};
	stages[STAGE_SWAP] = (struct report_stage){ .outcome = OUTCOME_UNKNOWN, .any = true, .summary = HOSTILE };
	stages[STAGE_NUMA] = (struct report_stage){ .outcome = OUTCOME_SKIP, .any = true, .summary = "" };
	stages[STAGE_TIMING] = (struct report_stage){
		.outcome = OUTCOME_FAIL, .any = true, .summary = "GPU 3: host→device 26.1 GB/s of 55",
		.detail = "transfer-h2d.below-twins",
	};
}

static void fill_timings(struct node *node)
{
	node->timings[0] = (struct report_timing){
		.test = "h2d-pageable", .subject = gpu_subject(node, 3), .size_bytes = 256 << 20, .has_size = true,
		.unit = UNIT_GBPS, .median = 26.1, .p5 = 25.5, .p95 = 26.4, .mad = 0.2, .n = 12, .method = "blocking copies",
	};
	node->timings[1] = (struct report_timing){
		.test = "launch-latency", .subject = gpu_subject(node, 3), .unit = UNIT_NS, .median = 8400, .p5 = 900,
		.p95 = 12000, .mad = 2000, .n = 200, .noisy = true,
	};
}

static void node_init(struct node *node)
{
	struct report *report = &node->report;

	memset(node, 0, sizeof(*node));
	fill_snapshot(&node->snapshot);
	fill_evidence(node);
	fill_findings(node);
	fill_results(node);
	fill_timings(node);
	fill_stages(report->stages);
	for (size_t i = 0; i < NR_GPUS; i++)
		node->gpus[i] = (struct report_gpu){
			.index = i, .gpu = &node->snapshot.gpus[i], .model = "NVIDIA H100 80GB HBM3", .role = "gpu",
			.under_test = true, .state = i == 3 ? GPU_UNUSABLE : GPU_USABLE,
		};
	report->snapshot = &node->snapshot;
	report->nr_results = ARRAY_SIZE(node->results);
	report->results = node->results;
	report->nr_findings = ARRAY_SIZE(node->findings);
	report->findings = node->findings;
	report->nr_groups = ARRAY_SIZE(node->groups);
	report->groups = node->groups;
	report->nr_gpus = NR_GPUS;
	report->gpus = node->gpus;
	report->nr_timings = ARRAY_SIZE(node->timings);
	report->timings = node->timings;
	report->verdict = VERDICT_FAIL;
	report->headline = node->groups[0].sentence;
	report->decision = (struct decision){
		.action = ACTION_DRAIN_AND_REPAIR, .reason = node->groups[0].sentence, .schedulable = "no",
		.nr_steps = 2, .steps = node->steps,
	};
	strs_add(&report->arena, &report->messages, "key \"x\" of a newer gpudiag left out");
	report->exit_status = 2;
	report->nr_checks = ARRAY_SIZE(node->results);
	report->nr_skipped = 1;
	report->nr_unknown = NR_GPUS;
}

static void node_release(struct node *node)
{
	arena_release(&node->report.arena);
	snapshot_release(&node->snapshot);
}

/* ---- reading what was rendered */

static char *render(const struct node *node, const char *format, struct render_options options)
{
	struct strbuf out = STRBUF_INIT;

	format_by_name(format)->render(&out, &node->report, &options);
	assert_int_equal(strlen(out.buf), out.len);
	return strbuf_detach(&out);
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" is not in:\n%s", part, text);
}

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
		"      Next: Drain the node, power it off, reseat GPU 3 (disruptive)\n"
		"      Next: See what the kernel said\n"
		"            dmesg -T | grep -iE '0000:13:00.0|nvrm|fallen off the bus|pciehp|link down|AER' | \\\n"
		"              tail -50 | sort -u\n"
		"\n"
		" 1 device     pass     8 on the bus, 8 driven, 8 in OpenCL\n"
		" 3 link       FAIL     GPU 3: x8 of x16 at 32 GT/s, its twins x16             pcie-width.below-twins\n";
	struct node node;
	char *text;

	(void)state;
	node_init(&node);
	text = render(&node, "text", (struct render_options){ .columns = 0 });
	assert_lines_fit(text, 100);
	assert_no_control(text);
	assert_int_equal(strncmp(text, start, strlen(start)), 0);
	assert_has(text, " 7 numa       skip     one CPU node\n");
	assert_has(text, " 8 timing     caused   GPU 3: host→device 26.1 GB/s of 55                  by pcie-width.below-twins\n");
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
		"note  card\\x1b[2J\\x07\\x9b31m\xef\xbf\xbd\\u202edab new                                            swap-used.idle\n"
		"\n"
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
	node.report.decision = (struct decision){ .action = ACTION_NONE, .reason = "", .schedulable = "yes" };
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
	assert_has(text, "\n\nUNKNOWN  Not judged: pcie-width of GPU 0 (link_width denied: EACCES).\n      Next: Drain");
	free(text);
	node_release(&node);
}

static void narrow_pages_hold(void **state)
{
	static const unsigned widths[] = { 40, 41, 60, 79, 80, 132, 250 };
	struct node node;

	(void)state;
	node_init(&node);
	node.timings[0].test = "a-test-with-a-name-that-no-table-has-room-for-at-all";
	node.timings[0].subject.name = "opencl:a-driver-with-a-name-that-no-table-has-room-for.icd:0";
	node.steps[1].command = "true";
	for (size_t i = 0; i < ARRAY_SIZE(widths); i++) {
		for (int ascii = 0; ascii < 2; ascii++) {
			char *text = render(&node, "text", (struct render_options){ .columns = widths[i], .ascii = ascii });

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

/* ---- JSON */

static void parse(struct json_doc *doc, const char *text)
{
	struct json_error error;

	if (json_parse(text, strlen(text), 0, doc, &error))
		fail_msg("line %u: %s\n%s", error.line, error.what, text);
}

/* All keys of the object, in that order, and no others. */
static void assert_keys(const cJSON *object, const char *const *keys, size_t nr)
{
	const cJSON *member = object ? object->child : NULL;

	for (size_t i = 0; i < nr; i++, member = member->next) {
		if (!member)
			fail_msg("no \"%s\"", keys[i]);
		assert_string_equal(member->string, keys[i]);
	}
	assert_null(member);
}
#define assert_keys_are(object, ...)                                                                      \
	do {                                                                                              \
		static const char *const keys_[] = { __VA_ARGS__ };                                       \
		assert_keys((object), keys_, ARRAY_SIZE(keys_));                                          \
	} while (0)

static const cJSON *first_of(const cJSON *root, const char *list)
{
	const cJSON *array = json_member(root, list);

	assert_non_null(array);
	assert_true(cJSON_IsArray(array));
	assert_non_null(array->child);
	return array->child;
}

static void json_has_all_keys(void **state)
{
	struct json_doc doc;
	struct node node;
	char *text;

	(void)state;
	node_init(&node);
	text = render(&node, "json", (struct render_options){ .colour = true, .ascii = true });
	parse(&doc, text);
	assert_keys_are(doc.root, "schema", "tool", "argv", "taken_at", "host", "request", "verdict", "headline", "decision",
			"stages", "gpus", "holders", "checks", "timings", "findings", "unknown", "probes", "messages",
			"exit_status", "elapsed_ms");
	assert_keys_are(json_member(doc.root, "host"), "name", "product", "machine_serial", "boot_id", "kernel", "os",
			"architecture", "virtualisation", "container", "unknown");
	assert_keys_are(json_member(doc.root, "request"), "level", "opencl_type", "expect_gpus", "expect_model", "even_if_busy",
			"touch_hung", "only_checks", "skip_checks");
	assert_keys_are(json_member(doc.root, "decision"), "action", "reason", "schedulable", "unusable_gpus", "next");
	assert_keys_are(first_of(doc.root, "stages"), "number", "name", "verdict", "summary", "finding");
	assert_int_equal(cJSON_GetArraySize(json_member(doc.root, "stages")), 11);
	assert_keys_are(first_of(doc.root, "gpus"), "index", "pci", "model", "serial", "uuid", "vbios", "slot", "module_id",
			"minor", "vendor_id", "device_id", "driver", "numa_node", "role", "under_test", "state", "unknown");
	assert_keys_are(first_of(doc.root, "holders"), "pid", "comm", "uid", "gpu", "node", "memory_bytes", "slurm_job", "pod",
			"container", "unknown");
	assert_keys_are(first_of(doc.root, "checks"), "check", "stage", "subject", "gpu", "required", "result", "reason",
			"evidence");
	assert_keys_are(first_of(doc.root, "timings"), "test", "subject", "gpu", "size_bytes", "noisy", "conditions", "median",
			"unit", "p5", "p95", "mad", "n", "method");
	assert_keys_are(first_of(doc.root, "findings"), "id", "key", "check", "stage", "subject", "gpu", "outcome", "action",
			"blame", "title", "why", "next", "evidence", "caused_by", "caused_by_key");
	assert_keys_are(first_of(doc.root, "unknown"), "check", "stage", "subject", "gpu", "required", "reason");
	assert_keys_are(first_of(doc.root, "probes"), "probe", "target", "touches", "outcome", "why", "call", "pid", "wchan",
			"stack", "output", "deadline_ms", "elapsed_ms", "unknown");
	json_release(&doc);
	free(text);
	node_release(&node);
}

static void json_tells_what_is_not_known(void **state)
{
	const cJSON *evidence, *finding;
	struct json_doc doc;
	struct node node;
	char *text;

	(void)state;
	node_init(&node);
	text = render(&node, "json", (struct render_options){ .columns = 0 });
	parse(&doc, text);
	finding = first_of(doc.root, "findings");
	evidence = first_of(finding, "evidence");
	assert_keys_are(evidence, "what", "of", "observed", "expected", "unit", "source");
	assert_int_equal(json_member(evidence, "observed")->valuedouble, 8);
	assert_int_equal(json_member(evidence, "expected")->valuedouble, 16);
	assert_string_equal(json_member(evidence, "unit")->valuestring, "lanes");
	evidence = evidence->next;
	assert_true(cJSON_IsNull(json_member(evidence, "observed")));
	assert_true(cJSON_IsNull(json_member(evidence, "expected")));
	assert_string_equal(json_member(evidence, "of")->valuestring, "0000:0f:00.0");
	assert_string_equal(json_member(evidence, "unknown")->valuestring, "denied: EACCES");
	assert_string_equal(json_member(json_member(json_member(doc.root, "host"), "unknown"), "machine_serial")->valuestring,
			    "denied: EACCES");
	assert_string_equal(json_member(finding->next, "caused_by")->valuestring, "pcie-width.below-twins");
	assert_string_equal(json_member(finding->next, "caused_by_key")->valuestring, "0123456789abcdef");
	assert_int_equal(cJSON_GetArraySize(json_member(doc.root, "unknown")), 8);
	json_release(&doc);
	free(text);
	node_release(&node);
}

/* Nothing was seen and nothing judged: every format is still whole. */
static void an_empty_report_is_whole(void **state)
{
	const struct snapshot snapshot = { .nr_gpus = 0 };
	const struct report report = { .snapshot = &snapshot, .headline = "Nothing was judged.", .decision.schedulable = "no" };
	const struct render_options options = { .colour = true };

	(void)state;
	for (const struct format *format = formats; format->name; format++) {
		struct strbuf out = STRBUF_INIT;
		struct json_doc doc;

		format->render(&out, &report, &options);
		assert_int_equal(out.buf[out.len - 1], '\n');
		if (strcmp(format->name, "text")) {
			parse(&doc, out.buf);
			json_release(&doc);
		}
		strbuf_release(&out);
	}
}

static void snapshot_reads_back(void **state)
{
	struct merge_unknown unknown;
	struct json_error error;
	struct snapshot back;
	struct node node;
	char *text, *again;

	(void)state;
	node_init(&node);
	text = render(&node, "snapshot", (struct render_options){ .columns = 0 });
	assert_int_equal(snapshot_load(&back, text, strlen(text), &unknown, &error), 0);
	assert_int_equal(unknown.nr, 0);
	node.report.snapshot = &back;
	again = render(&node, "snapshot", (struct render_options){ .columns = 0 });
	/* The argument with bytes that are no text came back with their replacement, as JSON has it. */
	assert_string_equal(again, text);
	free(text);
	free(again);
	snapshot_release(&back);
	node_release(&node);
}

/* ---- the table of formats, the schema */

static void formats_by_name(void **state)
{
	(void)state;
	for (const struct format *format = formats; format->name; format++) {
		assert_ptr_equal(format_by_name(format->name), format);
		assert_non_null(format->help);
	}
	assert_null(format_by_name("txt"));
	assert_null(format_by_name(""));
}

/* Every reference leads to a definition. */
static void assert_references(const cJSON *value, const cJSON *definitions)
{
	static const char path[] = "#/$defs/";
	const cJSON *reference = json_member(value, "$ref");

	if (reference) {
		assert_int_equal(strncmp(reference->valuestring, path, strlen(path)), 0);
		assert_non_null(json_member(definitions, reference->valuestring + strlen(path)));
	}
	for (const cJSON *child = value->child; child; child = child->next)
		assert_references(child, definitions);
}

static void assert_described(const cJSON *properties, const struct record *record)
{
	assert_non_null(properties);
	for (size_t i = 0; i < record->nr; i++) {
		const cJSON *property = json_member(properties, record->fields[i].name);

		if (!property)
			fail_msg("%s.%s is not in the schema", record->name, record->fields[i].name);
		assert_non_null(json_member(property, "description"));
		assert_true(json_member(property, "type") || json_member(property, "$ref"));
	}
}

static void schema_has_every_field(void **state)
{
	struct strbuf text = STRBUF_INIT;
	struct json_doc doc;
	const cJSON *definitions;

	(void)state;
	render_snapshot_schema(&text);
	parse(&doc, text.buf);
	definitions = json_member(doc.root, "$defs");
	assert_references(doc.root, definitions);
	assert_described(json_member(doc.root, "properties"), &record_snapshot);
	assert_described(json_member(json_member(definitions, "gpu"), "properties"), &record_gpu);
	assert_described(json_member(json_member(definitions, "timing"), "properties"), &record_timing);
	assert_string_equal(first_of(json_member(definitions, "hop"), "required")->valuestring, "key");
	assert_null(json_member(json_member(definitions, "host"), "required"));
	json_release(&doc);
	strbuf_release(&text);
}

static void pages_have_every_field(void **state)
{
	struct strbuf text = STRBUF_INIT;

	(void)state;
	render_snapshot_fields_mdoc(&text);
	assert_int_equal(strncmp(text.buf, ".Ss snapshot\n", strlen(".Ss snapshot\n")), 0);
	assert_has(text.buf, ".Ss pci_function\n");
	assert_has(text.buf, ".It Va link_width\n");
	strbuf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tells_the_cause_first),
		cmocka_unit_test(ends_with_the_decision),
		cmocka_unit_test(healthy_node),
		cmocka_unit_test(a_required_unknown_comes_first),
		cmocka_unit_test(narrow_pages_hold),
		cmocka_unit_test(long_words_are_cut),
		cmocka_unit_test(any_bytes_are_safe),
		cmocka_unit_test(ascii_only),
		cmocka_unit_test(colour_changes_no_word),
		cmocka_unit_test(many_findings_end),
		cmocka_unit_test(json_has_all_keys),
		cmocka_unit_test(json_tells_what_is_not_known),
		cmocka_unit_test(an_empty_report_is_whole),
		cmocka_unit_test(snapshot_reads_back),
		cmocka_unit_test(formats_by_name),
		cmocka_unit_test(schema_has_every_field),
		cmocka_unit_test(pages_have_every_field),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
