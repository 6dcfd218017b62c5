// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/units.h"
#include "checks/playbook.h"

enum { MAX_NAMED = 3 };

/* The lowest and the highest figure of a test, but for those within one device. */
struct range {
	const struct tool_figure *low, *high;
	size_t nr;
};

static double number_of(const struct tool_figure *figure, enum unit *ret)
{
	*ret = is_known(figure->rate_bytes_per_s) ? UNIT_BYTES_PER_S :
	       is_known(figure->time_ns) ? UNIT_NS : UNIT_GFLOPS;
	return f64_or(figure->rate_bytes_per_s, f64_or(figure->time_ns, f64_or(figure->rate_gflops, 0.0)));
}

static bool is_within_device(const struct tool_figure *figure)
{
	static const char end[] = " itself";
	const char *key = str_or(figure->key, "");
	size_t len = strlen(key);

	return len > strlen(end) && !strcmp(key + len - strlen(end), end);
}

static struct range range_of(const struct tool_test *test)
{
	struct range ret = { .nr = 0 };
	enum unit unit;

	for (size_t i = 0; i < test->nr_figures; i++) {
		const struct tool_figure *figure = &test->figures[i];

		if (is_within_device(figure) && test->nr_figures > 1)
			continue;
		if (!ret.nr++ || number_of(figure, &unit) < number_of(ret.low, &unit))
			ret.low = figure;
		if (ret.nr == 1 || number_of(figure, &unit) > number_of(ret.high, &unit))
			ret.high = figure;
	}
	return ret;
}

/* "host_to_device_memcpy_ce 12.9 GB/s (host to device 3) to 26.2 GB/s (host to device 5)" */
static void add_test(struct strbuf *out, const struct tool_test *test, const struct range *range)
{
	enum unit unit;
	double low = number_of(range->low, &unit), high = number_of(range->high, &unit);

	strbuf_addf(out, "%s%s ", out->len ? ", " : "", str_or(test->test, "?"));
	unit_format(out, unit, low);
	strbuf_addf(out, " (%s)", str_or(range->low->key, "?"));
	if (high <= low)
		return;
	strbuf_addstr(out, " to ");
	unit_format(out, unit, high);
	strbuf_addf(out, " (%s)", str_or(range->high->key, "?"));
}

/* What people ask for first: between host and device, between devices, one device's memory. */
static int rank_of(const struct tool_test *test)
{
	static const char *const names[] = {
		"host_to_device_memcpy", "device_to_host_memcpy", "device_to_device_memcpy", "host to device",
		"device to host", "Unidirectional P2P=Enabled", "unidirectional", "Global memory bandwidth",
		"Single-precision",
	};
	size_t at = 0;

	while (at < ARRAY_SIZE(names) && strncmp(str_or(test->test, ""), names[at], strlen(names[at])) != 0)
		at++;
	return (int)at;
}

struct listing {
	const struct tool_test *named[MAX_NAMED];
	size_t nr_named, nr;
};

static void list_test(struct listing *listing, const struct tool_test *test)
{
	size_t at = listing->nr_named;

	listing->nr++;
	while (at && rank_of(test) < rank_of(listing->named[at - 1]))
		at--;
	if (at == MAX_NAMED)
		return;
	if (listing->nr_named < MAX_NAMED)
		listing->nr_named++;
	for (size_t i = listing->nr_named - 1; i > at; i--)
		listing->named[i] = listing->named[i - 1];
	listing->named[at] = test;
}

static void tell_tool(struct judgement *j, const char *tool)
{
	struct listing listing = { .nr = 0 };
	STRBUF_AUTO text = STRBUF_INIT;

	for (size_t i = 0; i < j->snapshot->nr_tool_tests; i++)
		if (str_is(j->snapshot->tool_tests[i].tool, tool) && range_of(&j->snapshot->tool_tests[i]).nr)
			list_test(&listing, &j->snapshot->tool_tests[i]);
	if (!listing.nr)
		return;
	for (size_t i = 0; i < listing.nr_named; i++) {
		struct range range = range_of(listing.named[i]);

		add_test(&text, listing.named[i], &range);
	}
	if (listing.nr > listing.nr_named)
		strbuf_addf(&text, ", and %zu more test%s", listing.nr - listing.nr_named,
			    listing.nr == listing.nr_named + 1 ? "" : "s");
	question(j);
	phrase(j, "tool", tool);
	derive_str(j, "figures", arena_strdup(j->arena, text.buf), "its output");
	cite(j, listing.named[0]->tool.from);
	want(j, tool_test, listing.named[0], tool_version);
	finding_add_of(j, TOOL_FIGURES_FIGURE, tool);
}

/* Pairs of GPUs without a way between them are a fact of the node, whatever else ran. */
static void tell_access(struct judgement *j, const struct tool_test *test)
{
	if (!is_known(test->no_access))
		return;
	question(j);
	want(j, tool_test, test, no_access);
	phrase(j, "tool", str_or(test->tool, "?"));
	phrase(j, "pairs", str_or(test->no_access, "?"));
	finding_add_of(j, TOOL_FIGURES_NO_PEER_ACCESS, str_or(test->tool, "?"));
}

static void eval(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;

	if (!snapshot->nr_tool_tests) {
		skip_check(j, "no figures of other tools among imported dumps");
		return;
	}
	/* Sorted by tool, then test. */
	for (size_t i = 0; i < snapshot->nr_tool_tests; i++) {
		const char *tool = str_or(snapshot->tool_tests[i].tool, "?");

		if (!i || !str_is(snapshot->tool_tests[i - 1].tool, tool))
			tell_tool(j, tool);
		tell_access(j, &snapshot->tool_tests[i]);
	}
}

const struct check check_tool_figures = {
	.name = "tool-figures",
	.title = "Figures of other tools",
	.doc = "What did nvbandwidth, bandwidthTest, p2pBandwidthLatencyTest, rocm_bandwidth_test or clpeak measure, whose "
	       "output was imported? A note for each tool, with the lowest and the highest figure of its tests; all figures are "
	       "in the snapshot. Nothing shows what else ran at the time, so none is judged. Devices that cannot reach one another's "
	       "memory are a note too.",
	.per = SUBJECT_NODE,
	.says = NULL,
	.may_emit = IDS(TOOL_FIGURES_FIGURE, TOOL_FIGURES_NO_PEER_ACCESS),
	.eval = eval,
};
