// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/facts/window.h"
#include "eval/judge/subject.h"
#include "snapshot/under_test.h"

/* A GPU that does next to nothing while a task of its process sleeps in the kernel. */
static bool find_waiting(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;

	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		const struct gpu *gpu = &snapshot->gpus[i];
		const struct task *task = gpu_waiter(snapshot, gpu);
		size_t index = gpu_index(snapshot, gpu);

		if (!gpu_is_judged(snapshot, gpu) || !task || !gpu_is_held_idle(snapshot, j->policy, gpu))
			continue;
		derive_str(j, "gpu_waiting", gpu_ranges(j->arena, &index, 1), "held and nearly idle");
		need(j, gpu_use, &gpu->use, busy_percent);
		about(j, "a task of its process");
		need(j, task, task, comm);
		need(j, task, task, pid);
		want(j, task, task, wchan);
		about(j, NULL);
		return true;
	}
	return false;
}

static void eval(struct judgement *j)
{
	const struct window *window = &j->snapshot->window;
	enum val_state state = window->io_full_percent.state;

	if (!has_window(j))
		return;
	if (state == VAL_ABSENT || state == VAL_UNSUPPORTED) {
		skip_check(j, "not supported by this kernel (PSI)");
	} else if (need(j, window, window, io_full_percent) > j->policy->io_pressure_percent) {
		if (find_waiting(j))
			finding_add(j, IO_PRESSURE_STARVES);
		else
			finding_add(j, IO_PRESSURE_STALLED);
	}
}

const struct check check_io_pressure = {
	.name = "io-pressure",
	.title = "Disk stalls",
	.doc = "Do all tasks wait for disks much of the time? A note; a warning if a GPU is idle while a task of its "
	       "process sleeps in the kernel.",
	.per = SUBJECT_NODE,
	.needs = NEEDS_WINDOW,
	.says = "disk stalls {io_full_percent}",
	.may_emit = IDS(IO_PRESSURE_STARVES, IO_PRESSURE_STALLED),
	.eval = eval,
};
