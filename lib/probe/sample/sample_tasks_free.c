// SPDX-License-Identifier: GPL-2.0-or-later
/* sample_tasks_free.c - the end of a watched process, or of a thread: its files are closed. */
#include "base/compat.h"
#include "probe/sample/sample_tasks_internal.h"

void task_thread_close(struct task_watch *watch, struct task_thread *thread)
{
	task_file_close(&watch->files, &thread->schedstat);
	task_file_close(&watch->files, &thread->stat);
	task_file_close(&watch->files, &thread->wchan);
}

static void release_threads(struct task_watch *watch, struct task_process *process)
{
	for (size_t i = 0; i < process->nr_threads; i++)
		task_thread_close(watch, &process->threads[i]);
	watch->nr_threads -= process->nr_threads;
	free(process->threads);
	process->threads = NULL;
	process->nr_threads = 0;
	if (watch->listing_pid == process->pid) {
		proc_numbers_close(&watch->listing);
		watch->listing_pid = 0;
	}
}

void task_free(struct task_watch *watch, struct task_process *process)
{
	task_file_close(&watch->files, &process->stat_file);
	task_file_close(&watch->files, &process->io_file);
	release_threads(watch, process);
	free(process);
}
