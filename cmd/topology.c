// SPDX-License-Identifier: GPL-2.0-or-later
/* topology.c - what hangs where: GPUs, network cards and NVMe disks of all vendors. */
#include "base/compat.h"
#include "cmd/cmd.h"

#include "cmd/acquire.h"
#include "cmd/delivery.h"
#include "cmd/input.h"
#include "cmd/terminal.h"
#include "render/topology.h"

enum { EXIT_NO_DEVICES = 3, WIDE = 4096 };

static const char *const format_words[] = { "text", "json", "svg", NULL };

struct look {
	struct acquisition acq;
	const char *snapshot_path, *output_path;
	unsigned format;
	enum terminal_colour colour;
	bool ascii;
};

static const struct option_row options[] = {
	OPTION_FILE("snapshot", 0, "that of a snapshot instead of this machine; -: standard input", struct look,
		    snapshot_path),
	OPTION_FOLDER("root", "that of a recorded /sys and /proc tree", struct look, acq.root),
	READ_OPTION_ROWS("", struct look, acq),
	OPTION_CHOICE("format", 'f', "FORMAT", "text (default), json or svg", format_words, struct look, format),
	OPTION_FILE("output", 'o', "write to that file instead of standard output", struct look, output_path),
	TERMINAL_OPTION_ROWS(struct look, colour, ascii),
	{ .name = NULL },
};

static void parse(struct look *look, int argc, char **argv)
{
	struct option_parser parser = {
		.rows = options, .argc = argc, .argv = argv, .into = look, .command = "topology"
	};

	options_take(&parser);
	if (parser.at < argc)
		die(EXIT_USAGE, "topology: unexpected argument \"%s\"", argv[parser.at]);
	if (look->snapshot_path && look->acq.root)
		die(EXIT_USAGE, "topology: --snapshot and --root cannot be used together");
}

/* Links by files, NVLinks by the vendor's library; no OpenCL, no window, no load. Two checks stand for those probes. */
static void acquire(struct look *look, int argc, char **argv)
{
	static const char *const files[] = {
		"host", "pci", "device-nodes", "gpu-files", "pci-link", "io-devices", NULL,
	};
	static const char *const files_for_permit[] = { "processes", "kernel-log", NULL };
	struct merge_unknown unknown = { .nr = 0 };
	struct snapshot *snapshot = &look->acq.snapshot;

	if (look->snapshot_path) {
		snapshot_release(snapshot);
		input_snapshot(look->snapshot_path, snapshot, &unknown);
		return;
	}
	look->acq.files = files;
	look->acq.files_for_permit = files_for_permit;
	snapshot->request.level = val_str("read");
	snapshot->request.window_ms = val_u64(0);
	strs_add(&snapshot->arena, &snapshot->request.only_checks, "io-link");
	strs_add(&snapshot->arena, &snapshot->request.only_checks, "gpu-link");
	acquire_policy(&look->acq, false);
	acquire_run(&look->acq, argc, argv);
}

static int topology_main(int argc, char **argv)
{
	struct look look = { .format = 0 };
	const struct snapshot *snapshot = &look.acq.snapshot;
	struct render_options how;
	struct delivery to;
	STRBUF_AUTO text = STRBUF_INIT;
	int status;

	parse(&look, argc, argv);
	delivery_open(&to, look.output_path);
	acquire(&look, argc, argv);
	how = terminal_options(look.output_path, look.colour, look.ascii);
	how.columns = WIDE;
	topology_formats[look.format].render(&text, snapshot, &how);
	if (!snapshot->nr_gpus && !snapshot->nr_io_devices)
		complain("no GPU, network card or NVMe disk on the PCI bus%s%s",
			 is_known(snapshot->bus.gpus) ? "" : ": ",
			 is_known(snapshot->bus.gpus) ? "" : "it could not be read");
	status = delivery_put(&to, text.buf, text.len);
	if (!status && look.acq.signal)
		status = EXIT_SIGNAL + look.acq.signal;
	if (!status && !snapshot->nr_gpus && !snapshot->nr_io_devices)
		status = EXIT_NO_DEVICES;
	acquire_release(&look.acq);
	return status;
}

static const struct help_example examples[] = {
	{ "gpudiag topology", "this node, as a matrix and a tree" },
	{ "gpudiag topology -f svg -o node.svg", "as a picture" },
	{ "gpudiag topology --snapshot node.json", "of a node that was collected" },
	{ .command = NULL },
};

const struct command command_topology = {
	.name = "topology",
	.summary = "GPUs, network cards, NVMe disks: matrix, tree, picture",
	.usage = "topology [OPTIONS]",
	.doc = "Print what lies between GPUs, network cards and NVMe disks of all vendors: the matrix that tickets "
	       "quote, with NVLinks and xGMI, and the tree of PCIe links with the weakest hop above each device. -f svg "
	       "draws the tree.\n"
	       "Exit status: 0; 3 if there is no such device; 64 usage, 70 internal error, 130 and 143 interrupted.",
	.examples = examples,
	.options = options,
	.operand = COMPLETE_NOTHING,
	.main = topology_main,
};
