// SPDX-License-Identifier: GPL-2.0-or-later
/* bench.c - measures and prints the figures; judges nothing but that of all_reduce_perf. */
#include "base/compat.h"
#include "checks/playbook.h"
#include "cmd/baseline_in_force.h"
#include "cmd/cmd.h"

#include <sys/stat.h>
#include <unistd.h>

#include "cmd/delivery.h"
#include "cmd/acquire.h"
#include "cmd/terminal.h"
#include "eval/facts/storage.h"
#include "render/bench.h"

enum {
	WINDOW_MS = 250,		/* to detect use of a GPU by processes that are not visible here */
	PIPED_TABLE_COLUMNS = 132,
	PIPED_PLOT_COLUMNS = 80,
	MAX_WITHIN_MS = 3600 * 1000,
};

static const char *const test_words[] = { "all", "transfer", "kernel", "memory", "latency", "storage", "collective",
					  NULL };
enum { NR_DEVICE_WORDS = 5 };	/* "all" and what it stands for; the rest is asked for by name; "storage" takes paths */
static const char *const format_words[] = { "table", "json", "csv", "plot", "html", NULL };

struct bench {
	struct acquisition acq;
	unsigned format;
	const char *output_path, *plot_path;
	struct delivery to, plot_to;
	enum terminal_colour colour;
	struct baseline_in_force baseline;
	bool ascii, has_word;
};

static void add_test(struct bench *bench, const char *word)
{
	struct arena *arena = &bench->acq.snapshot.arena;
	struct strs *tests = &bench->acq.snapshot.request.tests;
	size_t at = 0;

	while (test_words[at] && strcmp(test_words[at], word) != 0)
		at++;
	/* What follows "storage" is a path, unless it is a word. */
	if (!test_words[at] && strs_has(tests, "storage")) {
		acquire_add_storage(&bench->acq, word);
		return;
	}
	if (!test_words[at])
		die_no_such_word("bench", word, test_words, ARRAY_SIZE(test_words) - 1);
	bench->has_word = true;
	for (size_t i = 1; test_words[i]; i++) {
		bool is_there = false;

		for (size_t k = 0; k < tests->nr; k++)
			is_there = is_there || !strcmp(tests->v[k], test_words[i]);
		if (!is_there && (i == at || (!at && i < NR_DEVICE_WORDS)))
			strs_add(arena, tests, test_words[i]);
	}
}

static const struct option_row options[] = {
	LOAD_OPTION_ROWS(struct bench, acq),
	OPTION_TAKE("with", 0, "PATH", "collective: the all_reduce_perf (nccl-tests, rccl-tests) to run", COMPLETE_FILE,
		    acquire_take_collective, struct bench, acq),
	OPTION_VAL_MS("within", "collective: end it after that time (default 60s)", 1, MAX_WITHIN_MS, struct bench,
		      acq.snapshot.request.collective_ms),
	BASELINE_OPTION_ROWS(struct bench, baseline),
	OPTION_CHOICE("format", 'f', "FORMAT", "table (default), json, csv, plot or html", format_words, struct bench,
		      format),
	OPTION_FILE("plot", 0, "also write an SVG chart to that file", struct bench, plot_path),
	OPTION_FILE("output", 'o', "write to that file instead of standard output", struct bench, output_path),
	TERMINAL_OPTION_ROWS(struct bench, colour, ascii),
	{ .name = NULL },
};

/* 4 KiB to 64 MiB: from what a launch costs to what a link gives; the usual size is above. */
static void default_sizes(struct bench *bench)
{
	struct request *request = &bench->acq.snapshot.request;

	if (request->sizes_bytes.nr || !strs_has(&request->tests, "transfer"))
		return;
	for (uint64_t size = 4096; size <= (uint64_t)64 << 20; size *= 4)
		f64s_add(&bench->acq.snapshot.arena, &request->sizes_bytes, (double)size);
}

/* ---- where all_reduce_perf may be, and how to get it */

#define COLLECTIVE_NAME "all_reduce_perf"

enum { MAX_FOUND = 4 };

/* Where containers of NVIDIA and AMD, clouds' images and both makefiles put it. */
static const char *const collective_folders[] = {
	"/usr/bin", "/usr/local/bin", "/opt/nccl-tests/build", "/opt/rccl-tests/build", "/opt/rccl-tests",
	"/usr/local/nccl-tests/build", "/usr/local/cuda/efa/test-cuda", "/opt/oci-hpc/nccl-test/build",
};

static bool suggest(const char *folder, size_t len, struct strbuf *found)
{
	STRBUF_AUTO path = STRBUF_INIT;
	struct stat st;

	strbuf_addf(&path, "%.*s/" COLLECTIVE_NAME, (int)len, folder);
	if (!len || *folder != '/' || stat(path.buf, &st) || !S_ISREG(st.st_mode) || access(path.buf, X_OK) ||
	    (found->len && strstr(found->buf, path.buf)))
		return false;
	strbuf_addf(found, "%s%s", found->len ? ", " : "", path.buf);
	return true;
}

static void look_for_it(struct strbuf *found)
{
	const char *at = getenv("PATH");
	unsigned nr = 0;

	while (at && *at && nr < MAX_FOUND) {
		size_t len = strcspn(at, ":");

		nr += suggest(at, len, found);
		at += len + (at[len] == ':');
	}
	for (size_t i = 0; i < ARRAY_SIZE(collective_folders) && nr < MAX_FOUND; i++)
		nr += suggest(collective_folders[i], strlen(collective_folders[i]), found);
}

static void say_how_to_get_it(void)
{
	bool nvidia = !access("/sys/module/nvidia", F_OK), amd = !access("/sys/module/amdgpu", F_OK);

	if (nvidia || !amd)
		complain(
			"NVIDIA: in NVIDIA's PyTorch containers and clouds' HPC images; or, with the CUDA toolkit and libnccl-dev: "
			"git clone https://github.com/NVIDIA/nccl-tests && make -C nccl-tests");
	if (amd || !nvidia)
		complain("AMD: in clouds' HPC images; or, with ROCm's hip and rccl development packages: "
			 "git clone https://github.com/ROCm/rccl-tests && make -C rccl-tests");
}

/* Says both on standard error. Runs nothing. */
NORETURN static void die_no_collective_program(void)
{
	STRBUF_AUTO found = STRBUF_INIT;

	complain("bench collective: no program; use gpudiag bench collective --with PATH-OF-" COLLECTIVE_NAME);
	look_for_it(&found);
	if (found.len)
		complain("found: %s", found.buf);
	say_how_to_get_it();
	exit(EXIT_USAGE);
}

/* ---- */

/* Words may stand before the options and after them. */
static void parse(struct bench *bench, int argc, char **argv)
{
	struct option_parser parser = {
		.rows = options, .argc = argc, .argv = argv, .into = bench, .command = "bench"
	};
	struct request *request = &bench->acq.snapshot.request;

	do {
		options_take(&parser);
		if (parser.at < argc)
			add_test(bench, argv[parser.at++]);
	} while (parser.at < argc);
	if (!bench->has_word)
		add_test(bench, "all");
	if (strs_has(&request->tests, "storage") && !request->storage.nr)
		die(EXIT_USAGE, "bench storage: no path; use gpudiag bench storage PATH…");
	if (bench_has_collective(request) && !is_known(request->collective))
		die_no_collective_program();
	if (is_known(request->collective) && !bench_has_collective(request))
		die(EXIT_USAGE, "bench: --with is of test collective: gpudiag bench collective --with %s",
		    str_or(request->collective, ""));
	if (bench->baseline.path && !bench_has_collective(request))
		die(EXIT_USAGE, "bench: --baseline is of test collective: no other figure is judged");
	if (!is_stdout(bench->plot_path) && !is_stdout(bench->output_path) &&
	    (!strcmp(bench->plot_path, bench->output_path) || is_same_file(bench->plot_path, bench->output_path)))
		die(EXIT_USAGE, "bench: --plot and -o name the same file");
	if (bench->plot_path && is_stdout(bench->plot_path) && is_stdout(bench->output_path))
		die(EXIT_USAGE, "bench: --plot to standard output: name a file for the timings with -o");
	default_sizes(bench);
	request->level = val_str("standard");
	request->window_ms = val_u64(bench->acq.timeout_ms && bench->acq.timeout_ms / 4 < WINDOW_MS ?
				     bench->acq.timeout_ms / 4 : WINDOW_MS);
	bench->acq.is_bench = true;
}

static unsigned page_columns(const struct bench *bench)
{
	bool is_plot = bench_formats[bench->format].render == render_bench_plot;
	unsigned columns = terminal_columns(bench->output_path);

	return columns ? columns : is_plot ? PIPED_PLOT_COLUMNS : PIPED_TABLE_COLUMNS;
}

/* Rows have no place for what was not measured, and a file is read later. */
static void complain_of_gaps(const struct bench *bench, const struct bench_report *report)
{
	bool says_so = bench_formats[bench->format].render != render_bench_csv && is_stdout(bench->output_path);

	for (size_t i = 0; i < report->nr_devices; i++) {
		const struct bench_device *device = &report->devices[i];

		if (says_so)
			continue;
		if (device->skipped)
			complain("%s: not measured: %s", device->subject.name, device->skipped);
		for (size_t k = 0; k < device->failed.nr && !device->skipped; k++)
			complain("%s: failed: %s", device->subject.name, device->failed.v[k]);
	}
	for (size_t i = 0; !says_so && i < report->report.snapshot->nr_storage_paths; i++) {
		const struct storage_path *path = &report->report.snapshot->storage_paths[i];
		struct arena arena = { 0 };
		const char *why = storage_why_not(&arena, path);

		if (why)
			complain("%s: not measured: %s", str_or(path->key, "?"), why);
		arena_release(&arena);
	}
	if (!says_so && report->collective_reason)
		complain("all-reduce not measured: %s", report->collective_reason);
	if (!report->nr_devices && bench_has_devices(&report->report.snapshot->request))
		complain("nothing to measure: no GPU and no OpenCL device of type %s%s",
			 str_or(report->report.snapshot->request.opencl_type, "gpu"),
			 str_is(report->report.snapshot->request.opencl_type, "gpu") ?
				 "; to measure the CPU: --opencl-type cpu" : "");
}

/* What may wait for its reader for ever comes last. */
static int tell(struct bench *bench, const struct bench_report *report)
{
	struct render_options render = terminal_options(bench->output_path, bench->colour, bench->ascii);
	STRBUF_AUTO text = STRBUF_INIT;
	STRBUF_AUTO svg = STRBUF_INIT;
	bool plot_is_last;
	int plot_status = 0, status;

	render.columns = page_columns(bench);
	bench_formats[bench->format].render(&text, report, &render);
	if (bench->plot_path)
		render_bench_svg(&svg, report);
	plot_is_last = bench->plot_path && delivery_may_wait(&bench->plot_to);
	if (bench->plot_path && !plot_is_last)
		plot_status = delivery_put(&bench->plot_to, svg.buf, svg.len);
	status = delivery_put(&bench->to, text.buf, text.len);
	if (plot_is_last)
		plot_status = delivery_put(&bench->plot_to, svg.buf, svg.len);
	return status ? status : plot_status;
}

/* The one check that a bench needs, of the playbook's. */
static const struct playbook *checks_of(const struct request *request, struct playbook *ret)
{
	*ret = (struct playbook){
		.rows = playbook_row_by_name(&playbook, check_collective.name), .nr = bench_has_collective(request),
	};
	return ret;
}

/* By what is missing, and by what was found. */
static int status_of(const struct bench_report *report)
{
	bool has_failed = false, has_warned = false;

	for (size_t i = 0; i < report->report.nr_findings; i++) {
		has_failed = has_failed || report->report.findings[i]->outcome == OUTCOME_FAIL;
		has_warned = has_warned || report->report.findings[i]->outcome == OUTCOME_WARN;
	}
	return has_failed ? 2 : has_warned || !report->is_complete ? 1 : 0;
}

static int bench_main(int argc, char **argv)
{
	struct bench bench = { .format = 0 };
	struct bench_report report;
	struct playbook checks;
	int status, r;

	parse(&bench, argc, argv);
	acquire_policy(&bench.acq, false);
	if (bench_has_collective(&bench.acq.snapshot.request))
		baseline_in_force(&bench.baseline, true);
	delivery_open(&bench.to, bench.output_path);
	if (bench.plot_path)
		delivery_open(&bench.plot_to, bench.plot_path);
	acquire_run(&bench.acq, argc, argv);
	bench_report_of(&report, &bench.acq.snapshot, checks_of(&bench.acq.snapshot.request, &checks),
			&(struct judge_inputs){ .policy = &bench.acq.policy, .baseline = bench.baseline.in_force });
	complain_of_gaps(&bench, &report);
	status = status_of(&report);
	if (bench.acq.signal)
		status = EXIT_SIGNAL + bench.acq.signal;
	r = tell(&bench, &report);
	bench_report_release(&report);
	baseline_in_force_release(&bench.baseline);
	acquire_release(&bench.acq);
	return r ? r : status;
}

static const struct help_example examples[] = {
	{ "gpudiag bench", "all measurements of all GPUs" },
	{ "gpudiag bench transfer --gpu 3 --plot 3.svg", "copies to and from GPU 3, as a picture" },
	{ "gpudiag bench storage /data", "how fast files there can be read" },
	{ "gpudiag bench collective --with /opt/nccl-tests/build/all_reduce_perf", NULL },
	{ .command = NULL },
};

const struct command command_bench = {
	.name = "bench",
	.summary = "measure transfers, memory, arithmetic and launches",
	.usage = "bench [all|transfer|kernel|memory|latency] [storage PATH…] [collective --with PATH] [OPTIONS]",
	.doc = "Measure each device: copies of many sizes, its own memory, arithmetic, and launch latency, with spread "
	       "and method. Nothing is judged. A GPU in use is not measured, and its processes are named. With storage, "
	       "how fast files at the paths can be read: 10 s each, or --seconds. With collective, the site's own "
	       "all_reduce_perf on all GPUs at once; its figure alone is judged: by what joins the GPUs, and by the "
	       "baseline.\n"
	       "Exit status: 0 all measured, 1 some not measured or slow, 2 wrong results, 64 usage, 70 internal error, "
	       "130 and 143 interrupted, with the timings so far.",
	.examples = examples,
	.options = options,
	.operand = COMPLETE_WORDS,
	.operand_words = test_words,
	.main = bench_main,
};
