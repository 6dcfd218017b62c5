// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/facts/collective.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "base/units.h"
#include "eval/facts/load_permission.h"
#include "eval/facts/topology.h"
#include "eval/judge/subject.h"
#include "snapshot/collective_group.h"
#include "snapshot/node.h"
#include "snapshot/under_test.h"

/* ---- how it ended */

/* What it said of a failure, or at least last: ": …"; "" where it printed nothing, or rows, which are told as such. */
static const char *said(struct arena *arena, const struct collective_test *test)
{
	const char *words = str_or(test->complaint, test->nr_sizes ? NULL : str_or(test->last_line, NULL));

	if (!words && test->last_line.state == VAL_ERROR)
		words = test->last_line.why;
	return words ? arena_printf(arena, ": %s", words) : "";
}

static const char *why_not_run(struct arena *arena, const struct collective_test *test)
{
	const enum val_state state = test->ended.state;
	const char *why = test->ended.why;

	if (state == VAL_TIMEOUT)
		return arena_printf(arena, "no answer %s", why ? why : "");
	return why ? why : "not collected";
}

static const char *time_words(struct arena *arena, struct val_u64 ms)
{
	STRBUF_AUTO text = STRBUF_INIT;

	unit_format_u64(&text, UNIT_MS, u64_or(ms, 0));
	return arena_strdup(arena, text.buf);
}

/* "the last of 64 MiB" */
static const char *rows_words(struct arena *arena, const struct collective_test *test)
{
	STRBUF_AUTO text = STRBUF_INIT;

	if (!test->nr_sizes)
		return "it had printed no row";
	strbuf_addf(&text, "it had printed %zu row%s, the last of ", test->nr_sizes, test->nr_sizes > 1 ? "s" : "");
	unit_format_u64(&text, UNIT_BYTES, u64_or(test->sizes[test->nr_sizes - 1].size_bytes, 0));
	return arena_strdup(arena, text.buf);
}

static const char *signal_words(struct arena *arena, const struct collective_test *test)
{
	unsigned long long number = u64_or(test->exit_status, 0);
	static const struct {
		unsigned number;
		const char *name;
	} names[] = {
		{ 4, "SIGILL" }, { 6, "SIGABRT" }, { 7, "SIGBUS" }, { 8, "SIGFPE" }, { 9, "SIGKILL" },
		{ 11, "SIGSEGV" },
		{ 15, "SIGTERM" }, { 31, "SIGSYS" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].number == number)
			return names[i].name;
	return arena_printf(arena, "signal %llu", number);
}

static const char *ending(struct arena *arena, const struct collective_test *test)
{
	if (str_is(test->ended, "timeout"))
		return arena_printf(arena, "all_reduce_perf had not ended after %s and was killed; %s%s",
				    time_words(arena, test->elapsed_ms), rows_words(arena, test), said(arena, test));
	if (str_is(test->ended, "output"))
		return "all_reduce_perf printed more than 1 MiB and was killed";
	if (str_is(test->ended, "cancelled"))
		return "the run was interrupted";
	if (str_is(test->ended, "signal"))
		return arena_printf(arena, "all_reduce_perf was killed by %s; %s%s", signal_words(arena, test),
				    rows_words(arena, test), said(arena, test));
	if (u64_or(test->exit_status, 0))
		return arena_printf(arena, "all_reduce_perf exited with status %llu%s",
				    (unsigned long long)u64_or(test->exit_status, 0), said(arena, test));
	return NULL;
}

/* ---- which GPUs it ran on */

/* "0000:1b:00" and "0000:1b:00.0"; "0x1b", of old versions, is the bus alone. */
static bool is_address_of(const char *printed, const char *address)
{
	size_t len = strlen(printed);
	struct pci_address is;
	uint64_t bus;

	if (!strncmp(printed, "0x", 2))
		return !parse_pci_address(address, &is) && !parse_u64(printed, &bus) && bus == is.bus;
	return !strncasecmp(address, printed, len) && (!address[len] || address[len] == '.');
}

static bool was_given(const struct collective_test *test, const char *printed)
{
	for (size_t i = 0; i < test->gpus.nr; i++)
		if (is_address_of(printed, test->gpus.v[i]))
			return true;
	return false;
}

static const char *other_gpus(struct arena *arena, const struct collective_test *test)
{
	if (test->nr_ranks && test->nr_ranks != test->gpus.nr)
		return arena_printf(arena, "all_reduce_perf ran on %zu GPU%s, and was given %zu", test->nr_ranks,
				    test->nr_ranks > 1 ? "s" : "", test->gpus.nr);
	for (size_t i = 0; i < test->nr_ranks; i++) {
		const char *printed = str_or(test->ranks[i].address, NULL);

		if (printed && !was_given(test, printed))
			return arena_printf(arena, "all_reduce_perf ran on a GPU that it was not given: %s", printed);
	}
	return NULL;
}

uint64_t collective_wrong(const struct collective_test *test)
{
	uint64_t rows = u64_or(test->wrong, 0), sum = u64_or(test->out_of_bounds, 0);

	return rows > sum ? rows : sum;
}

const char *collective_why_not(struct arena *arena, const struct collective_test *test)
{
	const char *why;

	if (!is_known(test->ended))
		return why_not_run(arena, test);
	/* Wrong results end it with another status, too. */
	why = collective_wrong(test) && test->nr_sizes ? NULL : ending(arena, test);
	if (why)
		return why;
	if (!test->nr_sizes || !is_known(test->best_bus_bytes_per_s))
		return arena_printf(arena, "its output has no row of figures, as nccl-tests and rccl-tests print%s",
				    said(arena, test));
	if (!is_known(test->out_of_bounds))
		return arena_printf(arena, "its output ends without \"# Out of bounds values\"%s", said(arena, test));
	return other_gpus(arena, test);
}

/* Of a worker that left no record. */
static const char *worker_words(struct arena *arena, const struct snapshot *snapshot)
{
	const struct probe_run *run = find_probe_run(snapshot, "collective", str_or(snapshot->request.collective, ""));

	return run ? arena_printf(arena, "%s%s%s", str_or(run->outcome, "?"), is_known(run->why) ? ": " : "",
				  str_or(run->why, "")) : "not collected";
}

const char *collective_why_no_figure(struct judgement *j)
{
	const struct collective_test *test =
		list_find(j->snapshot, collective_tests, collective_test, str_or(j->snapshot->request.collective, ""));
	const char *why;

	if (test)
		return collective_why_not(j->arena, test);
	why = permit_collective(j->arena, j->snapshot, j->policy, j->log);
	return why ? why : worker_words(j->arena, j->snapshot);
}

const char *collective_words(const struct collective_test *test)
{
	static const struct { const char *name, *words; } names[] = {
		{ "all_reduce", "All-reduce" }, { "all_gather", "All-gather" }, { "reduce_scatter", "Reduce-scatter" },
		{ "broadcast", "Broadcast" }, { "reduce", "Reduce" }, { "alltoall", "All-to-all" },
		{ "alltoallv", "All-to-all" }, { "sendrecv", "Send and receive" }, { "gather", "Gather" },
		{ "scatter", "Scatter" }, { "hypercube", "Hypercube" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (str_is(test->collective, names[i].name))
			return names[i].words;
	return "A collective";
}

const char *collective_gpus(struct arena *arena, const struct snapshot *snapshot, const struct collective_test *test)
{
	size_t indexes[COLLECTIVE_MAX_GPUS], nr = 0;

	for (size_t i = 0; i < test->gpus.nr && nr < ARRAY_SIZE(indexes); i++) {
		const struct gpu *gpu = list_find(snapshot, gpus, gpu, test->gpus.v[i]);

		if (gpu)
			indexes[nr++] = gpu_number(snapshot, gpu);
	}
	return nr ? gpu_ranges(arena, indexes, nr) : "no GPU";
}

const char *collective_settings_words(struct arena *arena, const struct collective_test *test)
{
	STRBUF_AUTO text = STRBUF_INIT;

	for (size_t i = 0; i < test->settings.nr; i++)
		strbuf_addf(&text, "%s%s", i ? ", " : "", test->settings.v[i]);
	return test->settings.nr ? arena_strdup(arena, text.buf) : NULL;
}

/* ---- what joins them */

struct members {
	size_t nr;
	const struct topology_device *devices[COLLECTIVE_MAX_GPUS];
};

static void find_members(const struct topology *topology, const struct collective_test *test, struct members *ret)
{
	ret->nr = 0;
	for (size_t i = 0; i < topology->nr && ret->nr < ARRAY_SIZE(ret->devices); i++)
		if (topology->devices[i].gpu && strs_has(&test->gpus, topology->devices[i].address))
			ret->devices[ret->nr++] = &topology->devices[i];
}

/* How many of the pairs NVLinks join, as the matrix of `gpudiag topology` has it. */
static size_t joined_pairs(struct arena *arena, const struct snapshot *snapshot, const struct members *members)
{
	size_t nr = 0;

	for (size_t i = 0; i < members->nr; i++)
		for (size_t k = i + 1; k < members->nr; k++)
			nr += !strncmp(topology_path(arena, snapshot, members->devices[i], members->devices[k]), "NV",
				       strlen("NV"));
	return nr;
}

/* Does xGMI join them, by the group that amdgpu puts them in? */
static bool is_one_hive(const struct members *members)
{
	const char *hive = str_or(members->devices[0]->gpu->amdgpu.hive, NULL);

	for (size_t i = 0; hive && i < members->nr; i++)
		if (!str_is(members->devices[i]->gpu->amdgpu.hive, hive))
			return false;
	return hive && strcmp(hive, "0") != 0;
}

static bool is_member(const struct members *members, const char *address)
{
	for (size_t i = 0; i < members->nr; i++)
		if (!strcmp(members->devices[i]->address, address))
			return true;
	return false;
}

/* Links of this GPU to the others, or to switches. 0: of one of them the speed is not known. */
static double nvlink_rate(const struct members *members, const struct gpu *gpu)
{
	double gbps = 0.0;

	for (size_t i = 0; i < gpu->nr_links; i++) {
		const struct gpu_link *link = &gpu->links[i];

		if (!str_is(link->kind, "nvlink") || !str_is(link->state, "active") ||
		    !(str_is(link->remote_kind, "switch") || is_member(members, str_or(link->remote, "?"))))
			continue;
		if (!is_known(link->speed_gbps))
			return 0.0;
		gbps += f64_or(link->speed_gbps, 0.0);
	}
	return gbps * 1e9;
}

/*
 * Which of its links leads to whom is not reported: only where each leads to another GPU is it known how many are used.
 */
static double xgmi_rate(const struct members *members, const struct gpu *gpu)
{
	enum { LEAST_LINKS = 7 };
	uint64_t links = u64_or(gpu->amdgpu.xgmi_links, 0);
	double slowest = 0.0;

	if (links < LEAST_LINKS || links + 1 != u64_or(gpu->amdgpu.hive_gpus, 0))
		return 0.0;
	for (size_t i = 0; i < gpu->nr_links; i++) {
		double gbps = f64_or(gpu->links[i].speed_gbps, 0.0);

		if (str_is(gpu->links[i].kind, "xgmi") && gbps > 0.0 && (slowest <= 0.0 || gbps < slowest))
			slowest = gbps;
	}
	return slowest * (double)(members->nr - 1) * 1e9;
}

/* Of the member that has least; 0 where one is not known. */
static double least(const struct members *members, double (*rate)(const struct members *members, const struct gpu *gpu))
{
	double ret = 0.0;

	for (size_t i = 0; i < members->nr; i++) {
		double one = rate(members, members->devices[i]->gpu);

		if (one <= 0.0)
			return 0.0;
		ret = !i || one < ret ? one : ret;
	}
	return ret;
}

static void pcie_limit(struct arena *arena, const struct members *members, struct collective_limit *ret)
{
	const char *address, *weakest = "";

	for (size_t i = 0; i < members->nr; i++) {
		double rate = topology_weakest(members->devices[i], &address);

		if (rate <= 0.0) {
			ret->bytes_per_s = 0.0;
			return;
		}
		if (i && rate >= ret->bytes_per_s)
			continue;
		ret->bytes_per_s = rate;
		weakest = address;
	}
	ret->how = arena_printf(arena, "link_width × link_speed_able of the weakest link (%s)", weakest);
}

void collective_limit_of(struct arena *arena, const struct snapshot *snapshot, const struct collective_test *test,
			 struct collective_limit *ret)
{
	struct topology topology;
	struct members members;
	size_t pairs, joined;

	*ret = (struct collective_limit){ .path = "PCIe", .how = "not known", .is_pcie = true };
	topology_of(arena, snapshot, &topology);
	find_members(&topology, test, &members);
	if (members.nr < 2 || members.nr != test->gpus.nr)
		return;
	pairs = members.nr * (members.nr - 1) / 2;
	joined = joined_pairs(arena, snapshot, &members);
	if (joined == pairs) {
		*ret = (struct collective_limit){ .path = "NVLink", .how = "sum of speed_gbps of the links of one GPU" };
		ret->bytes_per_s = least(&members, nvlink_rate);
	} else if (!joined && is_one_hive(&members)) {
		*ret = (struct collective_limit){ .path = "xGMI", .how = "speed_gbps × other GPUs" };
		ret->bytes_per_s = least(&members, xgmi_rate);
	} else {
		if (joined)
			ret->path = "PCIe (NVLink joins some of them)";
		pcie_limit(arena, &members, ret);
	}
}
