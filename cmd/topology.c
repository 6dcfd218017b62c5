// SPDX-License-Identifier: GPL-2.0-or-later
/* topology.c - what hangs where: GPUs, network cards and NVMe disks of all vendors. */
#include "base/compat.h"
#include "cmd/cmd.h"

#include "cmd/acquire.h"
#include "cmd/delivery.h"
#include "cmd/input.h"
#include "cmd/terminal.h"
#include "render/topology.h"

enum { OPT_SNAPSHOT = NR_ACQUIRE_OPTIONS, OPT_FORMAT, OPT_OUTPUT, OPT_COLOR, OPT_ASCII, EXIT_NO_DEVICES = 3, WIDE = 4096 };

static const char *const format_words[] = { "text", "json", "svg", NULL };

static const struct option_row options[] = {
	{ "snapshot", 0, "FILE", "that of a snapshot instead of this machine; -: standard input", OPT_SNAPSHOT, COMPLETE_FILE,
	  NULL },
	{ "root", 0, "DIR", "that of a recorded /sys and /proc tree", ACQUIRE_ROOT, COMPLETE_FOLDER, NULL },
	{ "driver-root", 0, "DIR", "search vendor libraries below that folder first", ACQUIRE_DRIVER_ROOT, COMPLETE_FOLDER,
	  NULL },
	{ "timeout", 0, "TIME", "stop reading after that time, whatever hangs", ACQUIRE_TIMEOUT, COMPLETE_NOTHING, NULL },
	{ "wake", 0, NULL, "read suspended GPUs, too, which wakes them", ACQUIRE_WAKE, COMPLETE_NOTHING, NULL },
	{ "touch-hung", 0, NULL, "call a driver even if tasks are stuck in it", ACQUIRE_TOUCH_HUNG, COMPLETE_NOTHING, NULL },
	{ "format", 'f', "FORMAT", "text (default), json or svg", OPT_FORMAT, COMPLETE_WORDS, format_words },
	{ "output", 'o', "FILE", "write to that file instead of standard output", OPT_OUTPUT, COMPLETE_FILE, NULL },
	{ "color", 0, "WHEN", "auto (default), always or never", OPT_COLOR, COMPLETE_WORDS, terminal_colours },
	{ "ascii", 0, NULL, "ASCII only", OPT_ASCII, COMPLETE_NOTHING, NULL },
	{ .name = NULL },
};

struct look {
	struct acquisition acq;
	const char *snapshot_path, *output_path;
	const struct topology_format *format;
	enum terminal_colour colour;
	bool ascii;
};

static void take_option(struct look *look, const struct option_parser *parser, int id)
{
	switch (id) {
	case OPT_SNAPSHOT:
		look->snapshot_path = option_path(parser, parser->argument);
		break;
	case OPT_FORMAT:
		look->format = &topology_formats[option_choice(parser)];
		break;
	case OPT_OUTPUT:
		look->output_path = option_path(parser, parser->argument);
		break;
	case OPT_COLOR:
		look->colour = (enum terminal_colour)option_choice(parser);
		break;
	case OPT_ASCII:
		look->ascii = true;
		break;
	default:
		acquire_option(&look->acq, parser, id);
		break;
	}
}

static void parse(struct look *look, int argc, char **argv)
{
	struct option_parser parser = { .rows = options, .argc = argc, .argv = argv, .command = "topology" };
	int id;

	while ((id = option_next(&parser)) >= 0)
		take_option(look, &parser, id);
	if (parser.at < argc)
		die(EXIT_USAGE, "topology: unexpected argument \"%s\"", argv[parser.at]);
	if (look->snapshot_path && look->acq.root)
		die(EXIT_USAGE, "topology: --snapshot and --root cannot be used together");
}

/* Links by files, NVLinks by the vendor's library; no OpenCL, no window, no load. Two checks stand for those probes. */
static void acquire(struct look *look, int argc, char **argv)
{
	struct merge_unknown unknown = { .nr = 0 };
	struct snapshot *snapshot = &look->acq.snapshot;

	if (look->snapshot_path) {
		snapshot_release(snapshot);
		input_snapshot(look->snapshot_path, snapshot, &unknown);
		return;
	}
	snapshot->request.level = val_str("read");
	snapshot->request.window_ms = val_u64(0);
	strs_add(&snapshot->arena, &snapshot->request.only_checks, "io-link");
	strs_add(&snapshot->arena, &snapshot->request.only_checks, "gpu-link");
	acquire_policy(&look->acq, false);
	acquire_run(&look->acq, argc, argv);
}

static int topology_main(int argc, char **argv)
{
	struct look look = { .format = &topology_formats[0] };
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
	look.format->render(&text, snapshot, &how);
	if (!snapshot->nr_gpus && !snapshot->nr_io_devices)
		complain("no GPU, network card or NVMe disk on the PCI bus%s%s", is_known(snapshot->bus.gpus) ? "" : ": ",
			 is_known(snapshot->bus.gpus) ? "" : "it could not be read");
	status = delivery_put(&to, text.buf, text.len);
	if (!status && look.acq.signal)
		status = EXIT_SIGNAL + look.acq.signal;
	if (!status && !snapshot->nr_gpus && !snapshot->nr_io_devices)
		status = EXIT_NO_DEVICES;
	acquire_release(&look.acq);
	return status;
}

const struct command command_topology = {
	.name = "topology",
	.summary = "GPUs, network cards, NVMe disks: matrix, tree, picture",
	.usage = "topology [OPTIONS]",
	.doc = "Print what lies between GPUs, network cards and NVMe disks of all vendors: the matrix that tickets quote, with\n"
	       "NVLinks and xGMI, and the tree of PCIe links with the weakest hop above each device. -f svg draws the tree.\n"
	       "Exit status: 0; 3 if there is no such device; 64 usage, 70 internal error, 130 and 143 interrupted.\n"
	       "Examples: gpudiag topology, gpudiag topology -f svg -o node.svg, gpudiag topology --snapshot node.json",
	.options = options,
	.operand = COMPLETE_NOTHING,
	.main = topology_main,
};
