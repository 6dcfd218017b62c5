/* SPDX-License-Identifier: GPL-2.0-or-later */
/* logs.h - what the parts of `gpudiag logs` share. */
#pragma once

#include "cmd/delivery.h"
#include "cmd/terminal.h"
#include "klog/filter.h"
#include "render/events.h"

enum logs_fail_on { LOGS_FAIL_ON_FAIL, LOGS_FAIL_ON_WARN, LOGS_FAIL_ON_NONE };

enum { MAX_LOGS_OUTPUTS = 2 };		/* text and json */

struct logs {
	char **files;
	int nr_files;			/* 0: the running kernel's log */
	struct klog_filter filter;
	bool has_boot;
	int boot;
	bool follow;
	bool is_json[MAX_LOGS_OUTPUTS];
	const char *paths[MAX_LOGS_OUTPUTS];
	struct delivery to[MAX_LOGS_OUTPUTS];
	size_t nr_outputs;
	const char *output_path;
	enum terminal_colour colour;
	bool ascii;
	enum logs_fail_on fail_on;
	int64_t now_us;			/* UTC */
	struct arena arena;
	struct told_place *places;	/* of one file with logs in it: where each line stands in it */
	size_t nr_places;
};

/* A file's name for messages. */
const char *logs_name(const char *path);

/* Die with status 64, with the way out: a file, or the running kernel's log, that cannot be read. */
NORETURN void logs_die_unreadable(const char *path, int error);
NORETURN void logs_die_no_kernel_log(const char *source, int error, const char *instead);

/* Dies where it is a device, which never ends, or the running kernel's log, which is read otherwise. */
void logs_check_device(const char *path);

/* Reads all there is through the filter; what was read, for a person, is added to source. */
void logs_read(struct logs *logs, struct klog_coverage *ret, struct strbuf *source);

/*
 * Dies where a file has no event and no stamp, and is the output of another tool: that no fault was found in it says
 * nothing.
 */
void logs_check_kind(const struct logs *logs, const struct klog_log *log);

/* Tells each event as it comes, until the log or the user ends it. The exit status. */
int logs_follow(struct logs *logs);
