// SPDX-License-Identifier: GPL-2.0-or-later
/* host_resources.c - main memory, stalls, swap areas and NUMA nodes. */
#include "base/compat.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "probe/host/host_internal.h"
#include "probe/read.h"

#define NODES "/sys/devices/system/node"

enum { KIB = 1024 };

/* A module parameter that is on or off: "Y" and "N". */
static struct val_bool read_switch(struct probe_env *env, struct arena *arena, const char *path)
{
	struct val_str text = read_str(env, arena, "%s", path);

	if (!is_known(text))
		return no_bool(text.state, text.why);
	if (str_is(text, "Y") || str_is(text, "1"))
		return val_bool(true);
	if (str_is(text, "N") || str_is(text, "0"))
		return val_bool(false);
	return no_bool(VAL_ERROR, arena_printf(arena, "reads \"%.40s\"", str_or(text, "")));
}

void host_memory_read(struct probe_env *env, struct arena *arena, struct memory *ret)
{
	PROC_TEXT_AUTO meminfo = PROC_TEXT_INIT;
	PROC_TEXT_AUTO vmstat = PROC_TEXT_INIT;

	proc_text_read(env, &meminfo, 0, "/proc/meminfo");
	ret->total_bytes = proc_text_u64(&meminfo, arena, "MemTotal", KIB);
	ret->available_bytes = proc_text_u64(&meminfo, arena, "MemAvailable", KIB);
	ret->swap_total_bytes = proc_text_u64(&meminfo, arena, "SwapTotal", KIB);
	ret->swap_free_bytes = proc_text_u64(&meminfo, arena, "SwapFree", KIB);
	proc_text_read(env, &vmstat, 0, "/proc/vmstat");
	ret->swapped_in_pages = proc_text_u64(&vmstat, arena, "pswpin", 1);
	ret->swapped_out_pages = proc_text_u64(&vmstat, arena, "pswpout", 1);
	ret->oom_kills = proc_text_u64(&vmstat, arena, "oom_kill", 1);
	ret->major_faults = proc_text_u64(&vmstat, arena, "pgmajfault", 1);
	ret->swappiness = read_u64(env, arena, "/proc/sys/vm/swappiness");
	ret->zswap_enabled = read_switch(env, arena, "/sys/module/zswap/parameters/enabled");
}

/* "some avg10=0.12 avg60=0.04 avg300=0.01 total=1234": the first share of that line. */
static struct val_f64 avg10(const struct proc_text *file, struct arena *arena, const char *line)
{
	static const char name[] = "avg10=";
	struct val_str shares = proc_text_str(file, arena, line);
	const char *at;
	char *word;
	double value;

	if (!is_known(shares))
		return no_f64(shares.state, shares.why);
	at = strstr(str_or(shares, ""), name);
	if (!at)
		return no_f64(VAL_ABSENT, "no avg10 there");
	at += strlen(name);
	word = arena_strndup(arena, at, strcspn(at, " "));
	if (parse_f64(word, &value) || value < 0 || value > 100)
		return no_f64(VAL_ERROR, arena_printf(arena, "reads \"%.40s\"", word));
	return val_f64(value);
}

void host_pressure_read(struct probe_env *env, struct arena *arena, struct pressure *ret)
{
	PROC_TEXT_AUTO file = PROC_TEXT_INIT;

	proc_text_read(env, &file, 0, "/proc/pressure/memory");
	ret->memory_some_avg10 = avg10(&file, arena, "some");
	ret->memory_full_avg10 = avg10(&file, arena, "full");
	proc_text_read(env, &file, 0, "/proc/pressure/io");
	ret->io_some_avg10 = avg10(&file, arena, "some");
	ret->io_full_avg10 = avg10(&file, arena, "full");
	proc_text_read(env, &file, 0, "/proc/pressure/cpu");
	ret->cpu_some_avg10 = avg10(&file, arena, "some");
}

static struct val_u64 kib_word(struct arena *arena, const char *word, size_t len)
{
	char *text = arena_strndup(arena, word, len);
	uint64_t kib;

	if (parse_u64(text, &kib) || __builtin_mul_overflow(kib, (uint64_t)KIB, &kib))
		return no_u64(VAL_ERROR, arena_printf(arena, "reads \"%.40s\"", text));
	return val_u64(kib);
}

static void read_swap_line(struct snapshot *facts, const char *line)
{
	struct arena *arena = &facts->arena;
	struct swap *swap;
	const char *word;
	size_t len;

	word = scan_word(&line, &len);
	if (!len)
		return;
	swap = list_element(arena, facts, swaps, swap, unescaped(arena, word, len));
	word = scan_word(&line, &len);
	swap->kind = len ? val_str(arena_strndup(arena, word, len)) : no_str(VAL_ABSENT, "empty");
	word = scan_word(&line, &len);
	swap->size_bytes = kib_word(arena, word, len);
	word = scan_word(&line, &len);
	swap->used_bytes = kib_word(arena, word, len);
}

void host_swaps_read(struct probe_env *env, struct snapshot *facts)
{
	STRBUF_AUTO text = STRBUF_INIT;
	const char *line;

	if (root_read(env->root, &text, "/proc/swaps"))
		return;
	/* The first line is a heading. */
	for (line = strchr(text.buf, '\n'); line; line = strchr(line + 1, '\n'))
		read_swap_line(facts, line + 1);
}

/* All distances or none: a cut list would be read as one of fewer nodes. */
static void read_distances(struct probe_env *env, struct arena *arena, const char *name, struct f64s *ret)
{
	struct val_str text = read_str(env, arena, NODES "/%s/distance", name);
	struct f64s distances = { 0 };
	const char *at = str_or(text, ""), *word;
	size_t len;

	for (word = scan_word(&at, &len); len; word = scan_word(&at, &len)) {
		double distance;

		if (parse_f64(arena_strndup(arena, word, len), &distance) || distance < 0)
			return;
		f64s_add(arena, &distances, distance);
	}
	*ret = distances;
}

/* Of the node's first CPU: a node does not span sockets. */
static struct val_u64 read_package(struct probe_env *env, struct arena *arena, struct val_str cpus)
{
	const char *list = str_or(cpus, "");
	const char *cpu = arena_strndup(arena, list, strspn(list, "0123456789"));

	if (!is_known(cpus))
		return no_u64(cpus.state, cpus.why);
	if (!*cpu)
		return no_u64(VAL_ABSENT, "a node without CPUs");
	return read_u64(env, arena, "/sys/devices/system/cpu/cpu%s/topology/physical_package_id", cpu);
}

static void read_numa_node(struct probe_env *env, struct snapshot *facts, const char *name, const char *number)
{
	struct arena *arena = &facts->arena;
	struct numa_node *node = list_element(arena, facts, numa_nodes, numa_node, number);
	PROC_TEXT_AUTO meminfo = PROC_TEXT_INIT;
	char path[128], key[64];

	node->cpus = checked_cpulist(arena, read_str(env, arena, NODES "/%s/cpulist", name));
	/* An empty list is an answer: memory without CPUs. */
	if (node->cpus.state == VAL_ABSENT && !strcmp(node->cpus.why, "empty"))
		node->cpus = val_str("");
	node->package = read_package(env, arena, node->cpus);
	snprintf(path, sizeof(path), NODES "/%s/meminfo", name);
	proc_text_read(env, &meminfo, 0, path);
	snprintf(key, sizeof(key), "Node %s MemTotal", number);
	node->memory_total_bytes = proc_text_u64(&meminfo, arena, key, KIB);
	snprintf(key, sizeof(key), "Node %s MemFree", number);
	node->memory_free_bytes = proc_text_u64(&meminfo, arena, key, KIB);
	read_distances(env, arena, name, &node->distances);
}

void host_numa_nodes_read(struct probe_env *env, struct snapshot *facts)
{
	struct name_list names = { 0 };

	if (root_list(env->root, &names, NODES))
		return;
	for (size_t i = 0; i < names.nr; i++) {
		const char *name = names.names[i];
		uint64_t number;

		if (!strncmp(name, "node", strlen("node")) && strlen(name) < 16 &&
		    !parse_u64(name + strlen("node"), &number))
			read_numa_node(env, facts, name, name + strlen("node"));
	}
	name_list_release(&names);
}
