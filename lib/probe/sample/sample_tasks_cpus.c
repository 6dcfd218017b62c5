// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sample_tasks_cpus.c - looking must not slow what is looked at: this worker keeps off the CPUs on which the busiest
 * watched threads ran last, as long as there are others.
 */
#include "base/compat.h"
#include "probe/sample/sample_tasks_internal.h"

void task_cpus_begin(struct task_watch *watch)
{
	watch->has_cpus =
		root_is_live(watch->env->root) && !sched_getaffinity(0, sizeof(watch->may_use), &watch->may_use);
	watch->uses = watch->may_use;
	CPU_ZERO(&watch->busy);
}

void task_cpus_note(struct task_watch *watch, uint64_t cpu)
{
	if (cpu < CPU_SETSIZE)
		CPU_SET(cpu, &watch->busy);
}

static void use(struct task_watch *watch, const cpu_set_t *cpus)
{
	if (!CPU_EQUAL(cpus, &watch->uses) && !sched_setaffinity(0, sizeof(*cpus), cpus))
		watch->uses = *cpus;
}

void task_cpus_keep_off(struct task_watch *watch)
{
	cpu_set_t shared, others;

	if (!watch->has_cpus)
		return;
	CPU_AND(&shared, &watch->may_use, &watch->busy);
	CPU_XOR(&others, &watch->may_use, &shared);
	use(watch, CPU_COUNT(&others) ? &others : &watch->may_use);
	CPU_ZERO(&watch->busy);
}

void task_cpus_end(struct task_watch *watch)
{
	if (watch->has_cpus)
		use(watch, &watch->may_use);
}
