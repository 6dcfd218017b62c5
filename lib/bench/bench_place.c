// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bench_place.c - where the measuring thread runs, and what memory it gets.
 *
 * Memory belongs to the node of the CPU that touches it first, unless a policy
 * says otherwise (set_mempolicy(2)). The policy here prefers and does not
 * bind: with a node that is full, binding would have somebody killed. What
 * was had in the end is asked of the kernel.
 */
#include "base/compat.h"
#include "bench/bench.h"

#include <linux/mempolicy.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/text.h"

struct bench_place {
	const struct bench_node *at;	/* NULL: near the device */
	int near_node;
	cpu_set_t near_cpus;		/* empty: the mask could not be read, and is left alone */
	cpu_set_t node_cpus[BENCH_MAX_NODES];
};

/* CPUs of a list among those of a set. A list that cannot be read has none. */
static void cpus_of(const char *list, const cpu_set_t *among, cpu_set_t *ret)
{
	CPU_ZERO(ret);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		char number[16];
		bool is_in = false;

		snprintf(number, sizeof(number), "%d", cpu);
		if (CPU_ISSET(cpu, among) && !cpulist_overlap(number, list, &is_in) && is_in)
			CPU_SET(cpu, ret);
	}
}

/* Of the CPU we happen to be on. */
static int node_here(void)
{
	unsigned cpu, node;

	return syscall(SYS_getcpu, &cpu, &node, NULL) ? -1 : (int)node;
}

/* If no CPU near the device is allowed, it stays on all allowed CPUs, and the place is recorded. */
void bench_place_open(struct bench *bench)
{
	const struct bench_plan *plan = bench->plan;
	struct bench_place *place = bench->place = xcalloc(1, sizeof(*place));
	cpu_set_t before;

	place->near_node = -1;
	/* Fails on a machine of more CPUs than the set holds. */
	if (sched_getaffinity(0, sizeof(before), &before))
		return;
	for (size_t i = 0; i < plan->nr_nodes; i++)
		cpus_of(plan->nodes[i].cpus, &before, &place->node_cpus[i]);
	if (plan->cpus[0]) {
		cpus_of(plan->cpus, &before, &place->near_cpus);
		place->near_node = CPU_COUNT(&place->near_cpus) ? plan->numa_node : node_here();
	}
	if (!CPU_COUNT(&place->near_cpus))
		place->near_cpus = before;
	if (sched_setaffinity(0, sizeof(place->near_cpus), &place->near_cpus))
		place->near_node = node_here();
}

void bench_place_close(struct bench *bench)
{
	free(bench->place);
	bench->place = NULL;
}

bool bench_place_go(struct bench *bench, const struct bench_node *node)
{
	struct bench_place *place = bench->place;
	const cpu_set_t *cpus = node ? &place->node_cpus[node - bench->plan->nodes] : &place->near_cpus;

	if (place->at == node)
		return true;
	if (!CPU_COUNT(cpus) || sched_setaffinity(0, sizeof(*cpus), cpus)) {
		snprintf(bench->run->last, sizeof(bench->run->last), "none of the CPUs of node %u may be used here",
			 node ? node->node : 0);
		return false;
	}
	place->at = node;
	return true;
}

int bench_place_node(const struct bench *bench)
{
	return bench->place->at ? (int)bench->place->at->node : bench->place->near_node;
}

enum { MASK_WORDS = 16, WORD_BITS = 8 * sizeof(unsigned long) };

void bench_place_prefer_memory(const struct bench_node *node)
{
	unsigned long mask[MASK_WORDS] = { 0 };

	if (node && node->node < MASK_WORDS * WORD_BITS)
		mask[node->node / WORD_BITS] = 1ul << node->node % WORD_BITS;
	else
		node = NULL;
	/* May be forbidden, as it is in containers: the first touch remains. */
	(void)syscall(SYS_set_mempolicy, node ? MPOL_PREFERRED : MPOL_DEFAULT, node ? mask : NULL,
		      node ? MASK_WORDS * WORD_BITS : 0);
}

int bench_place_of_memory(const void *memory)
{
	int node = -1;

	/* What a driver maps has no page that the kernel would tell of. */
	if (syscall(SYS_get_mempolicy, &node, NULL, 0, memory, MPOL_F_NODE | MPOL_F_ADDR))
		return -1;
	return node;
}
