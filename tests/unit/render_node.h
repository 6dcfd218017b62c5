/* SPDX-License-Identifier: GPL-2.0-or-later */
/* render_node.h - a report made by hand, for the tests of the formats. */
#pragma once

#include "eval/facts/holders.h"
#include "render/render.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

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
	size_t members[3];
	struct result results[NR_GPUS + 3];
	struct timing measured;
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
		.field = &record_swap.fields[FIELD_swap_used_bytes], .of = "/dev/sda2",
		.observed.u64 = val_u64(1 << 20),
	};
}

static void fill_findings(struct node *node)
{
	node->steps[0] = (struct step){
		.text = "Drain the node, power it off, reseat GPU 3", .command = NULL, .disruptive = true,
	};
	node->steps[1] = (struct step){
		.text = "See what the kernel said", .disruptive = false,
		.command = "dmesg -T | grep -iE '0000:13:00.0|nvrm|fallen off the bus|pciehp|link down|AER' | "
			   "tail -50 | sort -u",
	};
	node->steps[2] = (struct step){ .text = "Look", .command = "lspci -s 0000:13:00.0", .disruptive = false };
	node->width = (struct finding){
		.id = PCIE_WIDTH_BELOW_TWINS, .def = &finding_defs[PCIE_WIDTH_BELOW_TWINS], .outcome = OUTCOME_FAIL,
		.blame = finding_defs[PCIE_WIDTH_BELOW_TWINS].blame,
		.stage = STAGE_LINK, .check = &width_check, .subject = gpu_subject(node, 3),
		.title = "runs x8 of x16, its twins x16", .key = "0123456789abcdef",
		.why = "Both ends of the link allow x16 and the other seven GPUs of this model have it: "
		       "link (card, riser, slot or cable).",
		.evidence = { 2, node->evidence }, .nr_steps = 2, .steps = node->steps,
	};
	node->transfer = (struct finding){
		.id = TRANSFER_H2D_BELOW_TWINS, .def = &finding_defs[TRANSFER_H2D_BELOW_TWINS], .outcome = OUTCOME_FAIL,
		.blame = finding_defs[TRANSFER_H2D_BELOW_TWINS].blame,
		.stage = STAGE_TIMING, .check = &transfer_check, .subject = gpu_subject(node, 3),
		.title = "takes data at 26.1 GB/s of the 55 GB/s its link gives", .why = NULL,
		.key = "fedcba9876543210",
		.caused_by = &node->width, .group = 1,
	};
	node->swap = (struct finding){
		.id = SWAP_USED_IDLE, .def = &finding_defs[SWAP_USED_IDLE], .outcome = OUTCOME_NOTE,
		.blame = finding_defs[SWAP_USED_IDLE].blame,
		.stage = STAGE_SWAP, .check = &swap_check, .subject = { .kind = SUBJECT_NODE, .name = "node" },
		.title = HOSTILE, .why = "Nothing.", .key = "00000000000000aa", .evidence = { 1, &node->evidence[2] },
		.group = 2,
	};
	node->findings[0] = &node->width;
	node->findings[1] = &node->transfer;
	node->findings[2] = &node->swap;
	node->groups[0] = (struct group){
		.nr_members = 1, .members = &node->members[0],
		.first = &node->width, .nr = 1, .subjects = "GPU 3",
		.sentence = "GPU 3 (0000:13:00.0, slot PCIe-7, serial 1653723052734) runs x8 of x16: "
			    "host→device stops at 26.1 of 55 GB/s.",
	};
	node->groups[1] = (struct group){
		.nr_members = 1, .members = &node->members[1],
		.first = &node->transfer, .nr = 1, .subjects = "GPU 3",
		.sentence = "GPU 3 (0000:13:00.0) takes data at 26.1 GB/s of the 55 GB/s its link gives.",
	};
	node->groups[2] = (struct group){
		.first = &node->swap, .nr = 1, .nr_members = 1, .members = &node->members[2],
		.subjects = "node", .sentence = HOSTILE,
	};
	for (size_t i = 0; i < ARRAY_SIZE(node->members); i++)
		node->members[i] = i;
}

static void fill_results(struct node *node)
{
	for (size_t i = 0; i < NR_GPUS; i++)
		node->results[i] = (struct result){
			.check = &width_check, .stage = STAGE_LINK, .required = true, .subject = gpu_subject(node, i),
			.outcome = i == 3 ? OUTCOME_FAIL : OUTCOME_UNKNOWN,
			.reason = i == 3 ? NULL : "link_width denied: EACCES",
			.evidence = { 2, node->evidence },
		};
	node->results[NR_GPUS] = (struct result){
		.check = &swap_check, .stage = STAGE_SWAP, .subject = { .kind = SUBJECT_NODE, .name = "node" },
		.outcome = OUTCOME_UNKNOWN,
		.reason = "used_bytes timeout: in a read that never ended, twice, and for good",
	};
	node->results[NR_GPUS + 1] = (struct result){
		.check = &transfer_check, .stage = STAGE_NUMA, .subject = { .kind = SUBJECT_NODE, .name = "node" },
		.outcome = OUTCOME_SKIP, .reason = "one CPU node",
	};
	node->results[NR_GPUS + 2] = (struct result){
		.check = &transfer_check, .stage = STAGE_TIMING, .subject = gpu_subject(node, 3),
		.outcome = OUTCOME_FAIL,
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
	node->measured.clock = val_str("events");
	node->measured.settled = val_bool(true);
	node->timings[0] = (struct report_timing){
		.test = "h2d-pageable", .key = "h2d-pageable", .timing = &node->measured,
		.subject = gpu_subject(node, 3), .size_bytes = 256 << 20, .has_size = true,
		.unit = UNIT_GBPS, .median = 26.1, .p5 = 25.5, .p95 = 26.4, .mad = 0.2, .n = 12,
		.method = "blocking copies",
	};
	node->timings[1] = (struct report_timing){
		.test = "launch-latency", .key = "launch-latency", .timing = &node->measured,
		.subject = gpu_subject(node, 3), .unit = UNIT_NS, .median = 8400, .p5 = 900,
		.p95 = 12000, .mad = 2000, .n = 200, .noisy = true,
	};
}

static void node_init(struct node *node)
{
	struct report *report = &node->report;
	struct holding_list holdings;

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
	report->policy = &policy_built_in;
	report->nr_results = ARRAY_SIZE(node->results);
	report->results = node->results;
	report->nr_findings = ARRAY_SIZE(node->findings);
	report->findings = node->findings;
	report->nr_groups = ARRAY_SIZE(node->groups);
	report->groups = node->groups;
	report->nr_gpus = NR_GPUS;
	report->gpus = node->gpus;
	holdings_of(&report->arena, &node->snapshot, &holdings);
	report->nr_holdings = holdings.nr;
	report->holdings = holdings.items;
	report->nr_timings = ARRAY_SIZE(node->timings);
	report->timings = node->timings;
	report->verdict = VERDICT_FAIL;
	report->headline = node->groups[0].sentence;
	report->decision = (struct decision){
		.action = ACTION_DRAIN_AND_REPAIR, .reason = node->groups[0].sentence, .schedulable = "no",
		.nr_steps = 2, .steps = node->steps, .gpus = "GPUs 0-2 and 4-7 usable, GPU 3 unusable",
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

static inline void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" is not in:\n%s", part, text);
}
