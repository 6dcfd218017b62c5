// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/baseline/baseline_lookup.h"
#include "eval/facts/collective.h"
#include "snapshot/under_test.h"

/* With less a link is not filled: start and end of each operation weigh too much. */
#define LEAST_BYTES ((uint64_t)256 << 20)

static const char *no_collective(const struct snapshot *snapshot)
{
	if (!is_known(snapshot->request.collective))
		return "no all_reduce_perf given (--collective PATH)";
	if (!snapshot_is_live(snapshot) && !is_known(snapshot->request.driver_root) && !snapshot->nr_collective_tests)
		return "not possible on a recording";
	if (str_is(snapshot->request.level, "read"))
		return "level read does not load devices";
	return NULL;
}

/* "--gpu 0 --gpu 1 …" of eight: with these alone it shows in which half a fault lies. */
static void offer_half(struct judgement *j, const struct collective_test *test)
{
	STRBUF_AUTO half = STRBUF_INIT;

	for (size_t i = 0; i < test->gpus.nr / 2; i++) {
		const struct gpu *gpu = list_find(j->snapshot, gpus, gpu, test->gpus.v[i]);

		if (gpu)
			strbuf_addf(&half, "%s--gpu %zu", half.len ? " " : "", gpu_number(j->snapshot, gpu));
	}
	if (test->gpus.nr / 2 > 1 && half.len)
		derive_str(j, "half", arena_strdup(j->arena, half.buf), "the first half of its GPUs");
}

static bool is_wrong(struct judgement *j, const struct collective_test *test, const struct collective_limit *limit)
{
	uint64_t wrong = collective_wrong(test);

	want(j, collective_test, test, out_of_bounds);
	if (!wrong)
		return false;
	derive(j, "wrong_values", UNIT_COUNT, (double)wrong, "columns #wrong, or \"# Out of bounds values\"");
	phrase(j, "joined_by", limit->path);
	finding_add(j, COLLECTIVE_WRONG_RESULTS);
	return true;
}

static bool is_below_baseline(struct judgement *j, const struct collective_test *test, double rate)
{
	const struct collective_test *then = baseline_collective(j, test);
	double before;

	if (!then)
		return false;
	before = f64_or(then->best_bus_bytes_per_s, 0.0);
	if (rate >= before * j->policy->collective_baseline_ratio)
		return false;
	expect_f64(j, "best_bus_bytes_per_s", before);
	if (is_known(then->library_version))
		derive_str(j, "library_then", str_or(then->library_version, ""), "the baseline's library_version");
	finding_add(j, COLLECTIVE_SLOWER_THAN_BASELINE);
	return true;
}

/* Sizes below tell nothing of a link, and a program that was told not to use one nothing of its rate. */
static bool is_below_limit(struct judgement *j, const struct collective_test *test,
			   const struct collective_limit *limit, double rate)
{
	double share = limit->is_pcie ? j->policy->collective_pcie_ratio : j->policy->collective_link_ratio;
	uint64_t largest = test->nr_sizes ? u64_or(test->sizes[test->nr_sizes - 1].size_bytes, 0) : 0;

	if (test->settings.nr || largest < LEAST_BYTES || limit->bytes_per_s <= 0.0 ||
	    rate >= limit->bytes_per_s * share)
		return false;
	expect_f64(j, "best_bus_bytes_per_s", limit->bytes_per_s * share);
	finding_add(j, COLLECTIVE_SLOW);
	return true;
}

/* ", 82 % of 450 GB/s by NVLink" */
static void compare_words(struct judgement *j, const struct collective_test *test, const struct collective_limit *limit,
			  double rate)
{
	const char *settings = collective_settings_words(j->arena, test);
	STRBUF_AUTO text = STRBUF_INIT;

	derive_str(j, "joined_by", limit->path, "NVLink, xGMI, PCIe paths between its GPUs");
	if (limit->bytes_per_s > 0.0) {
		derive(j, "carries", UNIT_BYTES_PER_S, limit->bytes_per_s, limit->how);
		derive(j, "share", UNIT_RATIO, rate / limit->bytes_per_s, "best_bus_bytes_per_s ÷ carries");
		strbuf_addf(&text, ", %.0f %% of ", 100.0 * rate / limit->bytes_per_s);
		unit_format(&text, UNIT_BYTES_PER_S, limit->bytes_per_s);
	}
	strbuf_addf(&text, " by %s", limit->path);
	phrase(j, "of_limit", arena_strdup(j->arena, text.buf));
	if (settings)
		derive_str(j, "settings", settings, "environment, nccl.conf");
	phrase(j, "with_settings", settings ? arena_printf(j->arena, ", with %s", settings) : "");
}

static void judge_run(struct judgement *j, const struct collective_test *test)
{
	struct collective_limit limit;
	double rate;

	collective_limit_of(j->arena, j->snapshot, test, &limit);
	derive_str(j, "gpus_joined", collective_gpus(j->arena, j->snapshot, test), "GPUs that it was given");
	derive_str(j, "program", str_or(test->key, "?"), "--with, --collective");
	phrase(j, "operation", "All-reduce");
	offer_half(j, test);
	if (is_wrong(j, test, &limit))
		return;
	rate = need(j, collective_test, test, best_bus_bytes_per_s);
	want(j, collective_test, test, best_bytes);
	want(j, collective_test, test, average_bus_bytes_per_s);
	want(j, collective_test, test, library_version);
	want(j, collective_test, test, tool_version);
	want(j, collective_test, test, arguments);
	if (!all_known(j))
		return;
	compare_words(j, test, &limit, rate);
	if (!is_below_limit(j, test, &limit, rate) && !is_below_baseline(j, test, rate))
		finding_add(j, COLLECTIVE_FIGURE);
}

/* What was started by others may fail by its arguments, as by other work on the GPUs. */
static bool has_imported_failure(struct judgement *j, const struct collective_test *test)
{
	if (test->nr_sizes || !is_known(test->complaint))
		return false;
	want(j, collective_test, test, complaint);
	phrase(j, "why_not", str_or(test->complaint, ""));
	unknown(j, "{operation} not measured: {why_not}");
	return true;
}

/* Who runs it elsewhere chose its GPUs and settings, which the dump does not tell: its figure is judged by nobody. */
static void judge_imported(struct judgement *j, const struct collective_test *test)
{
	size_t nr = test->nr_ranks;
	uint64_t wrong = collective_wrong(test);

	question(j);
	phrase(j, "operation", collective_words(test));
	if (has_imported_failure(j, test))
		return;
	phrase(j, "gpus_joined",
	       nr ? arena_printf(j->arena, "%zu GPU%s", nr, nr == 1 ? "" : "s") : "the GPUs it ran on");
	want(j, collective_test, test, library_version);
	if (wrong) {
		want(j, collective_test, test, out_of_bounds);
		derive(j, "wrong_values", UNIT_COUNT, (double)wrong, "columns #wrong, or \"# Out of bounds values\"");
		cite(j, test->out_of_bounds.from);
		phrase(j, "joined_by", "which links is not known");
		finding_add_of(j, COLLECTIVE_WRONG_RESULTS, str_or(test->key, ""));
		return;
	}
	need(j, collective_test, test, best_bus_bytes_per_s);
	want(j, collective_test, test, best_bytes);
	want(j, collective_test, test, average_bus_bytes_per_s);
	phrase(j, "of_limit", "");
	phrase(j, "with_settings", "");
	finding_add_of(j, COLLECTIVE_FIGURE, str_or(test->key, ""));
}

static bool is_imported(const struct snapshot *snapshot)
{
	return str_is(snapshot->run.source, "import") && snapshot->nr_collective_tests;
}

static void eval(struct judgement *j)
{
	const char *why = no_collective(j->snapshot);

	for (size_t i = 0; is_imported(j->snapshot) && i < j->snapshot->nr_collective_tests; i++)
		judge_imported(j, &j->snapshot->collective_tests[i]);
	if (is_imported(j->snapshot))
		return;
	if (why) {
		skip_check(j, why);
		return;
	}
	why = collective_why_no_figure(j);
	if (why) {
		derive_str(j, "program", str_or(j->snapshot->request.collective, "?"), "--with, --collective");
		phrase(j, "why_not", why);
		unknown_by_failure(j, "all-reduce not measured: {why_not}");
		return;
	}
	judge_run(j, list_find(j->snapshot, collective_tests, collective_test,
			       str_or(j->snapshot->request.collective, "")));
}

const struct check check_collective = {
	.name = "collective",
	.title = "Collective bandwidth",
	.doc = "What bus bandwidth does the site's own all_reduce_perf (nccl-tests or rccl-tests, --collective PATH, or "
	       "gpudiag bench collective --with PATH) reach on all GPUs together, and are its results right? Wrong results "
	       "fail. The highest bandwidth of sizes from 8 to 512 MiB is compared with what NVLink or xGMI carry in one "
	       "direction, where every pair of GPUs is joined by them; else with the weakest PCIe link, which only finds what "
	       "is far below it. A warning needs sizes of 256 MiB and more, and no variable of NCCL that may limit it. With a "
	       "baseline of the same GPUs and arguments, less than 80 % of its figure is a warning. A program that fails, "
	       "hangs or prints something else is unknown: exit status 3. GPUs in use are not loaded. Of imported output, also of "
	       "nccl-tests' other programs, wrong results fail, and its figure is a note.",
	.per = SUBJECT_NODE,
	.needs = NEEDS_COLLECTIVE,
	.says = NULL,
	.may_emit = IDS(COLLECTIVE_WRONG_RESULTS, COLLECTIVE_SLOW, COLLECTIVE_SLOWER_THAN_BASELINE, COLLECTIVE_FIGURE),
	.eval = eval,
};
