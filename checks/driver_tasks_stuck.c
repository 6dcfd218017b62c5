// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/facts/load_permission.h"
#include "snapshot/under_test.h"

/* A task that waits in a GPU driver right now may be on its way out: only one that stays there is stuck. */
static void eval(struct judgement *j)
{
	need(j, processes, &j->snapshot->processes, seen);
	for (size_t i = 0; i < j->snapshot->nr_tasks; i++) {
		const struct task *task = &j->snapshot->tasks[i];

		if (!is_known(task->driver) && task->driver.state != VAL_DENIED)
			continue;
		question(j);
		need(j, task, task, comm);
		need(j, task, task, pid);
		need(j, task, task, driver);
		need(j, task, task, asleep_s);
		if (!*want(j, task, task, wchan))
			derive_str(j, "wchan", "the kernel", "/proc/PID/wchan could not be read");
		if (task_is_stuck_in_driver(task, j->policy))
			finding_add_of(j, DRIVER_TASKS_STUCK, str_or(task->driver, NULL));
	}
	if (is_in_container(j->snapshot) && !bool_or(j->snapshot->host.sees_all_processes, false))
		skip_check(j, "the host's tasks are not visible in a container");
}

const struct check check_driver_tasks_stuck = {
	.name = "driver-tasks-stuck",
	.title = "Tasks stuck in a GPU driver",
	.doc = "Is a task in uninterruptible sleep in nvidia, amdgpu, i915 or xe for longer than task.stuck_s? "
	       "gpudiag does not call such a driver, so that no further process hangs.",
	.per = SUBJECT_NODE,
	.says = "no task stuck in a driver",
	.may_emit = IDS(DRIVER_TASKS_STUCK),
	.eval = eval,
};
