// SPDX-License-Identifier: GPL-2.0-or-later
/* window_node.c - CPUs, memory and stalls over the window. */
#include "base/compat.h"
#include "probe/window/window_internal.h"

#include <unistd.h>

#include "base/text.h"
#include "probe/read.h"
#include "sys/clock.h"

/*
 * To ask a CPU for its clock may interrupt it, and kernels before 5.18 then
 * wait 20 ms: so only the busiest are asked, and no more once time is up.
 */
enum { MAX_CLOCKS = 8, CLOCKS_BUDGET_NS = 20 * 1000 * 1000, KHZ_PER_MHZ = 1000 };
#define CPU_IS_BUSY_PERCENT 50.0

#define US_NS UINT64_C(1000)

static const char *const paths[NR_NODE_FILES] = {
	[NODE_STAT] = "/proc/stat",
	[NODE_VMSTAT] = "/proc/vmstat",
	[NODE_PRESSURE_MEMORY] = "/proc/pressure/memory",
	[NODE_PRESSURE_IO] = "/proc/pressure/io",
	[NODE_PRESSURE_CPU] = "/proc/pressure/cpu",
};

static void read_node(struct probe_env *env, struct node_reading *ret)
{
	ret->at_ns = clock_now_ns();
	for (size_t i = 0; i < NR_NODE_FILES; i++) {
		ret->text[i] = (struct strbuf)STRBUF_INIT;
		ret->error[i] = root_read(env->root, &ret->text[i], "%s", paths[i]);
	}
}

static void release_node(struct node_reading *reading)
{
	for (size_t i = 0; i < NR_NODE_FILES; i++)
		strbuf_release(&reading->text[i]);
}

/* ---- CPUs */

/* One CPU's line: its number, or -1 for the line of all, and where its ticks begin; NULL: another line. */
static const char *cpu_line(const char *line, int64_t *ret_cpu)
{
	char *end;

	if (strncmp(line, "cpu", strlen("cpu")))
		return NULL;
	line += strlen("cpu");
	*ret_cpu = -1;
	if (*line == ' ')
		return line;
	if (*line < '0' || *line > '9')
		return NULL;
	*ret_cpu = strtol(line, &end, 10);
	return end;
}

/* That CPU's ticks in a text of /proc/stat. */
static bool find_ticks(const char *text, int64_t cpu, struct cpu_ticks *ret)
{
	for (const char *line = text; line; line = strchr(line, '\n')) {
		const char *ticks;
		int64_t number;

		line += *line == '\n';
		ticks = cpu_line(line, &number);
		if (!ticks)
			return false;	/* the lines of CPUs stand first */
		if (number == cpu)
			return cpu_ticks_parse(ticks, ret);
	}
	return false;
}

/* What fits into the time, and as much again: counters of idle time are brought up to date late. */
static double max_ticks(uint64_t elapsed_ns, double nr_cpus)
{
	return nr_cpus * (2.0 * (double)elapsed_ns / 1e9 * (double)sysconf(_SC_CLK_TCK) + 20.0);
}

/*
 * Two texts of /proc/stat, and what to call for each CPU of either: with its
 * shares, or with a state and why there are none.
 */
struct cpu_walk {
	const char *start, *end;
	uint64_t elapsed_ns;
	void (*on_cpu)(void *data, uint64_t cpu, const struct cpu_shares *shares, enum val_state state,
		       const char *why);
	void *data;
};

static void judge_cpu(const struct cpu_walk *walk, const struct cpu_ticks *start, const struct cpu_ticks *end,
		      uint64_t cpu)
{
	struct cpu_shares shares;

	if (cpu_shares_of(start, end, max_ticks(walk->elapsed_ns, 1.0), &shares))
		walk->on_cpu(walk->data, cpu, &shares, VAL_OK, NULL);
	else
		walk->on_cpu(walk->data, cpu, NULL, VAL_ABSENT,
			     "its counters went backwards or stood still during the window");
}

/* The text's next CPU from there on; false at the end of the CPUs. */
static bool next_cpu(const char **at, int64_t *ret_cpu, struct cpu_ticks *ret)
{
	while (*at && **at) {
		const char *line = *at, *ticks = cpu_line(line, ret_cpu);

		*at = strchr(line, '\n');
		*at = *at ? *at + 1 : NULL;
		if (!ticks)
			return false;
		if (*ret_cpu >= 0 && cpu_ticks_parse(ticks, ret))
			return true;
	}
	return false;
}

/* Both lists rise: a CPU of one list only went offline or came online in between. */
static void walk_cpus(const struct cpu_walk *walk)
{
	const char *start = walk->start, *end = walk->end;
	struct cpu_ticks before, after;
	int64_t a = 0, b = 0;
	bool has_a = next_cpu(&start, &a, &before), has_b = next_cpu(&end, &b, &after);

	while (has_a || has_b) {
		if (has_a && has_b && a == b)
			judge_cpu(walk, &before, &after, (uint64_t)a);
		else if (has_a && (!has_b || a < b))
			walk->on_cpu(walk->data, (uint64_t)a, NULL, VAL_ABSENT, "it went offline during the window");
		else
			walk->on_cpu(walk->data, (uint64_t)b, NULL, VAL_ABSENT, "it came online during the window");
		if (has_a && has_b && a == b) {
			has_a = next_cpu(&start, &a, &before);
			has_b = next_cpu(&end, &b, &after);
		} else if (has_a && (!has_b || a < b)) {
			has_a = next_cpu(&start, &a, &before);
		} else {
			has_b = next_cpu(&end, &b, &after);
		}
	}
}

/* ---- clocks */

/* The busiest CPUs, busiest first. */
struct busiest {
	uint64_t cpu[MAX_CLOCKS];
	double busy[MAX_CLOCKS];
	size_t nr;
};

static void keep_busiest(void *data, uint64_t cpu, const struct cpu_shares *shares, enum val_state state,
			 const char *why)
{
	struct busiest *busiest = data;
	size_t at = MAX_CLOCKS - 1;

	(void)why;
	if (state != VAL_OK || shares->busy < CPU_IS_BUSY_PERCENT)
		return;
	if (busiest->nr < MAX_CLOCKS)
		at = busiest->nr++;
	else if (busiest->busy[at] >= shares->busy)
		return;
	for (; at && busiest->busy[at - 1] < shares->busy; at--) {
		busiest->cpu[at] = busiest->cpu[at - 1];
		busiest->busy[at] = busiest->busy[at - 1];
	}
	busiest->cpu[at] = cpu;
	busiest->busy[at] = shares->busy;
}

static void look_at_clock(struct node_watch *watch, uint64_t cpu)
{
	struct val_u64 khz =
		read_u64(watch->env, &watch->arena, "/sys/devices/system/cpu/cpu%llu/cpufreq/scaling_cur_freq",
			 (unsigned long long)cpu);
	struct val_u64 mhz = is_known(khz) ? val_u64(u64_or(khz, 0) / KHZ_PER_MHZ) : khz;
	size_t i = 0;

	while (i < watch->nr_clocks && watch->clocks[i].cpu != cpu)
		i++;
	if (i == watch->nr_clocks) {
		watch->clocks = arena_grow(&watch->arena, watch->clocks, watch->nr_clocks, sizeof(*watch->clocks));
		watch->clocks[watch->nr_clocks++] = (struct cpu_clock){ .cpu = cpu, .mhz = mhz };
	} else if (u64_or(mhz, 0) > u64_or(watch->clocks[i].mhz, 0)) {
		watch->clocks[i].mhz = mhz;
	}
}

static void look_at_clocks(struct node_watch *watch, const char *from, const char *to, uint64_t elapsed_ns)
{
	struct busiest busiest = { .nr = 0 };
	struct cpu_walk walk = {
		.start = from, .end = to, .elapsed_ns = elapsed_ns, .on_cpu = keep_busiest, .data = &busiest,
	};
	uint64_t began_ns = clock_now_ns();

	walk_cpus(&walk);
	for (size_t i = 0; i < busiest.nr && clock_now_ns() - began_ns < CLOCKS_BUDGET_NS; i++)
		look_at_clock(watch, busiest.cpu[i]);
}

void node_watch_clocks(struct node_watch *watch)
{
	struct strbuf now = STRBUF_INIT;
	uint64_t now_ns = clock_now_ns();

	if (root_read(watch->env->root, &now, "%s", paths[NODE_STAT])) {
		strbuf_release(&now);
		return;
	}
	look_at_clocks(watch, watch->last_stat.len ? watch->last_stat.buf : watch->start.text[NODE_STAT].buf, now.buf,
		       now_ns - (watch->last_ns ? watch->last_ns : watch->start.at_ns));
	strbuf_release(&watch->last_stat);
	watch->last_stat = now;
	watch->last_ns = now_ns;
}

static struct val_u64 clock_of(const struct node_watch *watch, uint64_t cpu, double busy)
{
	for (size_t i = 0; i < watch->nr_clocks; i++)
		if (watch->clocks[i].cpu == cpu)
			return watch->clocks[i].mhz;
	return no_u64(VAL_ABSENT,
		      busy < CPU_IS_BUSY_PERCENT ? "not collected (idle)" : "not collected (others were busier)");
}

/* ---- the end */

/* For the frame: the watch and where to put what it saw. */
struct cpu_listing {
	const struct node_watch *watch;
	struct snapshot *facts;
	uint64_t nr;
};

static void list_cpu(void *data, uint64_t cpu, const struct cpu_shares *shares, enum val_state state, const char *why)
{
	struct cpu_listing *listing = data;
	struct arena *arena = &listing->facts->arena;
	const char *key = arena_printf(arena, "%llu", (unsigned long long)cpu);
	struct cpu_use *use = list_element(arena, listing->facts, cpu_uses, cpu_use, key);

	listing->nr++;
	if (state != VAL_OK) {
		use->busy_percent = use->iowait_percent = no_f64(state, why);
		use->clock_mhz = no_u64(state, why);
		return;
	}
	use->busy_percent = val_f64(shares->busy);
	use->iowait_percent = val_f64(shares->iowait);
	use->clock_mhz = clock_of(listing->watch, cpu, shares->busy);
	use->clock_mhz.why = use->clock_mhz.why ? arena_strdup(arena, use->clock_mhz.why) : NULL;
}

static void fill_all_cpus(struct window *ret, const struct node_watch *watch, double nr_cpus, uint64_t elapsed_ns)
{
	static const char why[] = "its counters went backwards or stood still during the window";
	int error = watch->start.error[NODE_STAT] ? watch->start.error[NODE_STAT] : watch->end.error[NODE_STAT];
	struct val_f64 missing = error ? no_f64(state_of_errno(error), name_of_errno(error)) :
					 no_f64(VAL_ABSENT, why);
	struct cpu_ticks start, end;
	struct cpu_shares shares;

	ret->cpu_busy_percent = ret->cpu_iowait_percent = ret->cpu_steal_percent = missing;
	if (!find_ticks(watch->start.text[NODE_STAT].buf, -1, &start) ||
	    !find_ticks(watch->end.text[NODE_STAT].buf, -1, &end) ||
	    !cpu_shares_of(&start, &end, max_ticks(elapsed_ns, nr_cpus), &shares))
		return;
	ret->cpu_busy_percent = val_f64(shares.busy);
	ret->cpu_iowait_percent = val_f64(shares.iowait);
	ret->cpu_steal_percent = val_f64(shares.steal);
}

/* One value of /proc/vmstat. */
static struct val_u64 vmstat_value(const struct node_reading *reading, const char *key)
{
	const char *value;
	int error = reading->error[NODE_VMSTAT];

	if (error)
		return no_u64(state_of_errno(error), name_of_errno(error));
	value = proc_text_value(reading->text[NODE_VMSTAT].buf, key);
	if (!value || *value < '0' || *value > '9')
		return no_u64(VAL_ABSENT, "not in /proc/vmstat");
	return val_u64(strtoull(value, NULL, 10));
}

static struct val_u64 vmstat_growth(const struct node_watch *watch, const char *key)
{
	return growth_of(vmstat_value(&watch->start, key), vmstat_value(&watch->end, key));
}

static struct val_u64 stalled_us(const struct node_reading *reading, enum node_file file, const char *line)
{
	int error = reading->error[file];

	if (error)
		return no_u64(state_of_errno(error), name_of_errno(error));
	return pressure_total(reading->text[file].buf, line);
}

static struct val_f64 stalled_share(const struct node_watch *watch, enum node_file file, const char *line,
				    uint64_t elapsed_ns)
{
	return share_of(growth_of(stalled_us(&watch->start, file, line), stalled_us(&watch->end, file, line)), US_NS,
			elapsed_ns);
}

void node_watch_begin(struct node_watch *watch, struct probe_env *env)
{
	*watch = (struct node_watch){ .env = env, .last_stat = STRBUF_INIT };
	read_node(env, &watch->start);
}

void node_watch_end(struct node_watch *watch, struct sink *sink)
{
	struct window *window = &sink->facts.window;
	struct cpu_listing listing = { .watch = watch, .facts = &sink->facts };
	struct cpu_walk walk = { .on_cpu = list_cpu, .data = &listing };
	double page_bytes = (double)sysconf(_SC_PAGESIZE);
	uint64_t elapsed_ns;

	read_node(watch->env, &watch->end);
	elapsed_ns = walk.elapsed_ns = watch->end.at_ns - watch->start.at_ns;
	walk.start = watch->start.text[NODE_STAT].buf;
	walk.end = watch->end.text[NODE_STAT].buf;
	look_at_clocks(watch, walk.start, walk.end, elapsed_ns);
	walk_cpus(&walk);
	fill_all_cpus(window, watch, (double)(listing.nr ? listing.nr : 1), elapsed_ns);
	window->swap_in_bytes_per_s = rate_of(vmstat_growth(watch, "pswpin"), page_bytes, elapsed_ns);
	window->swap_out_bytes_per_s = rate_of(vmstat_growth(watch, "pswpout"), page_bytes, elapsed_ns);
	window->major_faults_per_s = rate_of(vmstat_growth(watch, "pgmajfault"), 1.0, elapsed_ns);
	window->oom_kills = vmstat_growth(watch, "oom_kill");
	window->memory_some_percent = stalled_share(watch, NODE_PRESSURE_MEMORY, "some ", elapsed_ns);
	window->memory_full_percent = stalled_share(watch, NODE_PRESSURE_MEMORY, "full ", elapsed_ns);
	window->io_some_percent = stalled_share(watch, NODE_PRESSURE_IO, "some ", elapsed_ns);
	window->io_full_percent = stalled_share(watch, NODE_PRESSURE_IO, "full ", elapsed_ns);
	window->cpu_some_percent = stalled_share(watch, NODE_PRESSURE_CPU, "some ", elapsed_ns);
	/* Last: CPUs not read are not the same as none. */
	if (!watch->start.error[NODE_STAT] && !watch->end.error[NODE_STAT])
		sink->facts.listed.cpu_uses = val_u64(listing.nr);
	sink_flush(sink);
	release_node(&watch->start);
	release_node(&watch->end);
	strbuf_release(&watch->last_stat);
	arena_release(&watch->arena);
}
