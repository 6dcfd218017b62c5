// SPDX-License-Identifier: GPL-2.0-or-later
/* topology.c - the matrix that tickets quote, what its words mean, and the tree. */
#include "base/compat.h"
#include "render/topology.h"

#include "eval/facts/near_network.h"
#include "eval/facts/topology.h"
#include "render/term_writer.h"

enum { INDENT = 2, LEAST_CELL = 5 };

const struct topology_word topology_words[] = {
	{ "X", "itself" },
	{ "NV#", "so many NVLinks" },
	{ "XGMI", "a link of AMD's between GPUs" },
	{ "PIX", "one PCIe switch at most" },
	{ "PXB", "several PCIe switches, not the processor" },
	{ "PHB", "one host bridge of the processor" },
	{ "NODE", "two host bridges of one NUMA node" },
	{ "SYS", "the link between sockets" },
	{ "PCIE", "a way by PCIe, of GPUs of AMD's in imported dumps" },
	{ "?", "not visible here" },
	{ .word = NULL },
};

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

static size_t name_width(const struct topology *topology)
{
	size_t width = LEAST_CELL;

	for (size_t i = 0; i < topology->nr; i++)
		width = larger(width, strlen(topology->devices[i].name));
	return width;
}

static const char *cpus_near(const struct topology_device *device)
{
	return str_or(device->pci->local_cpus, "-");
}

static size_t cpus_width(const struct topology *topology)
{
	size_t width = strlen("CPUs");

	for (size_t i = 0; i < topology->nr; i++)
		width = larger(width, strlen(cpus_near(&topology->devices[i])));
	return width;
}

/* As wide as it is: a matrix that is broken into lines is none. */
static void put_matrix(struct term_writer *term, struct arena *arena, const struct snapshot *snapshot,
		       const struct topology *topology)
{
	const size_t width = name_width(topology) + 1, cpus = cpus_width(topology) + 2;
	size_t column = width;

	for (size_t i = 0; i < topology->nr; i++, column += width) {
		term_move(term, column);
		term_put(term, STYLE_PLAIN, topology->devices[i].name);
	}
	term_move(term, column);
	term_put(term, STYLE_PLAIN, "CPUs");
	term_move(term, column + cpus);
	term_put(term, STYLE_PLAIN, "NUMA");
	term_end_line(term);
	for (size_t i = 0; i < topology->nr; i++) {
		const struct topology_device *device = &topology->devices[i];

		term_put(term, STYLE_PLAIN, device->name);
		for (size_t k = 0; k < topology->nr; k++) {
			term_move(term, width * (k + 1));
			term_put(term, STYLE_PLAIN, topology_path(arena, snapshot, device, &topology->devices[k]));
		}
		term_move(term, column);
		term_put(term, STYLE_PLAIN, cpus_near(device));
		term_move(term, column + cpus);
		term_put(term, STYLE_PLAIN, is_known(device->pci->numa_node) ?
			 arena_printf(arena, "%llu", (unsigned long long)u64_or(device->pci->numa_node, 0)) : "-");
		term_end_line(term);
	}
}

static void put_legend(struct term_writer *term, struct arena *arena, const struct topology *topology)
{
	term_end_line(term);
	for (size_t i = 0; topology_words[i].word; i++) {
		term_move(term, INDENT);
		term_put(term, STYLE_DIM,
			 arena_printf(arena, "%-4s %s", topology_words[i].word, topology_words[i].meaning));
		term_end_line(term);
	}
	term_end_line(term);
	for (size_t i = 0; i < topology->nr; i++) {
		const struct topology_device *device = &topology->devices[i];

		term_move(term, INDENT);
		term_put(term, STYLE_PLAIN, arena_printf(arena, "%-*s %s  %s", (int)name_width(topology), device->name,
							 device->address, device->label));
		term_end_line(term);
	}
	term_end_line(term);
}

/* What a job can be started with. */
static void put_nccl(struct term_writer *term, struct arena *arena, const struct snapshot *snapshot)
{
	const char *ports = near_network_nccl_ib_hca(arena, snapshot);

	if (!ports)
		return;
	term_move(term, INDENT);
	term_put(term, STYLE_PLAIN, arena_printf(arena, "NCCL_IB_HCA=%s", ports));
	term_put(term, STYLE_DIM, "  RDMA ports that share a PCIe switch with a GPU");
	term_end_line(term);
	term_end_line(term);
}

static void put_tree(struct term_writer *term, const struct topology *topology)
{
	for (size_t i = 0; i < topology->nr_rows; i++) {
		const struct topology_row *row = &topology->rows[i];

		term_move(term, INDENT * row->depth);
		term_put(term, row->is_weak ? STYLE_WARN : STYLE_PLAIN, row->text);
		if (row->is_weak)
			term_put(term, STYLE_WARN, "  <- weakest hop");
		term_end_line(term);
	}
}

static void render_text(struct strbuf *out, const struct snapshot *snapshot, const struct render_options *options)
{
	struct arena arena = { .blocks = NULL };
	struct topology topology;
	struct term_writer term;

	term_open(&term, out, options);
	topology_of(&arena, snapshot, &topology);
	put_matrix(&term, &arena, snapshot, &topology);
	put_legend(&term, &arena, &topology);
	put_nccl(&term, &arena, snapshot);
	put_tree(&term, &topology);
	arena_release(&arena);
}

const struct topology_format topology_formats[] = {
	{ "text", render_text },
	{ "json", render_topology_json },
	{ "svg", render_topology_svg },
	{ .name = NULL },
};
