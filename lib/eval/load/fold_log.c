// SPDX-License-Identifier: GPL-2.0-or-later
/* fold_log.c - what the kernel says of a GPU while it is watched: a fault that ends its work, until it is reset. */
#include "base/compat.h"
#include "eval/load/fold.h"

#include "eval/log/kernel_log.h"
#include "eval/log/log_outcome.h"

static struct fold_gpu *gpu_of_device(struct fold *fold, const char *device)
{
	for (size_t i = 0; i < fold->nr_gpus; i++)
		if (log_is_same_card(fold->gpus[i].track.key, device))
			return &fold->gpus[i];
	return NULL;
}

static void hear(struct fold *fold, const struct klog_event *event)
{
	struct fold_gpu *gpu = gpu_of_device(fold, event->device);
	STRBUF_AUTO text = STRBUF_INIT;
	struct arena arena = { 0 };

	/* What a program repeats may be a week old; what happens now the kernel says itself. */
	if (!gpu || event->is_relayed)
		return;
	if (event->heals) {
		gpu->log_fault[0] = '\0';
	} else if (log_row_outcome(event) == OUTCOME_FAIL) {
		strbuf_addf(&text, "%s: it ", log_name(&arena, event));
		log_fill(&text, event, klog_rows[event->row].title);
		snprintf(gpu->log_fault, sizeof(gpu->log_fault), "%s", text.buf);
	}
	arena_release(&arena);
}

void fold_log(struct fold *fold, const struct tick *tick)
{
	static const struct klog_coverage all = { .lines = 0 };
	const struct klog_log *log;
	struct klog_scan *scan;
	struct klog_line line;

	if (!tick->nr_log_lines)
		return;
	scan = klog_scan_new();
	for (size_t i = 0; i < tick->nr_log_lines; i++) {
		log_line_read(&tick->log_lines[i], &line);
		klog_scan_line(scan, &line);
	}
	log = klog_scan_end(scan, &all);
	for (size_t i = 0; i < log->nr_events; i++)
		hear(fold, &log->events[i]);
	klog_scan_free(scan);
}
